"""What every command's parser has in common."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable

import typer

from wirespeed.cli.configured_command import ConfiguredCommand, is_configured, with_config_options


def command(function: Callable[..., int], examples: str) -> typer.Typer:
    """A Typer app of one command, which a file configures where the command has an app or an interpreter.

    Its help is plain unless somebody reads it on a terminal.
    """
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if sys.stdout.isatty() else None,
    )
    # Rich keeps every line break, so a paragraph is one line here. Plain help keeps none but those after \b.
    paragraphs = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(function) or "")
    epilog = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in examples.strip().splitlines())
    configured = is_configured(function)
    app.command(
        cls=ConfiguredCommand if configured else None,
        help=paragraphs,
        epilog=epilog,
        context_settings={"help_option_names": ["-h", "--help"]},
    )(with_config_options(function) if configured else function)
    return app
