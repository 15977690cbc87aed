from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli._command import command
from wirespeed.cli.options import (
    MEASURING,
    OUTPUT,
    EnvOption,
    FolderOption,
    JsonOption,
    NoSaveOption,
    PrepareOption,
    ReportOption,
    SeedOption,
    TimeoutOption,
)

if TYPE_CHECKING:
    from wirespeed.model.plan import RequestWishes

ARMS = "What is compared"

EXAMPLES = """
wirespeed compare http://127.0.0.1:8000/a http://127.0.0.1:8000/b
wirespeed compare main:app --get /a --get /b
wirespeed compare main:app --get /a --server uvicorn --server granian --workers 2
wirespeed compare main:app --get /a --with fastapi==0.129.0 --with fastapi==0.165.0
wirespeed compare main:app --get /a --python .venv-a --python .venv-b
wirespeed compare main:app --get /a --revision main --revision HEAD --fail-on slower
wirespeed compare main:app --get /a --server uvicorn --server granian --workers 1 --workers 2 --cross
wirespeed compare main:app --get /a --get /b --lens load -c 50
"""


def compare(
    subjects: Annotated[
        list[str],
        typer.Argument(
            metavar="APP|URL...",
            show_default=False,
            help="An app (main:app, main.py), or URLs of servers that are running.",
        ),
    ],
    get: Annotated[
        list[str] | None,
        typer.Option("--get", metavar="PATH", rich_help_panel=ARMS, help="Send this GET."),
    ] = None,
    request: Annotated[
        list[str] | None,
        typer.Option(
            "--request",
            metavar="'METHOD PATH'",
            rich_help_panel=ARMS,
            help="Send this request; it will be sent thousands of times.",
        ),
    ] = None,
    server: Annotated[
        list[str] | None,
        typer.Option(
            "--server", metavar="NAME", rich_help_panel=ARMS, help="uvicorn (default), granian or hypercorn."
        ),
    ] = None,
    workers: Annotated[
        list[int] | None,
        typer.Option("--workers", metavar="N", rich_help_panel=ARMS, help="Worker processes. Default: 1."),
    ] = None,
    python: Annotated[
        list[str] | None,
        typer.Option(
            "--python",
            metavar="PATH",
            rich_help_panel=ARMS,
            help="Interpreter or environment of the app. Default: as for advise.",
        ),
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="PACKAGE==VERSION",
            rich_help_panel=ARMS,
            help="The app's environment, with this instead; several at once separated by commas.",
        ),
    ] = None,
    revision: Annotated[
        list[str] | None,
        typer.Option(
            "--revision",
            metavar="REV",
            rich_help_panel=ARMS,
            help="The app's folder at this git revision.",
        ),
    ] = None,
    cross: Annotated[
        bool,
        typer.Option(
            "--cross", rich_help_panel=ARMS, help="Compare all combinations of two or more repeated options."
        ),
    ] = False,
    body: Annotated[
        list[str] | None,
        typer.Option(
            "--body",
            metavar="TEXT|@FILE|@-",
            rich_help_panel=ARMS,
            help="Body of a --request: one for each POST, PUT and PATCH, in their order.",
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "-H",
            "--header",
            metavar="'NAME: VALUE'",
            rich_help_panel=ARMS,
            help="Sent with every request.",
        ),
    ] = None,
    prepare: PrepareOption = None,
    folder: FolderOption = ".",
    env: EnvOption = None,
    lens: Annotated[
        str,
        typer.Option(
            metavar="service|load|direct",
            rich_help_panel=MEASURING,
            help="One request at a time over HTTP; many connections at once; or inside the app's process.",
        ),
    ] = "service",
    connections: Annotated[
        int | None,
        typer.Option(
            "-c",
            "--connections",
            metavar="N",
            rich_help_panel=MEASURING,
            help="Requests at once, with --lens load. Default: 50.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="METRIC",
            rich_help_panel=MEASURING,
            help="What the verdict is about: cpu_s_per_request or peak_memory instead of time.",
        ),
    ] = None,
    margin: Annotated[
        str,
        typer.Option(
            metavar="SHARE", rich_help_panel=MEASURING, help="The smallest difference that matters."
        ),
    ] = "2%",
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION", rich_help_panel=MEASURING, help="About how long it may take. Default: 60s."
        ),
    ] = None,
    until_decided: Annotated[
        bool,
        typer.Option(
            "--until-decided",
            rich_help_panel=MEASURING,
            help="Go on for 40 rounds if need be, however long they take.",
        ),
    ] = False,
    max_errors: Annotated[
        str,
        typer.Option(
            metavar="SHARE", rich_help_panel=MEASURING, help="Share of an arm's requests that may fail."
        ),
    ] = "0.1%",
    allow_different: Annotated[
        bool,
        typer.Option(
            "--allow-different",
            rich_help_panel=MEASURING,
            help="Compare arms although they answer differently.",
        ),
    ] = False,
    timeout: TimeoutOption = "30s",
    insecure: Annotated[
        bool, typer.Option("--insecure", rich_help_panel=MEASURING, help="Do not verify certificates.")
    ] = False,
    remote: Annotated[
        bool,
        typer.Option(
            "--remote",
            rich_help_panel=MEASURING,
            help="The URLs are on another machine, and I may load it.",
        ),
    ] = False,
    seed: SeedOption = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            metavar="VERDICTS",
            rich_help_panel=OUTPUT,
            help="Exit with 1 on slower, faster, different (either) or equivalent; with 4 if none is sure.",
        ),
    ] = None,
    json: JsonOption = False,
    report: ReportOption = None,
    no_save: NoSaveOption = False,
    *,
    from_file: RequestWishes,
) -> int:
    """Tell whether one thing is faster than another, or that it cannot be told.

    The option that is repeated is what is compared; the first value is the baseline. Apps are started anew
    for every round, and arms take turns in random order. A difference is only called one when the rounds
    prove it; arms that fail, or answer differently, get no verdict at all.
    """
    from wirespeed.cli import compare_run
    from wirespeed.cli.compare_options import CompareOptions
    from wirespeed.cli.compare_plan import comparison_plan, demanded_verdicts

    demanded = demanded_verdicts(fail_on)
    plan = comparison_plan(
        CompareOptions(
            subjects=tuple(subjects),
            gets=tuple(get or ()),
            requests=tuple(request or ()),
            bodies=tuple(body or ()),
            headers=tuple(header or ()),
            servers=tuple(server or ()),
            workers=tuple(workers or ()),
            pythons=tuple(python or ()),
            requirements=tuple(with_ or ()),
            revisions=tuple(revision or ()),
            cross=cross,
            prepare=prepare,
            folder=folder,
            env=tuple(env or ()),
            lens=lens,
            connections=connections,
            metric=metric,
            margin=margin,
            budget=budget,
            until_decided=until_decided,
            max_errors=max_errors,
            allow_different=allow_different,
            timeout=timeout,
            insecure=insecure,
            remote=remote,
            seed=seed,
            ready=from_file,
        )
    )
    return compare_run.measure(plan, demanded, reports=tuple(report or ()), as_json=json, save=not no_save)


COMMAND = command(compare, EXAMPLES)
