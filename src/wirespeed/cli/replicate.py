from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli._command import command
from wirespeed.cli.options import MEASURING, OUTPUT, JsonOption, NoSaveOption, SeedOption

EXAMPLES = """
wirespeed replicate --list
wirespeed replicate typed-response
wirespeed replicate --quick
wirespeed replicate typed-response sync-async --json > replication.json
wirespeed replicate --quick --strict
"""


def replicate(
    suites: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SUITE]...", show_default=False, help="Default: all of them."),
    ] = None,
    list_suites: Annotated[
        bool, typer.Option("--list", help="List the suites, and measure nothing.")
    ] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            rich_help_panel=MEASURING,
            help="Fewer rounds: less than a minute a suite, and more claims that nobody can tell.",
        ),
    ] = False,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", rich_help_panel=MEASURING, help="Forget what an interrupted run has measured."
        ),
    ] = False,
    seed: SeedOption = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", rich_help_panel=OUTPUT, help="Exit with 1 unless every claim holds."),
    ] = False,
    json: JsonOption = False,
    no_save: NoSaveOption = False,
) -> int:
    """Measure published claims about speed again, on this machine.

    Each suite serves its own app, repeats what a write-up or an announcement measured, and says of every
    claim whether it holds, does not hold, or whether nobody can tell; then what the original method could
    not know. Ctrl-C ends a run, and the next one goes on from there.
    """
    from wirespeed.cli import replicate_run

    if list_suites:
        return replicate_run.list_suites(as_json=json)
    order = replicate_run.order_of(suites or [], quick=quick, seed=seed)
    return replicate_run.measure(order, strict=strict, fresh=fresh, as_json=json, save=not no_save)


COMMAND = command(replicate, EXAMPLES)
