from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli._command import command
from wirespeed.cli.advise_options import (
    RULES,
    AppArgument,
    BodyOption,
    BudgetOption,
    DeadlineOption,
    GetOption,
    HeaderOption,
    IgnoreOption,
    LiveOption,
    MarginOption,
    OnlyOption,
    PythonOption,
    RequestOption,
    RoundsOption,
    SelectOption,
)
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
)

if TYPE_CHECKING:
    from wirespeed.model.plan import RequestWishes

EXAMPLES = """
wirespeed advise main:app
wirespeed advise shop/main.py --python .venv --env DB_URL=sqlite:///copy.db
wirespeed advise main:app --get '/orders/42' --header 'X-Token: x'
wirespeed advise main:app --request 'POST /orders' --body @order.json --only
wirespeed advise main:app --http --workers 2
wirespeed advise main:app --dry-run
wirespeed advise main:app --fail-on WS101,WS2 --json > advice.json
wirespeed advise main:app --report markdown=advice.md --report sarif=advice.sarif
wirespeed advise main:app --baseline wirespeed-baseline.json --fail-on WS
"""


def advise(
    app: AppArgument,
    get: GetOption = None,
    request: RequestOption = None,
    body: BodyOption = None,
    header: HeaderOption = None,
    only: OnlyOption = False,
    prepare: PrepareOption = None,
    python: PythonOption = None,
    folder: FolderOption = ".",
    env: EnvOption = None,
    budget: BudgetOption = "60s",
    margin: MarginOption = "2%",
    live: LiveOption = 3,
    rounds: RoundsOption = None,
    seed: SeedOption = None,
    deadline: DeadlineOption = "10s",
    http: Annotated[
        bool,
        typer.Option(
            "--http",
            rich_help_panel=MEASURING,
            help="Confirm recommended remedies through the app's own server too, alone and with 50 "
            "connections. 40 % of the budget is kept for it, and only GETs are sent.",
        ),
    ] = False,
    server: Annotated[
        str | None,
        typer.Option(
            "--server",
            metavar="NAME",
            rich_help_panel=MEASURING,
            help="The server of --http: uvicorn (default), granian or hypercorn.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            rich_help_panel=MEASURING,
            help="Worker processes of that server. Default: 1.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", rich_help_panel=OUTPUT, help="List what would be called, and call nothing."
        ),
    ] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="CODES",
            rich_help_panel=OUTPUT,
            help="Exit with 1 when a remedy of these rules is recommended: WS101, or WS1 for its family.",
        ),
    ] = None,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            rich_help_panel=RULES,
            help="Findings in this file are known: they fail no check, and those that are gone are told.",
        ),
    ] = None,
    write_baseline: Annotated[
        str | None,
        typer.Option(
            "--write-baseline",
            metavar="FILE",
            rich_help_panel=RULES,
            help="Write what is found to this file, for --baseline.",
        ),
    ] = None,
    json: JsonOption = False,
    report: ReportOption = None,
    show_all: Annotated[
        bool, typer.Option("--all", rich_help_panel=OUTPUT, help="Show every endpoint in full, fold nothing.")
    ] = False,
    no_save: NoSaveOption = False,
    *,
    from_file: RequestWishes,
) -> int:
    """Find endpoints that answer slowly, and measure every remedy.

    The app is started in its own interpreter. Its GET endpoints are called a few times; what they return is
    then replayed through the remedies that the rules propose; remedies of its code are called live, many
    times. What clients would receive is compared. No file of the app is changed.
    """
    from wirespeed.cli import advise_run
    from wirespeed.cli.advise_plan import AdviseOptions, advice_plan

    plan = advice_plan(
        AdviseOptions(
            app=app,
            gets=tuple(get or ()),
            requests=tuple(request or ()),
            bodies=tuple(body or ()),
            headers=tuple(header or ()),
            only=only,
            prepare=prepare,
            python=python,
            folder=folder,
            env=tuple(env or ()),
            budget=budget,
            margin=margin,
            live=live,
            rounds=rounds,
            seed=seed,
            deadline=deadline,
            http=http,
            server=server,
            workers=workers,
            rules=tuple(select or ()),
            ignored_rules=tuple(ignore or ()),
            baseline=baseline,
            ready=from_file,
        )
    )
    if dry_run:
        return advise_run.list_only(plan, reports=tuple(report or ()), as_json=json)
    return advise_run.measure(
        plan,
        fail_on=tuple(fail_on or ()),
        reports=tuple(report or ()),
        write_baseline=write_baseline,
        as_json=json,
        save=not no_save,
        everything=show_all,
    )


COMMAND = command(advise, EXAMPLES)
