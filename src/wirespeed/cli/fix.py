from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli._command import command
from wirespeed.cli.advise_options import (
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
)
from wirespeed.cli.options import EnvOption, FolderOption, JsonOption, PrepareOption, SeedOption

if TYPE_CHECKING:
    from wirespeed.model.plan import RequestWishes

WHAT = "What to fix"

EXAMPLES = """
wirespeed fix main:app
wirespeed fix main:app | git apply
wirespeed fix main:app --rule WS101 --rule WS2
wirespeed fix main:app --write
wirespeed fix main:app --write --allow-equal --json > fix.json
"""


def fix(
    app: AppArgument,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            "--select",
            metavar="CODES",
            rich_help_panel=WHAT,
            help="Only remedies of these rules: WS101, or WS1 for its family; repeatable.",
        ),
    ] = None,
    ignore: IgnoreOption = None,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            rich_help_panel=WHAT,
            help="Change the files, start the changed app, measure again, and roll back what does not hold.",
        ),
    ] = False,
    allow_equal: Annotated[
        bool,
        typer.Option(
            "--allow-equal",
            rich_help_panel=WHAT,
            help="Take remedies whose answers are equal JSON but other bytes, too.",
        ),
    ] = False,
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
    json: JsonOption = False,
    *,
    from_file: RequestWishes,
) -> int:
    """Show the recommended remedies as one diff, or write them and prove them.

    The app is advised on as by `wirespeed advise`. In a pipe, stdout has the diff and nothing else. With
    --write the files are changed, the app is started afresh beside what it was, and called and measured
    again, for about as long as the budget once more. What does not answer the same bytes, or is not faster,
    is rolled back; so is everything when it is interrupted. No other file is touched.
    """
    from wirespeed.cli import fix_run
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
            rules=tuple(select or ()),
            ignored_rules=tuple(ignore or ()),
            allow_equal=allow_equal,
            ready=from_file,
        )
    )
    return fix_run.run(plan, write=write, as_json=json)


COMMAND = command(fix, EXAMPLES)
