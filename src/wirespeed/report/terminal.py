"""A view on a terminal: columns where the width allows them, hanging indents where it does not.

Lives here: layout and colour. This file never rounds, words or orders anything, and prints what views hold as
it stands: Rich's markup, emoji codes and highlighting are never applied to it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, NamedTuple

from rich.console import Console
from rich.text import Text

from .layout import flow, joined, padded, styled, widest, words
from .tree import AdviceView, ArmView, DryRunView, EndpointView, FindingView, FoldView

WIDEST = 120
"""Longer lines are harder to read, however wide the terminal is."""

_SEPARATOR = " · "
_GAP = "  "
_NAME_LIMIT, _FIGURES_LIMIT, _ARM_LIMIT = 34, 36, 34
_MARKED = {True: "  ▸ ", False: "    "}
_DEEP = 8
_PLAINER = str.maketrans("▸→µ×·…∞", ">>ux-.~")
"""One for one, so that styles keep their places."""


class Columns(NamedTuple):
    """Where the columns of endpoint lines start and end, in cells."""

    name: int
    figures: int
    width: int


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end the process here with 1, which says that a check failed."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def make_console(file: IO[str]) -> Console:
    """A console as reports need it: no colour in pipes, nor where ``NO_COLOR`` is set."""
    return _Console(
        file=file,
        highlight=False,
        markup=False,
        emoji=False,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
    )


def print_advice(view: AdviceView, console: Console) -> None:
    print_lines(_advice_lines(view, min(console.width, WIDEST)), console)


def print_dry_run(view: DryRunView, console: Console) -> None:
    print_lines(_dry_run_lines(view, min(console.width, WIDEST)), console)


def print_lines(lines: Iterable[Text], console: Console) -> None:
    """Lines as they stand, in characters that the console's encoding has."""
    for line in lines:
        line.rstrip()
        line.plain = _encodable(line.plain, console.encoding)
        console.print(line, soft_wrap=True)


def _encodable(text: str, encoding: str) -> str:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAINER).encode(encoding, errors="replace").decode(encoding)
    return text


def _advice_lines(view: AdviceView, width: int) -> Iterator[Text]:
    facts = [styled(fact, "muted") for fact in view.facts]
    yield from flow(facts, width, start=styled(view.title, "strong") + _GAP, hanging=2, separator=_SEPARATOR)
    for warning in view.warnings:
        yield from flow(words(warning.text, warning.role), width)
    yield Text()
    yield from _entry_lines(view.entries, width)
    yield from _section("Not called:", view.skipped, width)
    for note in view.notes:
        yield from flow(words(note), width, start=styled("note: ", "muted"), hanging=6)
    if view.notes:
        yield Text()
    totals = [styled(total.text, total.role) for total in view.totals]
    yield from flow(totals, width, separator=_SEPARATOR)
    for line in view.legend:
        yield from flow(words(line, "muted"), width, hanging=2)


def _dry_run_lines(view: DryRunView, width: int) -> Iterator[Text]:
    yield from flow([styled(fact, "strong") for fact in view.facts], width, separator=_SEPARATOR)
    yield Text()
    yield from _entry_lines(view.called, width)
    yield from _section("Not called:", view.skipped, width)


def _section(title: str, folds: Sequence[FoldView], width: int) -> Iterator[Text]:
    if folds:
        yield styled(title, "strong")
        for fold in folds:
            yield from _fold_lines(fold, width, indent=2)
        yield Text()


def _entry_lines(entries: Sequence[EndpointView | FoldView], width: int) -> Iterator[Text]:
    """Entries of one line stand close together; a blank line parts those that have more."""
    endpoints = [entry for entry in entries if isinstance(entry, EndpointView)]
    columns = Columns(
        name=widest((endpoint.name for endpoint in endpoints), _NAME_LIMIT),
        figures=widest((_SEPARATOR.join(endpoint.figures) for endpoint in endpoints), _FIGURES_LIMIT),
        width=width,
    )
    parted = True
    for entry in entries:
        is_block = isinstance(entry, FoldView) or bool(entry.findings or entry.remarks)
        if is_block and not parted:
            yield Text()
        yield from _one_entry(entry, columns)
        if is_block:
            yield Text()
        parted = is_block
    if entries and not parted:
        yield Text()


def _one_entry(entry: EndpointView | FoldView, columns: Columns) -> Iterator[Text]:
    if isinstance(entry, FoldView):
        yield from _fold_lines(entry, columns.width)
        return
    yield from _head_lines(entry, columns)
    arm_columns = [
        widest(column, _ARM_LIMIT)
        for column in zip(*(_cells(arm) for finding in entry.findings for arm in finding.arms), strict=True)
    ]
    for finding in entry.findings:
        yield from _finding_lines(finding, arm_columns, columns.width)
    for remark in entry.remarks:
        yield from flow(words(remark.text, remark.role), columns.width, start=Text("  "), hanging=2)


