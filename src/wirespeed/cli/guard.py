from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli._command import command
from wirespeed.cli.advise_options import (
    REQUESTS,
    AppArgument,
    BodyOption,
    BudgetOption,
    DeadlineOption,
    HeaderOption,
    PythonOption,
)
from wirespeed.cli.options import (
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

SIDES = "Base and head"

EXAMPLES = """
wirespeed guard main:app --base main
wirespeed guard main:app --base origin/main --max-slowdown 2% --json > guard.json
wirespeed guard main:app --base origin/main --report junit=guard.xml --report markdown=guard.md
wirespeed guard main:app --base v1.4 --head v1.5 --folder services/shop
wirespeed guard main:app --base main --get '/orders/42' --request 'POST /orders' --body @order.json
wirespeed guard main:app --base main --allow-body-change '/orders/{id}'
wirespeed guard main:app --base HEAD --base-with fastapi==0.128.0 --head-with fastapi==0.129.0
"""


def guard(
    app: AppArgument,
    base: Annotated[
        str,
        typer.Option(
            "--base",
            metavar="REV",
            rich_help_panel=SIDES,
            show_default=False,
            help="Branch, tag or commit that head is measured against: where head left it.",
        ),
    ],
    head: Annotated[
        str | None,
        typer.Option(
            "--head",
            metavar="REV",
            rich_help_panel=SIDES,
            help="Default: the files as they are, uncommitted changes included.",
        ),
    ] = None,
    max_slowdown: Annotated[
        str,
        typer.Option(
            metavar="SHARE", rich_help_panel=SIDES, help="The largest slowdown that does not matter."
        ),
    ] = "5%",
    allow_body_change: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-body-change",
            metavar="PATH",
            rich_help_panel=SIDES,
            help="Answers to this path may change, as /orders/7 or /orders/{id}; repeatable.",
        ),
    ] = None,
    same_env: Annotated[
        bool,
        typer.Option(
            "--same-env",
            rich_help_panel=SIDES,
            help="Run both in the app's environment, even where their dependency files differ.",
        ),
    ] = False,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="PACKAGE==VERSION",
            rich_help_panel=SIDES,
            help="Install this into both environments; several at once separated by commas.",
        ),
    ] = None,
    base_with: Annotated[
        list[str] | None,
        typer.Option(
            "--base-with", metavar="PACKAGE==VERSION", rich_help_panel=SIDES, help="The same, for base alone."
        ),
    ] = None,
    head_with: Annotated[
        list[str] | None,
        typer.Option(
            "--head-with", metavar="PACKAGE==VERSION", rich_help_panel=SIDES, help="The same, for head alone."
        ),
    ] = None,
    get: Annotated[
        list[str] | None,
        typer.Option(
            "--get",
            metavar="PATH",
            rich_help_panel=REQUESTS,
            help="Send this GET, and nothing unnamed; repeatable.",
        ),
    ] = None,
    request: Annotated[
        list[str] | None,
        typer.Option(
            "--request",
            metavar="'METHOD PATH'",
            rich_help_panel=REQUESTS,
            help="Send this, and nothing unnamed; repeatable. Its endpoint will run many times.",
        ),
    ] = None,
    body: BodyOption = None,
    header: HeaderOption = None,
    prepare: PrepareOption = None,
    python: PythonOption = None,
    folder: FolderOption = ".",
    env: EnvOption = None,
    budget: BudgetOption = "30s",
    seed: SeedOption = None,
    deadline: DeadlineOption = "10s",
    inconclusive: Annotated[
        str,
        typer.Option(
            metavar="fail|pass",
            rich_help_panel=OUTPUT,
            help="Where a slowdown is neither proven nor excluded: exit with 4, or warn.",
        ),
    ] = "pass",
    json: JsonOption = False,
    report: ReportOption = None,
    no_save: NoSaveOption = False,
    *,
    from_file: RequestWishes,
) -> int:
    """Fail when the app has become slower than it was at another revision, or answers differently.

    Base and head are started side by side, again for every round, and take turns. A slowdown beyond
    --max-slowdown must be proven to fail, and excluded to pass. Base runs twice: where it differs from
    itself, nobody is blamed.
    """
    from wirespeed.cli import guard_run
    from wirespeed.cli.guard_plan import GuardOptions, guard_plan

    when_inconclusive = guard_run.when_inconclusive(inconclusive)
    plan = guard_plan(
        GuardOptions(
            app=app,
            base=base,
            head=head,
            gets=tuple(get or ()),
            requests=tuple(request or ()),
            bodies=tuple(body or ()),
            headers=tuple(header or ()),
            allow_body_change=tuple(allow_body_change or ()),
            prepare=prepare,
            python=python,
            folder=folder,
            env=tuple(env or ()),
            same_env=same_env,
            requirements=tuple(with_ or ()),
            base_requirements=tuple(base_with or ()),
            head_requirements=tuple(head_with or ()),
            max_slowdown=max_slowdown,
            budget=budget,
            seed=seed,
            deadline=deadline,
            ready=from_file,
        )
    )
    return guard_run.measure(
        plan, when_inconclusive, reports=tuple(report or ()), as_json=json, save=not no_save
    )


COMMAND = command(guard, EXAMPLES)
