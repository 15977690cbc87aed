"""From a search, finished or broken off, to what may be said. Pure.

Everything is derived from the comparisons' intervals, so it is wrong only where one of them is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.model.bisection import Kind, Likeness, Outcome, Place

from .changes import NOTHING, Change, Share, share_of
from .search import Compared, Search


@dataclass(frozen=True, slots=True)
class Step:
    """The change from a release to a later one, with none between them that was measured."""

    earlier: int
    later: int
    change: Change
    share: Share
    """Of the whole change."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    outcome: Outcome
    whole: Change | None
    """From the first end to the last."""
    found: Step | None
    """What the search narrowed it down to; None where the ends are not known to differ."""
    is_direct: bool
    """Whether nothing between the two releases found is left to try, and they were measured beside each
    other."""
    steps: tuple[Step, ...] = ()
    """All that the whole falls into, the largest first."""
    levels: tuple[tuple[int, Change], ...] = ()
    """Of each measured release, in their order: its change from the first end."""


def conclude(search: Search) -> Conclusion:
    whole = search.whole
    if search.ends is None or whole is None or search.ends.likeness is not Likeness.DIFFERENT:
        same = search.ends is not None and search.ends.likeness is Likeness.SAME
        outcome = Outcome.NONE if same else Outcome.INCONCLUSIVE
        return Conclusion(outcome, whole, None, False, levels=tuple(_levels(search)))
    steps = [_step(pair, change, whole) for pair, change in _parts(search).items()]
    found = next(step for step in steps if (step.earlier, step.later) == (search.left, search.right))
    is_direct = search.task() is None and search.compared[-1].task.kind is not Kind.MIDDLE
    return Conclusion(
        outcome=_outcome(search, found, is_direct=is_direct),
        whole=whole,
        found=found,
        is_direct=is_direct,
        steps=tuple(sorted(steps, key=lambda step: -abs(step.change.mean))),
        levels=tuple(_levels(search)),
    )


def _outcome(search: Search, found: Step, *, is_direct: bool) -> Outcome:
    if found.share.high <= 0.5:
        return Outcome.GRADUAL
    if not is_direct or found.change.least <= search.standard.delta:
        return Outcome.INCONCLUSIVE
    several = any(each.ruling.place is Place.NEITHER for each in _middles(search))
    return Outcome.SEVERAL if several else Outcome.RELEASE


def _middles(search: Search) -> Iterator[Compared]:
    return (each for each in search.compared if each.task.kind is Kind.MIDDLE)


def _parts(search: Search) -> dict[tuple[int, int], Change]:
    """The change of every range that the measured releases leave, in the order of the search."""
    assert search.whole is not None
    parts = {(0, search.last): search.whole}
    for each in search.compared[1:]:
        if each.changes is None:
            continue
        if each.task.kind is Kind.STEP:
            parts[_pair(each)] = each.changes[0]
        elif each.side is not None:
            middle, left, right = each.task.arms
            del parts[left, right]
            parts[left, middle], parts[middle, right] = each.changes
    return parts


def _pair(compared: Compared) -> tuple[int, int]:
    earlier, later = compared.task.arms
    return earlier, later


def _levels(search: Search) -> Iterator[tuple[int, Change]]:
    """The change from the first end to each release: along the ranges, by the shorter of both ways to it."""
    levels = {0: NOTHING}
    if search.whole is not None:
        levels[search.last] = search.whole
    for each in _middles(search):
        if each.changes is not None:
            middle, left, right = each.task.arms
            before, after = each.changes
            ways = before.after(levels[left]), after.reversed().after(levels[right])
            levels[middle] = min(ways, key=lambda change: change.high - change.low)
    return iter(sorted(levels.items()))


def _step(pair: tuple[int, int], change: Change, whole: Change) -> Step:
    share = Share(1.0, 1.0) if change == whole else share_of(change, whole)
    return Step(*pair, change, share)
