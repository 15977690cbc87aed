"""Options that several commands have, worded once."""

from __future__ import annotations

from typing import Annotated

import typer

SUBJECT, MEASURING, OUTPUT = "The app", "Measuring", "Output"
"""Help panels that every measuring command has."""

APP_PARAMETERS = ("app", "subjects", "target")
"""What commands call the parameter that names the app."""
NAMED_ON_THE_SPOT = ("compare", "bisect")
"""Commands whose requests are what is compared: those of a file are not for them."""

FolderOption = Annotated[
    str, typer.Option(metavar="PATH", rich_help_panel=SUBJECT, help="Folder the app runs in.")
]
EnvOption = Annotated[
    list[str] | None,
    typer.Option(
        "--env", metavar="NAME=VALUE", rich_help_panel=SUBJECT, help="Environment variable for the app."
    ),
]
PrepareOption = Annotated[
    str | None,
    typer.Option(
        metavar="MODULE:FUNCTION",
        rich_help_panel=SUBJECT,
        help="Called with the app before start-up: overrides, seeding.",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", rich_help_panel=MEASURING, help="Fixes every random order. Default: a fresh one."
    ),
]
TimeoutOption = Annotated[
    str,
    typer.Option(metavar="DURATION", rich_help_panel=MEASURING, help="How long an answer may take."),
]
JsonOption = Annotated[
    bool, typer.Option("--json", rich_help_panel=OUTPUT, help="Print one JSON document and nothing else.")
]
NoSaveOption = Annotated[
    bool, typer.Option("--no-save", rich_help_panel=OUTPUT, help="Keep no record in .wirespeed.")
]
ReportOption = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        metavar="FORMAT[=FILE]",
        rich_help_panel=OUTPUT,
        help="Write it for others too: markdown, junit, sarif, gitlab or github; - is stdout. Repeatable.",
    ),
]
