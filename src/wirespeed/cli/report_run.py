"""``wirespeed report``: a saved document in today's words, for people or for other programs."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from wirespeed.cli.compare_plan import demanded_verdicts
from wirespeed.cli.failures import tell
from wirespeed.cli.output import print_bytes
from wirespeed.cli.reports import checkout_of, format_named, view_of
from wirespeed.cli.values import rule_codes
from wirespeed.diagnosis.rules import all_rules
from wirespeed.errors import UsageError
from wirespeed.model._base import Document
from wirespeed.model.advice import Advice
from wirespeed.model.bisection import Bisection
from wirespeed.model.comparison import Comparison
from wirespeed.model.guard import Guard
from wirespeed.model.load import Load
from wirespeed.model.record import Record
from wirespeed.model.replication import Replication
from wirespeed.report.bisection import print_bisection
from wirespeed.report.comparison import print_comparison
from wirespeed.report.formats import Setting
from wirespeed.report.guard import print_guard
from wirespeed.report.load import print_load
from wirespeed.report.replication import print_replication
from wirespeed.report.terminal import make_console, print_advice
from wirespeed.report.view import advice_view
from wirespeed.store import records

LATEST, STDIN = "latest", "-"


@dataclass(frozen=True, slots=True)
class ShowOrder:
    """What stood on the command line."""

    record: str
    format_name: str | None
    output: str | None
    fail_on: tuple[str, ...]
    folder: str
    everything: bool


def show(order: ShowOrder) -> int:
    """Render, write, and return the exit code."""
    folder = Path(order.folder).expanduser().absolute()
    document = read(order.record, folder).document
    setting = Setting(checkout_of(folder), _failing(document, order.fail_on))
    try:
        if order.format_name is None and order.output is None:
            _print_whole(document, everything=order.everything)
        else:
            _write(_text(document, order, setting).encode("utf-8", errors="replace"), order.output)
    except (ArithmeticError, ValueError) as error:
        raise UsageError(
            f"the figures of {order.record} cannot be shown: {error}",
            advice="No measurement gives such figures: the file was changed, or comes from somewhere else.",
        ) from error
    return 0


def read(name: str, folder: Path) -> Record:
    """Raises ``UsageError`` for everything that is no record."""
    if name == STDIN:
        return records.parse(sys.stdin.buffer.read(records.MAX_BYTES + 1), "standard input")
    if name != LATEST:
        return records.load(Path(name))
    path = records.latest(folder)
    tell(f"The record is in {path}")
    return records.load(path)


def _print_whole(document: Document, *, everything: bool) -> None:
    """All of it or nothing: figures that cannot be shown may come late."""
    console = make_console(sys.stdout)
    with console.capture() as captured:
        _print(document, console, everything=everything)
    sys.stdout.write(captured.get())


def _text(document: Document, order: ShowOrder, setting: Setting) -> str:
    if order.format_name is None:
        file = io.StringIO()
        _print(document, make_console(file), everything=order.everything)
        return file.getvalue()
    view = view_of(format_named(order.format_name, "--format"), type(document))
    return view(document, setting)


def _failing(document: Document, fail_on: Sequence[str]) -> tuple[str, ...]:
    if not fail_on:
        return ()
    if isinstance(document, Advice):
        return rule_codes(fail_on, "--fail-on", list(all_rules()))
    if isinstance(document, Comparison):
        return tuple(demanded_verdicts(",".join(fail_on)))
    raise UsageError("--fail-on is for advice and comparisons", advice="Leave it out.")


def _print(document: Document, console: Console, *, everything: bool) -> None:
    match document:
        case Advice():
            print_advice(advice_view(document, everything=everything, option_for_everything="--all"), console)
        case Guard():
            print_guard(document, console)
        case Bisection():
            print_bisection(document, console)
        case Comparison():
            print_comparison(document, console)
        case Load():
            print_load(document, console)
        case Bisection():
            print_bisection(document, console)
        case Replication():
            print_replication(document, console)
        case _:
            raise AssertionError(f"no record holds a {type(document).__name__}")


def _write(content: bytes, output: str | None) -> None:
    if output is None:
        print_bytes(content)
        return
    try:
        Path(output).write_bytes(content)
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror or error}") from error
