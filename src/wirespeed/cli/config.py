from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli._command import command
from wirespeed.cli.options import FolderOption

EXAMPLES = """
wirespeed config
wirespeed config load
wirespeed config advise --config ci/wirespeed.toml
"""


def config(
    for_command: Annotated[
        str, typer.Argument(metavar="COMMAND", help="The command whose settings are shown.")
    ] = "advise",
    file: Annotated[
        str | None,
        typer.Option("--config", metavar="FILE", help="Read this file instead of the one that is found."),
    ] = None,
    folder: FolderOption = ".",
) -> int:
    """Show what a command would go by, and where each value comes from.

    That is what [tool.wirespeed] in the pyproject.toml says, and the defaults of the options where it says
    nothing. What headers carry is never shown.
    """
    from wirespeed.cli import config_run

    return config_run.show(for_command, folder, file)


COMMAND = command(config, EXAMPLES)
