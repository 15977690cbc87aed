"""How a failed assertion reads: what is wrong, where, and what would mend it."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def told(what: str, *details: tuple[str, str | None]) -> str:
    """``what``, and below it each detail that there is, under its name."""
    width = max((len(name) for name, detail in details if detail), default=0)
    indent = "\n" + " " * (width + 4)
    lines = [
        f"  {name + ':':<{width + 1}} {indent.join(detail.splitlines())}"
        for name, detail in details
        if detail
    ]
    return "\n".join([what, *lines])


def place(filename: str, line: int) -> str:
    """``users.py:31``, from the folder that the tests run in, or from the library that it is in."""
    from wirespeed_agent.routes import shorten

    return f"{shorten(filename, str(Path.cwd()))}:{line}"


def definition(endpoint: Any) -> str | None:
    """Where a callable is defined, and its name; None for what is not written in Python."""
    from wirespeed_agent.routes import function_of, source_of

    source = source_of(endpoint)
    return None if source is None else f"{place(*source)}  {function_of(endpoint).__qualname__}"
