"""The view of a fix on a terminal. Like ``terminal``, it rounds, words and orders nothing."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from .fix import FixView, RemedyView
from .layout import flow, styled, words
from .terminal import WIDEST, print_lines

_SEPARATOR = " · "
_INDENT = 4


def print_fix(view: FixView, console: Console, *, with_diff: bool) -> None:
    print_lines(_lines(view, min(console.width, WIDEST), with_diff), console)


def _lines(view: FixView, width: int, with_diff: bool) -> Iterator[Text]:
    facts = [styled(fact, "muted") for fact in view.facts]
    yield from flow(facts, width, start=styled(view.title, "strong") + "  ", hanging=2, separator=_SEPARATOR)
    yield Text()
    for remedy in view.remedies:
        yield from _remedy_lines(remedy, width)
    if view.remedies:
        yield Text()
    if with_diff and view.diff:
        yield from (styled(line.text, line.role) for line in view.diff)
        yield Text()
    for note in view.notes:
        yield from flow(words(note), width, start=styled("note: ", "muted"), hanging=6)
    yield from flow(words(view.conclusion.text, view.conclusion.role), width)


def _remedy_lines(remedy: RemedyView, width: int) -> Iterator[Text]:
    yield styled(remedy.name, "strong") + "  " + styled(remedy.state.text, remedy.state.role)
    remarks = [styled(remark.text, remark.role) for remark in remedy.remarks]
    yield from flow(remarks, width, start=Text(" " * _INDENT), hanging=_INDENT, separator=_SEPARATOR)
