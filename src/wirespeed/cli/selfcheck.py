from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli._command import command

EXAMPLES = """
wirespeed selfcheck
wirespeed selfcheck --rounds 20
wirespeed selfcheck --python .venv/bin/python --json > selfcheck.json
"""


def selfcheck(
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Interpreter or environment to check. Default: the activated environment or .venv, "
            "where it has FastAPI; else wirespeed's own.",
        ),
    ] = None,
    rounds: Annotated[
        int,
        typer.Option(
            metavar="N", help="Rounds to measure. Fewer than 200 do not show how rounds depend on each other."
        ),
    ] = 200,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Fixes every random order. Default: a fresh one.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> int:
    """Measure how small an effect this machine can show.

    Requests to a sample app are compared with themselves, round after round. How much the rounds differ, and
    whether one depends on the one before, decides what other measurements on this machine are worth.
    """
    from wirespeed.cli.selfcheck_run import measure, selfcheck_plan

    return measure(selfcheck_plan(python, rounds, seed), as_json=json)


COMMAND = command(selfcheck, EXAMPLES)
