from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli._command import command

EXAMPLES = """
wirespeed report latest
wirespeed report .wirespeed/2026-11-30T12-00-00Z-advice.json --all
wirespeed report latest --format markdown --output comment.md
wirespeed report latest --format junit --fail-on WS101 --output wirespeed.xml
wirespeed report - --format sarif < advice.json
"""


def report(
    record: Annotated[
        str,
        typer.Argument(
            metavar="RECORD",
            show_default=False,
            help="File of a record or of what --json printed; latest for the last one; - for standard input.",
        ),
    ],
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="markdown, junit, sarif, gitlab or github. Default: as on the terminal.",
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", metavar="FILE", help="Where to write it. Default: stdout.")
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="CODES|VERDICTS",
            help="What a format calls a failure, as for the command that measured; exit codes stay.",
        ),
    ] = None,
    folder: Annotated[
        str, typer.Option(metavar="PATH", help="Folder the app ran in: where its records and files are.")
    ] = ".",
    show_all: Annotated[bool, typer.Option("--all", help="Fold nothing on the terminal.")] = False,
) -> int:
    """Show a saved record again, on the terminal or for other programs.

    Nothing is measured: a record holds the evidence, and reports are made from it. Records are in .wirespeed
    of the app's folder.
    """
    from wirespeed.cli import report_run

    return report_run.show(
        report_run.ShowOrder(
            record=record,
            format_name=format_name,
            output=output,
            fail_on=tuple(fail_on or ()),
            folder=folder,
            everything=show_all,
        )
    )


COMMAND = command(report, EXAMPLES)
