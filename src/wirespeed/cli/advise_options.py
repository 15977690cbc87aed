"""Options of ``advise`` that ``fix`` has too: what to call, how to start it, and how long it may take."""

from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli.options import MEASURING, SUBJECT

REQUESTS, RULES = "Requests", "Rules"

AppArgument = Annotated[
    str,
    typer.Argument(
        metavar="APP",
        show_default=False,
        help="Import string (main:app, main:create_app()), file (main.py) or folder.",
    ),
]
GetOption = Annotated[
    list[str] | None,
    typer.Option("--get", metavar="PATH", rich_help_panel=REQUESTS, help="Measure this GET; repeatable."),
]
RequestOption = Annotated[
    list[str] | None,
    typer.Option(
        "--request",
        metavar="'METHOD PATH'",
        rich_help_panel=REQUESTS,
        help="Measure this request; repeatable. Its endpoint will run many times.",
    ),
]
BodyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--body",
        metavar="TEXT|@FILE|@-",
        rich_help_panel=REQUESTS,
        help="Body of a --request: one for each POST, PUT and PATCH, in their order.",
    ),
]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--header", metavar="'NAME: VALUE'", rich_help_panel=REQUESTS, help="Sent with every request."
    ),
]
OnlyOption = Annotated[
    bool,
    typer.Option("--only", rich_help_panel=REQUESTS, help="Measure only what --get and --request name."),
]
PythonOption = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        rich_help_panel=SUBJECT,
        help="Interpreter or environment of the app. Default: the activated environment or .venv, "
        "where it has FastAPI; else wirespeed's own.",
    ),
]
SelectOption = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="CODES",
        rich_help_panel=RULES,
        help="Only these rules: WS101, or WS1 for its family; repeatable.",
    ),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="CODES",
        rich_help_panel=RULES,
        help="Not these rules, in the same form. Where both name a rule, the longer code decides.",
    ),
]
BudgetOption = Annotated[
    str, typer.Option(metavar="DURATION", rich_help_panel=MEASURING, help="About how long it may take.")
]
MarginOption = Annotated[
    str, typer.Option(metavar="SHARE", rich_help_panel=MEASURING, help="The smallest gain that matters.")
]
LiveOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        rich_help_panel=MEASURING,
        help="How often an endpoint's own code runs in a round, where its remedies can be replayed.",
    ),
]
RoundsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", rich_help_panel=MEASURING, help="Confirming rounds. Default: what the budget allows."
    ),
]
DeadlineOption = Annotated[
    str,
    typer.Option(
        metavar="DURATION", rich_help_panel=MEASURING, help="How long one call of an endpoint may take."
    ),
]
