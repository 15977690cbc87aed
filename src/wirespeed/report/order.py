"""What a developer reads first, and how much of it.

Remedies by the time they save, then what is faster with a catch, what the numbers could not decide, where no
remedy helps, and last what failed or is fast. Every kind has room for some endpoints in full and some on one
line; the rest is folded into a sentence, so that an app of two hundred endpoints still fits a few screens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from enum import Enum, auto
from sys import maxsize
from typing import NamedTuple

from wirespeed.model.advice import Advice, Endpoint
from wirespeed.model.verdict import Verdict

from .arms import in_reading_order
from .endpoints import (
    best_ratio,
    conclusion_line,
    conclusion_span,
    endpoint_name,
    full_view,
    gain_line,
    has_untried_advice,
    sentence,
)
from .numbers import duration, speed
from .shared import SharedChange, saved_ns, set_apart, shared_view
from .text import Role, Span, clean
from .tree import EndpointView, FoldView

Entry = EndpointView | FoldView

NAMES_IN_A_FOLD = 10
_ALIKE = 4
"""From this many on, endpoints that are alike are told together."""


class Standing(Enum):
    """Kinds of endpoints, in reading order."""

    REMEDY = auto()
    CATCH = auto()
    UNDECIDED = auto()
    ELSEWHERE = auto()
    FAILED = auto()
    UNSAFE = auto()
    FAST = auto()


class Room(NamedTuple):
    full: int
    lines: int


ROOM = {
    Standing.REMEDY: Room(full=6, lines=20),
    Standing.CATCH: Room(full=5, lines=10),
    Standing.UNDECIDED: Room(full=5, lines=5),
    Standing.ELSEWHERE: Room(full=10, lines=0),
    Standing.FAILED: Room(full=0, lines=8),
    Standing.UNSAFE: Room(full=0, lines=8),
    Standing.FAST: Room(full=0, lines=8),
}
NO_LIMIT = Room(full=maxsize, lines=0)

_FOLDED = {
    Standing.REMEDY: "have a remedy",
    Standing.CATCH: "have a faster arm that is not recommended",
    Standing.UNDECIDED: "are undecided",
    Standing.ELSEWHERE: "have no remedy that helps",
    Standing.FAILED: "failed",
    Standing.UNSAFE: "were called once because they act",
    Standing.FAST: "have nothing to gain",
}


def entries(advice: Advice, *, everything: bool = False) -> tuple[Entry, ...]:
    """What the report says about endpoints, in reading order; ``everything`` folds nothing."""
    return tuple(_entries(advice, everything))


def _entries(advice: Advice, everything: bool) -> Iterator[Entry]:
    changes, endpoints = set_apart(advice.endpoints)
    by_standing: dict[Standing, list[Endpoint]] = defaultdict(list)
    for endpoint in endpoints:
        by_standing[standing(endpoint)].append(endpoint)
    margin = advice.plan.margin
    yield from _remedies(changes, by_standing[Standing.REMEDY], margin, everything)
    for kind in (Standing.CATCH, Standing.UNDECIDED, Standing.ELSEWHERE):
        yield from _with_room(kind, by_standing[kind], margin, everything)
    for kind in (Standing.FAILED, Standing.UNSAFE, Standing.FAST):
        yield from _gathered(kind, by_standing[kind], margin, everything)


def standing(endpoint: Endpoint) -> Standing:
    if any(arm.recommended for arm in endpoint.arms):
        return Standing.REMEDY
    if any(arm.verdict is Verdict.FASTER for arm in endpoint.arms):
        return Standing.CATCH
    match endpoint.conclusion:
        case "failed":
            return Standing.FAILED
        case "unsafe":
            return Standing.UNSAFE
        case "undecided":
            return Standing.UNDECIDED
        case "elsewhere" if any(arm.verdict is Verdict.INCONCLUSIVE for arm in endpoint.arms):
            return Standing.UNDECIDED
        case "fast" if not has_untried_advice(endpoint):
            return Standing.FAST
        case _:
            return Standing.ELSEWHERE


def _remedies(
    changes: Sequence[SharedChange], endpoints: Sequence[Endpoint], margin: float, everything: bool
) -> Iterator[Entry]:
    """Shared changes stand among the endpoints told in full, by what they save altogether."""
    ordered = _slowest_first(Standing.REMEDY, endpoints)
    views = list(_with_room(Standing.REMEDY, ordered, margin, everything))
    savings = [_best_saving(endpoint) for endpoint in ordered[: ROOM[Standing.REMEDY].full]]
    for change in sorted(changes, key=lambda change: -change.saved_ns):
        place = sum(saving > change.saved_ns for saving in savings)
        yield from views[:place]
        views, savings = views[place:], savings[place:]
        yield shared_view(change, every_line=everything)
    yield from views


def _with_room(
    kind: Standing, endpoints: Sequence[Endpoint], margin: float, everything: bool
) -> Iterator[Entry]:
    room = NO_LIMIT if everything else ROOM[kind]
    ordered = _slowest_first(kind, endpoints)
    in_full, rest = ordered[: room.full], ordered[room.full :]
    # Folding a single one away would save nothing.
    on_lines, folded = (rest, []) if len(rest) <= room.lines + 1 else (rest[: room.lines], rest[room.lines :])
    yield from (full_view(endpoint, margin, every_line=everything) for endpoint in in_full)
    one_line = gain_line if kind in (Standing.REMEDY, Standing.CATCH) else conclusion_line
    yield from map(one_line, on_lines)
    if folded:
        yield _fold_view(f"{len(folded)} more{_limit(folded)} {_FOLDED[kind]}", kind, folded)


def _gathered(
    kind: Standing, endpoints: Sequence[Endpoint], margin: float, everything: bool
) -> Iterator[Entry]:
    """Those that are alike are told together where they are many."""
    if everything:
        yield from _with_room(kind, endpoints, margin, everything)
        return
    alike: dict[Hashable, list[Endpoint]] = defaultdict(list)
    for endpoint in endpoints:
        alike[_likeness(kind, endpoint)].append(endpoint)
    few = [endpoint for group in alike.values() if len(group) < _ALIKE for endpoint in group]
    yield from _with_room(kind, few, margin, everything)
    for group in alike.values():
        if len(group) >= _ALIKE:
            yield _told_together(kind, group)


def _likeness(kind: Standing, endpoint: Endpoint) -> Hashable:
    """Notes may name each path and do not count, but what a GET does beside answering is worth a line."""
    told = conclusion_span if kind is Standing.UNSAFE else sentence
    return told(endpoint).text


def _slowest_first(kind: Standing, endpoints: Sequence[Endpoint]) -> list[Endpoint]:
    """By the time that could be saved, where an arm saves some; else advice first, then by time."""
    if kind in (Standing.REMEDY, Standing.CATCH):
        return sorted(endpoints, key=lambda endpoint: -_best_saving(endpoint))
    return sorted(endpoints, key=lambda e: (not has_untried_advice(e), -(e.whole_ns or 0)))


def _best_saving(endpoint: Endpoint) -> float:
    return saved_ns(endpoint, in_reading_order(endpoint.arms)[0])


def _limit(endpoints: list[Endpoint]) -> str:
    times = [endpoint.whole_ns for endpoint in endpoints if endpoint.whole_ns is not None]
    return f", none above {duration(max(times))}," if times else ""


def _told_together(kind: Standing, endpoints: list[Endpoint]) -> FoldView:
    verb = {Standing.FAST: "are ", Standing.UNSAFE: "were "}.get(kind, "")
    ordered = _slowest_first(kind, endpoints)
    first = ordered[0]
    same_note = len({endpoint.note for endpoint in endpoints}) == 1
    told = conclusion_span(first) if same_note else sentence(first)
    hint = f"for example {endpoint_name(first)}: {clean(first.note)}" if first.note and not same_note else ""
    return _fold_view(f"{len(endpoints)} endpoints {verb}{told.text}", kind, ordered, told.role, hint)


def _fold_view(
    headline: str, kind: Standing, endpoints: list[Endpoint], role: Role = "plain", hint: str = ""
) -> FoldView:
    return FoldView(
        headline=Span(headline, role),
        names=tuple(_name_with_figure(kind, endpoint) for endpoint in endpoints[:NAMES_IN_A_FOLD]),
        more=max(0, len(endpoints) - NAMES_IN_A_FOLD),
        hint=hint,
    )


def _name_with_figure(kind: Standing, endpoint: Endpoint) -> str:
    name = endpoint_name(endpoint)
    if kind in (Standing.REMEDY, Standing.CATCH):
        return f"{name} {speed(best_ratio(endpoint))}"
    return name if endpoint.whole_ns is None else f"{name} {duration(endpoint.whole_ns)}"
