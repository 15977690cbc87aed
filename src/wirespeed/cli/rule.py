from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli._command import command

EXAMPLES = """
wirespeed rule
wirespeed rule WS101
"""


def rule(
    code: Annotated[
        str | None, typer.Argument(metavar="CODE", help="Code of the rule; without one, all are listed.")
    ] = None,
) -> int:
    """Explain a rule: when it fires, what cures it, what can go wrong."""
    from wirespeed.cli import rule_pages

    return rule_pages.list_all() if code is None else rule_pages.show(code)


COMMAND = command(rule, EXAMPLES)
