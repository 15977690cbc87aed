"""Changes of time between two releases, as log ratios with intervals, and the bounds they are held to. Pure.

The error that is allowed (α) is shared equally by all comparisons that a bisection may come to, and within
one by its changes (Bonferroni). So all intervals of a bisection hold together with probability 1 - α, at
whichever look each comparison stopped, and what is only concluded from intervals is wrong no more often.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wirespeed.stats import Look, mean_interval, pair_rounds, sequential_bounds


class Change(NamedTuple):
    """ln(later/earlier), its interval around it: below 0 is faster."""

    low: float
    mean: float
    high: float

    @property
    def least(self) -> float:
        """The smallest size it may have; 0 where there may be no change."""
        return max(self.low, -self.high, 0.0)

    @property
    def most(self) -> float:
        """The largest size it may have."""
        return max(self.high, -self.low)

    def reversed(self) -> Change:
        return Change(-self.high, -self.mean, -self.low)

    def after(self, earlier: Change) -> Change:
        """Both together."""
        return Change(earlier.low + self.low, earlier.mean + self.mean, earlier.high + self.high)


NOTHING = Change(0.0, 0.0, 0.0)


class Share(NamedTuple):
    """How much of a whole change one of its parts carries (fractions)."""

    low: float
    high: float


def share_of(part: Change, whole: Change) -> Share:
    """By size; ``whole`` must be a change."""
    return Share(part.least / whole.most, part.most / whole.least)


@dataclass(frozen=True, slots=True)
class Standard:
    """What every comparison of a bisection is held to; fixed before the first."""

    releases: int
    """How many there are, both ends included; two or more."""
    alpha: float
    """How often anything that is concluded may be wrong."""
    margin: float
    """The smallest difference that matters (fraction)."""
    pairings: int = 0
    """How often rounds are averaged in pairs."""

    @property
    def delta(self) -> float:
        """The margin as a log ratio."""
        return math.log1p(self.margin)

    @property
    def comparisons(self) -> int:
        """The most that there can be: see ``comparisons_of``."""
        return comparisons_of(self.releases - 2)

    @property
    def alpha_each(self) -> float:
        return self.alpha / self.comparisons

    def bounds(self, looks: tuple[int, ...], changes: int) -> tuple[Look, ...]:
        """For one of the ``changes`` that a comparison tells at once; looks are counted in observations.

        The error is granted early: what is worth a search mostly is far more than the margin.
        """
        counts = sorted({rounds >> self.pairings for rounds in looks})
        enough = tuple(count for count in counts if count >= 2)
        return sequential_bounds(enough, self.alpha_each / changes, "early")


def comparisons_of(between: int) -> int:
    """The most comparisons for ``between`` releases between the ends: 1 + ⌈log₂(between + 1)⌉ + 1.

    First that of the ends; then one for every halving of what lies between, for the release in the middle of
    those not tried yet leaves at most half of them; last that of the release found with the one before it.
    Without releases between, the first is also the last.
    """
    return 1 if between == 0 else 2 + math.ceil(math.log2(between + 1))


@dataclass(frozen=True, slots=True)
class Evidence:
    """The rounds of one comparison so far: one list of log ratios for each arm but the first."""

    log_ratios: tuple[Sequence[float], ...]

    def changes(self, standard: Standard, looks: tuple[int, ...]) -> tuple[Change, ...] | None:
        """Of each arm against the first, at the latest look; None before the first look."""
        bounds = standard.bounds(looks, len(self.log_ratios))
        found = [_at_latest_look(series, bounds, standard.pairings) for series in self.log_ratios]
        known = tuple(change for change in found if change is not None)
        return known if len(known) == len(found) else None


def _at_latest_look(log_ratios: Sequence[float], bounds: Sequence[Look], pairings: int) -> Change | None:
    observations = pair_rounds(np.asarray(log_ratios, dtype=float), pairings)
    reached = [look for look in bounds if look.rounds <= observations.size]
    if not reached:
        return None
    return Change(*map(float, mean_interval(observations[: reached[-1].rounds], reached[-1].t)))
