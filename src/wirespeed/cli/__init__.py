"""The command line: one module a command, each parse → plan → call → exit code."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the ``wirespeed`` script."""
    from .shell import run

    sys.exit(run(sys.argv[1:]))
