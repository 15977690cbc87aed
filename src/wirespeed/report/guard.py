"""The view of a guard on a terminal: layout alone, nothing is worded or rounded here."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from wirespeed.model.guard import Guard

from .guard_view import GuardView, JudgedView, guard_view
from .layout import flow, padded, styled, widest, words
from .terminal import WIDEST, print_lines

_GAP, _SEPARATOR = Text("  "), " · "
_NAME_LIMIT = 40


def print_guard(document: Guard, console: Console) -> None:
    print_lines(guard_lines(document, min(console.width, WIDEST)), console)


def guard_lines(document: Guard, width: int) -> Iterator[Text]:
    """The report, line by line, for a terminal of so many cells."""
    view = guard_view(document)
    facts = [styled(fact, "muted") for fact in view.facts]
    title = styled(view.title, "strong") + _GAP
    yield from flow(facts, width, start=title, hanging=2, separator=_SEPARATOR)
    yield from flow(words(view.verdict.text, view.verdict.role), width, hanging=2)
    if view.changes:
        yield Text()
    for change in view.changes:
        yield from flow(words(change.headline.text, change.headline.role), width, hanging=4)
        yield from (Text(f"    {difference}") for difference in change.differences)
    if view.rows:
        yield Text()
        yield from _table(view, width)
    yield from _remarks(view, width)


def _table(view: GuardView, width: int) -> Iterator[Text]:
    left = widest([row.name for row in view.rows], _NAME_LIMIT)
    times = max(len(row.times) for row in view.rows)
    outcome = max(len(row.outcome.text) for row in view.rows)
    decision = max(len(row.decision.text) for row in view.rows)
    for row in view.rows:
        line = padded(Text(row.name), left)
        line += _GAP + padded(Text(row.times), times) if times else Text()
        line += _GAP + padded(styled(row.outcome.text, row.outcome.role), outcome)
        line += _GAP + padded(styled(row.decision.text, row.decision.role), decision)
        yield from _with_remarks(line, row, width)
    if view.folded:
        yield styled(view.folded, "muted")


def _with_remarks(line: Text, row: JudgedView, width: int) -> Iterator[Text]:
    remarks = [styled(remark, "muted") for remark in row.remarks]
    yield from flow(remarks, width, start=line + _GAP, hanging=4, separator=_SEPARATOR) if remarks else [line]


def _remarks(view: GuardView, width: int) -> Iterator[Text]:
    yield from flow(words(view.certificate.text, view.certificate.role), width, hanging=2)
    if view.explanation:
        yield from flow(words(view.explanation, "strong"), width, hanging=2)
    for note in view.notes:
        yield from flow(words(note), width, start=styled("note: ", "muted"), hanging=6)
    for line in view.legend:
        yield from flow(words(line, "muted"), width, hanging=2)
