"""What every command's parser has in common."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable

import typer


def command(function: Callable[..., int], examples: str) -> typer.Typer:
    """A Typer app of one command. Its help is plain unless somebody reads it on a terminal."""
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if sys.stdout.isatty() else None,
    )
    # Rich keeps every line break, so a paragraph is one line here. Plain help keeps none but those after \b.
    paragraphs = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(function) or "")
    epilog = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in examples.strip().splitlines())
    app.command(help=paragraphs, epilog=epilog, context_settings={"help_option_names": ["-h", "--help"]})(
        function
    )
    return app
