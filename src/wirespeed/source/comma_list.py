"""Taking items out of a list of arguments or imported names, with the commas and line breaks they leave over.

Pure offsets: LibCST has told where the items stand, the rest is text. Comments on lines of their own stay,
wherever they stand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_REST_OF_LINE = re.compile(r"[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n)")
_START_OF_LINE = re.compile(r"(?:^|[\r\n])([ \t\f]*)\Z")

Gap = tuple[int, int]
"""(start, end) of text that goes."""


@dataclass(frozen=True, order=True)
class Item:
    start: int
    end: int
    stop: int
    """Behind its comma, or ``end`` where it has none."""


@dataclass(frozen=True)
class CommaList:
    """What stands between ``open`` and ``close``. Without brackets, a comma may not be the last thing."""

    items: tuple[Item, ...]
    open: int
    close: int
    in_brackets: bool = True


def take_out(text: str, listed: CommaList, gone: Collection[Item]) -> list[Gap]:
    """What to delete so that ``gone`` go and the others stay. Without brackets, some item must stay.

    An item that has its lines for itself takes them along, with the comment behind it.
    """
    gaps: list[Gap] = []
    if len(gone) == len(listed.items) and not _has_comment(text, _between(listed)):
        return [(listed.open, listed.close)]
    alone = {item: lines for item in gone if (lines := _own_lines(text, listed, item.start, item.stop))}
    gaps += alone.values()
    for run in _runs(listed.items, set(gone) - set(alone), kept=set(listed.items) - set(gone)):
        gaps += _take_out_run(text, listed, run)
    return merge(gaps)


def merge(gaps: Sequence[Gap]) -> list[Gap]:
    """The same text in gaps that do not overlap, in order."""
    merged: list[Gap] = []
    for start, end in sorted(gaps):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


@dataclass(frozen=True)
class _Run:
    """Neighbours that go, and the items left and right of them that stay."""

    items: tuple[Item, ...]
    before: Item | None
    after: Item | None


def _runs(items: Sequence[Item], gone: set[Item], kept: set[Item]) -> Iterator[_Run]:
    run: list[Item] = []
    before: Item | None = None
    for item in items:
        if item in gone:
            run.append(item)
        elif item in kept:
            if run:
                yield _Run(tuple(run), before, item)
            run, before = [], item
    if run:
        yield _Run(tuple(run), before, None)


def _take_out_run(text: str, listed: CommaList, run: _Run) -> list[Gap]:
    first, last = run.items[0], run.items[-1]
    before, after = run.before, run.after
    inside = [(left.stop, right.start) for left, right in pairwise(run.items)]
    if _has_comment(text, inside):
        alone = [
            _Run((item,), before if item is first else None, after if item is last else None)
            for item in run.items
        ]
        return [gap for each in alone for gap in _take_out_run(text, listed, each)]
    if lines := _own_lines(text, listed, first.start, last.stop):
        return [lines]
    if before is not None and _is_clear(text, before.stop, first.start, across_lines=after is None):
        has_last_comma = last.stop > last.end
        ends_list = after is None and not (has_last_comma and listed.in_brackets)
        return [(before.end if ends_list else before.stop, last.stop)]
    if after is not None and _is_clear(text, last.stop, after.start, across_lines=before is None):
        return [(first.start, after.start)]
    return [(first.start, last.stop)]


def _is_clear(text: str, start: int, end: int, *, across_lines: bool) -> bool:
    """Whether nothing but space stands between two items, so that it can go with one of them."""
    between = text[start:end]
    return "#" not in between and (across_lines or not re.search(r"[\r\n]", between))


def _own_lines(text: str, listed: CommaList, start: int, stop: int) -> Gap | None:
    """From the start of the first line to the end of the last, where nothing else stands on them."""
    indent = _START_OF_LINE.search(text, listed.open, start)
    rest = _REST_OF_LINE.match(text, stop)
    if not listed.in_brackets or indent is None or rest is None:
        return None
    return indent.start(1), rest.end()


def _between(listed: CommaList) -> list[Gap]:
    edges = [listed.open, *(edge for item in listed.items for edge in (item.start, item.stop)), listed.close]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _has_comment(text: str, gaps: Sequence[Gap]) -> bool:
    return any("#" in text[start:end] for start, end in gaps)