def _head_lines(endpoint: EndpointView, columns: Columns) -> Iterator[Text]:
    """Name, figures, conclusion and source on one line; what does not fit goes to the next."""
    figures = styled(_SEPARATOR.join(endpoint.figures))
    head = padded(styled(endpoint.name, "strong"), columns.name) + _GAP + padded(figures, columns.figures)
    source = styled(endpoint.source, "muted")
    conclusion = endpoint.conclusion or None
    told = styled(conclusion.text, conclusion.role) if conclusion else Text()
    for start in (head, _stripped(head)):
        if _fits(columns.width, start, told, source):
            yield _at_the_right(joined([start, told], _GAP), source, columns.width)
            return
    head = _stripped(head)
    if _fits(columns.width, head, source):
        yield _at_the_right(head, source, columns.width)
    else:
        rest = [text for text in (figures, source) if text]
        name = styled(endpoint.name, "strong") + _GAP
        yield from flow(rest, columns.width, start=name, hanging=4, separator=_GAP)
    if conclusion:
        yield from flow(words(conclusion.text, conclusion.role), columns.width, start=Text("    "), hanging=4)


def _stripped(text: Text) -> Text:
    text = text.copy()
    text.rstrip()
    return text


def _fits(width: int, *parts: Text) -> bool:
    present = [part for part in parts if part]
    return joined(present, _GAP).cell_len <= width


def _at_the_right(left: Text, right: Text, width: int) -> Text:
    return padded(left, width - right.cell_len) + right if right else left


def _finding_lines(finding: FindingView, arm_columns: list[int], width: int) -> Iterator[Text]:
    start = Text("  ") + styled(finding.code, "code") + _GAP
    hanging = start.cell_len
    yield from flow(words(finding.problem), width, start=start, hanging=hanging)
    if finding.evidence:
        yield from flow(words(finding.evidence, "muted"), width, start=Text(" " * hanging), hanging=hanging)
    if finding.advice:
        told = [styled("by hand:", "strong"), *words(finding.advice)]
        yield from flow(told, width, start=Text(" " * hanging), hanging=hanging)
    for arm in finding.arms:
        yield from _arm_lines(arm, arm_columns, width)


def _cells(arm: ArmView) -> tuple[str, str, str, str]:
    """The columns of an arm; an outcome without a time stands in the time's place and needs no column."""
    return arm.name, arm.time, arm.outcome.text if arm.time else "", arm.interval if arm.time else ""


def _arm_lines(arm: ArmView, columns: list[int], width: int) -> Iterator[Text]:
    name, *others = columns
    marked = Text(_MARKED[arm.recommended]) + styled(arm.name, "strong")
    start = padded(marked, len(_MARKED[arm.recommended]) + name) + _GAP + _measured(arm, others)
    if start.cell_len > width:
        yield marked
        start = Text(" " * _DEEP) + _measured(arm, [0, 0, 0])
    remarks = [styled(remark.text, remark.role) for remark in arm.remarks]
    yield from flow(remarks, width, start=_stripped(start) + _GAP, hanging=_DEEP, separator=_SEPARATOR)
    if arm.served is not None:
        told = words(arm.served.text, arm.served.role)
        yield from flow(told, width, start=Text(" " * _DEEP), hanging=_DEEP + 2)
    for difference in arm.differences:
        yield from flow(words(difference, "warn"), width, start=Text(" " * _DEEP), hanging=_DEEP + 2)
    for line in arm.edit:
        yield Text(" " * _DEEP) + styled(line.text, line.role)


def _measured(arm: ArmView, columns: list[int]) -> Text:
    time, outcome, interval = columns
    told, bounds = styled(arm.outcome.text, arm.outcome.role), styled(arm.interval, "muted")
    if not arm.time:
        return joined([told, bounds], _GAP)
    return joined([styled(arm.time.rjust(time)), padded(told, outcome), padded(bounds, interval)], _GAP)


def _fold_lines(fold: FoldView, width: int, indent: int = 0) -> Iterator[Text]:
    hanging = indent + 2
    headline = words(fold.headline.text, fold.headline.role)
    lines = flow(headline, width, start=Text(" " * indent), hanging=hanging)
    yield from lines[:-1]
    hint = [styled(fold.hint, "code")] if fold.hint else []
    yield from flow(hint, width, start=lines[-1] + _GAP, hanging=hanging)
    names = [styled(name) for name in fold.names]
    more = [styled(f"and {fold.more} more", "muted")] if fold.more else []
    if names:
        yield from flow(
            [*names, *more], width, start=Text(" " * hanging), hanging=hanging, separator=_SEPARATOR
        )
