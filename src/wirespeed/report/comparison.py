"""The view of a comparison on a terminal: layout alone, nothing is worded or rounded here."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from wirespeed.model.comparison import Comparison

from .comparison_view import comparison_view
from .layout import flow, joined, padded, styled, widest, words
from .terminal import WIDEST, print_lines
from .tree import ComparisonView, VerdictView

_GAP, _SEPARATOR = "  ", " · "
_NAME_LIMIT = 40


def print_comparison(comparison: Comparison, console: Console) -> None:
    print_lines(comparison_lines(comparison, min(console.width, WIDEST)), console)


def comparison_lines(comparison: Comparison, width: int) -> Iterator[Text]:
    """The report, line by line, for a terminal of so many cells."""
    view = comparison_view(comparison)
    facts = [styled(fact, "muted") for fact in view.facts]
    title = styled(view.title, "strong") + _GAP
    yield from flow(facts, width, start=title, hanging=2, separator=_SEPARATOR)
    for reason in view.reasons:
        yield from flow(words(reason), width, start=styled("invalid: ", "bad"), hanging=2)
    for warning in view.warnings:
        yield styled(warning.text, warning.role)
    yield Text()
    yield from _table(view)
    yield Text()
    for verdict in view.verdicts:
        yield from _verdict_lines(verdict, width)
    for note in view.notes:
        yield from flow(words(note), width, start=styled("note: ", "muted"), hanging=6)
    for line in view.legend:
        yield from flow(words(line, "muted"), width, hanging=2)


def _table(view: ComparisonView) -> Iterator[Text]:
    """One line an arm."""
    if not view.columns:
        return
    left = widest([row.name for row in view.rows], _NAME_LIMIT)
    columns = zip(*(row.cells for row in view.rows), strict=True)
    widths = [max(len(name), *map(len, column)) for name, column in zip(view.columns, columns, strict=True)]
    yield Text(" " * left) + _cells(view.columns, widths)
    for number, row in enumerate(view.rows):
        figures = padded(Text(row.name), left) + _cells(row.cells, widths)
        yield figures + (styled("  baseline", "muted") if number == 0 else "")


def _cells(cells: tuple[str, ...], widths: list[int]) -> Text:
    return Text("".join(_GAP + cell.rjust(width) for cell, width in zip(cells, widths, strict=True)))


def _verdict_lines(verdict: VerdictView, width: int) -> Iterator[Text]:
    if verdict.outcome:
        start = styled(verdict.arm, "strong") + _GAP
        told = [joined([styled(piece.text, piece.role) for piece in verdict.outcome], "")]
        told += [styled(part, "muted") for part in verdict.beside]
        yield from flow(told, width, start=start, hanging=4, separator=_SEPARATOR)
    if verdict.others:
        others = [Text(other) for other in verdict.others]
        yield from flow(others, width, start=Text("    "), hanging=4, separator=_SEPARATOR)
    for difference in verdict.differences:
        yield Text(f"    {difference}")
