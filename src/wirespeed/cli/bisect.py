from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli._command import command
from wirespeed.cli.options import (
    MEASURING,
    SUBJECT,
    EnvOption,
    FolderOption,
    JsonOption,
    NoSaveOption,
    PrepareOption,
    SeedOption,
    TimeoutOption,
)

if TYPE_CHECKING:
    from wirespeed.model.plan import RequestWishes

SEARCH = "What is searched"

EXAMPLES = """
wirespeed bisect main:app --get /users --with fastapi==0.129.0..0.165.0
wirespeed bisect main:app --get /users --with pydantic==2.10.0..2.12.5 --with fastapi==0.128.0
wirespeed bisect main:app --get /users --revision v1.4..HEAD
wirespeed bisect main:app --request 'POST /orders' --body @order.json --revision main~40..main --budget 20m
"""


def bisect(
    app: Annotated[
        str, typer.Argument(metavar="APP", show_default=False, help="The app: main:app, main.py.")
    ],
    get: Annotated[
        list[str] | None,
        typer.Option("--get", metavar="PATH", rich_help_panel=SEARCH, help="Send this GET."),
    ] = None,
    request: Annotated[
        list[str] | None,
        typer.Option(
            "--request",
            metavar="'METHOD PATH'",
            rich_help_panel=SEARCH,
            help="Send this request; it will be sent thousands of times.",
        ),
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="PACKAGE==A..B",
            rich_help_panel=SEARCH,
            help="Releases of a package, from A to B; without a range, a version installed for all.",
        ),
    ] = None,
    revision: Annotated[
        list[str] | None,
        typer.Option(
            "--revision", metavar="A..B", rich_help_panel=SEARCH, help="The commits from A to B instead."
        ),
    ] = None,
    body: Annotated[
        list[str] | None,
        typer.Option(
            "--body", metavar="TEXT|@FILE|@-", rich_help_panel=SEARCH, help="Body of the --request."
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "-H",
            "--header",
            metavar="'NAME: VALUE'",
            rich_help_panel=SEARCH,
            help="Sent with the request.",
        ),
    ] = None,
    prepare: PrepareOption = None,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            rich_help_panel=SUBJECT,
            help="Interpreter or environment of the app. Default: as for advise.",
        ),
    ] = None,
    folder: FolderOption = ".",
    env: EnvOption = None,
    lens: Annotated[
        str,
        typer.Option(
            metavar="direct|service",
            rich_help_panel=MEASURING,
            help="Inside the app's process; or over HTTP, one request at a time.",
        ),
    ] = "direct",
    server: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=MEASURING,
            help="With --lens service: uvicorn (default), granian or hypercorn.",
        ),
    ] = None,
    margin: Annotated[
        str,
        typer.Option(
            metavar="SHARE", rich_help_panel=MEASURING, help="The smallest difference that matters."
        ),
    ] = "2%",
    budget: Annotated[
        str,
        typer.Option(metavar="DURATION", rich_help_panel=MEASURING, help="About how long it may take."),
    ] = "15m",
    max_errors: Annotated[
        str,
        typer.Option(
            metavar="SHARE", rich_help_panel=MEASURING, help="Share of a release's requests that may fail."
        ),
    ] = "0.1%",
    allow_different: Annotated[
        bool,
        typer.Option(
            "--allow-different",
            rich_help_panel=MEASURING,
            help="Compare releases although they answer differently.",
        ),
    ] = False,
    timeout: TimeoutOption = "30s",
    seed: SeedOption = None,
    json: JsonOption = False,
    no_save: NoSaveOption = False,
    *,
    from_file: RequestWishes,
) -> int:
    """Find the release, or the commit, that changed how fast an app answers.

    The ends are compared first; then the release in the middle with both, until the change is narrowed down
    to one release, which is measured once more beside the one before it. All that is concluded is wrong in at
    most 5 % of such searches. Releases that cannot be installed, do not start, or answer differently are
    skipped and named. Exits with 4 where the change cannot be narrowed down to one release.
    """
    from wirespeed.cli import bisect_run
    from wirespeed.cli.bisect_plan import BisectOptions, bisection_plan

    plan = bisection_plan(
        BisectOptions(
            app=app,
            gets=tuple(get or ()),
            requests=tuple(request or ()),
            bodies=tuple(body or ()),
            headers=tuple(header or ()),
            requirements=tuple(with_ or ()),
            revisions=tuple(revision or ()),
            prepare=prepare,
            python=python,
            folder=folder,
            env=tuple(env or ()),
            lens=lens,
            server=server,
            margin=margin,
            budget=budget,
            max_errors=max_errors,
            allow_different=allow_different,
            timeout=timeout,
            seed=seed,
            ready=from_file,
        )
    )
    return bisect_run.measure(plan, as_json=json, save=not no_save)


COMMAND = command(bisect, EXAMPLES)
