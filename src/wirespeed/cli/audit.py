from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli._command import command

TOLD = "What the tool was told, where its output does not say"

EXAMPLES = """
wirespeed audit hey.txt
wrk -t4 -c100 -d30s --latency http://127.0.0.1:8000/ | wirespeed audit -
wirespeed audit hey.txt --connections 50 --requests 10000
wirespeed audit old=a1.json old=a2.json old=a3.json new=b1.json new=b2.json new=b3.json
wirespeed audit k6.json --fail-on doubtful
wirespeed audit --explain littles-law
"""


def audit(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LABEL=]FILE",
            show_default=False,
            help="What a load tool printed; - is standard input. Files of one label are repeats.",
        ),
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="ab, autocannon, hey, hey-csv, k6, oha, vegeta, wrk or wrk2. Default: by content.",
        ),
    ] = None,
    requests: Annotated[
        int | None,
        typer.Option("--requests", metavar="N", rich_help_panel=TOLD, help="How many requests to send."),
    ] = None,
    connections: Annotated[
        int | None,
        typer.Option("--connections", metavar="N", rich_help_panel=TOLD, help="How many connections to use."),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option("--rate", metavar="N", rich_help_panel=TOLD, help="How many requests a second to send."),
    ] = None,
    timeout: Annotated[
        str | None,
        typer.Option(
            "--timeout", metavar="DURATION", rich_help_panel=TOLD, help="How long to wait for an answer."
        ),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            metavar="SEVERITY",
            help="Exit with 1 when anything this severe or worse is found: misleading, doubtful or note.",
        ),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(
            "--explain", metavar="CHECK", help="Print what a check means, instead; 'all' lists them."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> int:
    """Tell what the output of hey, wrk, wrk2, ab, oha, k6, vegeta or autocannon supports.

    Errors that the headline hides, counts that do not add up, latencies of other requests than the rate,
    a maximum that is a time-out, percentiles from a handful of answers, samples that were no requests. With
    several files: whether they differ by more than repeats do. What an output does not say stays unknown.
    """
    from wirespeed.cli import audit_run

    if explain is not None:
        return audit_run.explain(explain)
    order = audit_run.audit_order(files or [], format_name, requests, connections, rate, timeout, fail_on)
    return audit_run.run(order, as_json=json)


COMMAND = command(audit, EXAMPLES)
