"""What a comparison says, read from its intervals alone. Pure.

Ends are the same, different, or neither is proven. A release in the middle belongs with the earlier end, with
the later one, or with neither; and the larger change lies before it or after it.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.model.bisection import Likeness, Place, Side

from .changes import Change


@dataclass(frozen=True, slots=True)
class Ruling:
    """About a release in the middle; None for what is not proven."""

    place: Place | None
    larger: Side | None


def likeness(change: Change, delta: float) -> Likeness | None:
    """Wholly within the margin, wholly beyond it, or not proven."""
    if change.most < delta:
        return Likeness.SAME
    return Likeness.DIFFERENT if change.least > delta else None


def rule(before: Change, after: Change, delta: float, near: float) -> Ruling:
    """What is proven of a release by the changes ``before`` it, from the earlier end, and ``after`` it.

    It belongs with an end that it is nearer to than to the other, by no more than ``near``: the margin, or
    more where the whole change is large, for then a small rest need not be excluded at every step.
    """
    larger = _larger(before, after)
    if larger is Side.AFTER and before.most < near:
        return Ruling(Place.EARLIER, larger)
    if larger is Side.BEFORE and after.most < near:
        return Ruling(Place.LATER, larger)
    return Ruling(Place.NEITHER if min(before.least, after.least) > delta else None, larger)


def is_settled(ruling: Ruling, before: Change, after: Change, near: float) -> bool:
    """Whether more rounds would change nothing that matters: the place is known, and the side to go on with.

    Of two changes of about the same size either will do.
    """
    about_equal = max(before.most - after.least, after.most - before.least) < near
    return ruling.place is not None and (ruling.larger is not None or about_equal)


def _larger(before: Change, after: Change) -> Side | None:
    if before.most < after.least:
        return Side.AFTER
    return Side.BEFORE if after.most < before.least else None
