"""Bounds for looking at growing evidence several times and being wrong only α of the time altogether.

The score of the rounds so far is followed like a random walk that starts at 0 and gains variance t = n/N, the
share of the planned rounds. An error-spending function says how much of α may be used up by each look; the
bound of a look is the height at which the walks still inside cross with exactly the probability granted to
that look.

Sources: the recursion is Armitage, McPherson and Rowe (1969), "Repeated significance tests on accumulating
data"; spending is Lan and DeMets (1983), "Discrete sequential boundaries for clinical trials", with their
functions of the O'Brien-Fleming type (``late``) and of the Pocock type (``early``).

Nothing here knows what a round measured; see docs/decisions/0002-sequential-bounds.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np

from ._distributions import FloatArray, normal_tail, normal_tail_quantile, t_tail_quantile

LOOKS = (8, 14, 20, 26, 32, 40)
"""Rounds after which a comparison may stop."""

Spending = Literal["late", "early"]
"""When α is used up: ``late`` keeps nearly all of it for the last look, which is then hardly stricter than a
single one; ``early`` grants the first looks their share, for experiments that mostly end at one of them.
"""

FIRST_LOOK_AT_LEAST = 6
ROUNDS_BETWEEN_LOOKS_AT_LEAST = 3
LOOKS_AT_MOST = 6

# Farther out lies less than 1e-22: no look that is granted so little can be of use.
_FARTHEST_Z = 10.0
_NODES_PER_STEP = 8


@dataclass(frozen=True, slots=True)
class Look:
    """One look: after how many rounds, and how many standard errors off the mean a value is excluded.

    ``z`` holds for a known spread, ``t`` for one estimated from these rounds (same p-value, rounds - 1
    degrees of freedom). Both are infinite where the look is granted less error than a double can hold.
    """

    rounds: int
    z: float
    t: float

    @property
    def level(self) -> float:
        """The two-sided p-value at which this look, taken alone, excludes a value."""
        return 2 * float(normal_tail(self.z))


@lru_cache(maxsize=64)
def sequential_bounds(
    looks: tuple[int, ...] = LOOKS, alpha: float = 0.05, spending: Spending = "late"
) -> tuple[Look, ...]:
    """The bounds of all ``looks`` (rounds, increasing), two-sided, together wrong with probability ``alpha``.

    Raises ValueError when the looks do not increase, begin below 2 rounds, or alpha is not between 0 and 1.
    """
    _check(looks, alpha)
    fractions = np.array(looks) / looks[-1]
    spent = spent_alpha if spending == "late" else early_spent_alpha
    heights = z_bounds(fractions, spent(fractions, alpha))
    return tuple(
        Look(rounds, z, t_tail_quantile(float(normal_tail(z)), rounds - 1))
        for rounds, z in zip(looks, heights, strict=True)
    )


def looks_within(rounds: int) -> tuple[int, ...]:
    """When to look if the budget allows ``rounds`` rounds: 12 gives (6, 9, 12), 40 and more give ``LOOKS``.

    The last look takes everything the budget allows; earlier ones lie an equal step before each other.
    """
    if rounds < 2:
        raise ValueError(f"{rounds} rounds have no spread to look at")
    if rounds >= LOOKS[-1]:
        return LOOKS
    step = max(ROUNDS_BETWEEN_LOOKS_AT_LEAST, math.ceil(rounds / LOOKS_AT_MOST))
    earlier = range(rounds - step, FIRST_LOOK_AT_LEAST - 1, -step)
    return (*reversed(earlier), rounds)


def spent_alpha(fractions: FloatArray, alpha: float) -> FloatArray:
    """α*(t) = 2 - 2Φ(z_{α/2}/√t): the error used up once the share t of the rounds is in."""
    spent: FloatArray = 2 * normal_tail(normal_tail_quantile(alpha / 2) / np.sqrt(fractions))
    return spent


def early_spent_alpha(fractions: FloatArray, alpha: float) -> FloatArray:
    """α*(t) = α ln(1 + (e - 1)t): the error used up once the share t of the rounds is in."""
    spent: FloatArray = alpha * np.log1p((math.e - 1) * fractions)
    return spent


def z_bounds(fractions: FloatArray, spent: FloatArray) -> list[float]:
    """The z-bound of each look, given the share of the rounds that is in and the α used up by then.

    The walks still inside are kept as masses on a grid: one mass at 0 before the first look, then
    Gauss-Legendre nodes between the bounds of the look before.
    """
    walks = _Walks(at=np.zeros(1), mass=np.ones(1))
    steps = np.sqrt(np.diff(fractions, prepend=0.0))
    bounds = []
    for fraction, step, granted in zip(fractions, steps, np.diff(spent, prepend=0.0), strict=True):
        farthest = _FARTHEST_Z * math.sqrt(fraction)
        height = _height_crossed_with(granted, walks, step, farthest)
        bounds.append(height / math.sqrt(fraction))
        walks = _continue_inside(min(height, farthest), walks, step, finest=float(steps.min()))
    return bounds


@dataclass(frozen=True, slots=True)
class _Walks:
    """Where the walks that have crossed no bound stand, and how much probability stands there."""

    at: FloatArray
    mass: FloatArray


def _height_crossed_with(probability: float, walks: _Walks, step: float, farthest: float) -> float:
    """The height b with P(|next position| >= b) = probability, by bisection; infinite beyond ``farthest``."""
    if _crossing(farthest, walks, step) >= probability:
        return math.inf
    low, high = 0.0, farthest
    while high - low > 1e-13 * farthest:
        middle = (low + high) / 2
        if _crossing(middle, walks, step) > probability:
            low = middle
        else:
            high = middle
    return high


def _crossing(height: float, walks: _Walks, step: float) -> float:
    above = normal_tail((height - walks.at) / step)
    below = normal_tail((height + walks.at) / step)
    return float(walks.mass @ (above + below))


def _continue_inside(height: float, walks: _Walks, step: float, finest: float) -> _Walks:
    """The walks after one more step, of which only those between -height and height go on."""
    at, weights = _nodes(height, finest)
    distance = (at[:, None] - walks.at[None, :]) / step
    density = np.exp(-0.5 * distance**2) / (step * math.sqrt(2 * math.pi))
    return _Walks(at=at, mass=weights * (density @ walks.mass))


def _nodes(height: float, finest: float) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights on panels no wider than the finest step, which the kernel resolves."""
    node, weight = np.polynomial.legendre.leggauss(_NODES_PER_STEP)
    edges = np.linspace(-height, height, math.ceil(2 * height / finest) + 1)
    half = np.diff(edges)[:, None] / 2
    at = (edges[:-1, None] + half) + half * node
    return at.ravel(), (half * weight).ravel()


def _check(looks: Sequence[int], alpha: float) -> None:
    if not looks or looks[0] < 2 or any(later <= earlier for earlier, later in pairwise(looks)):
        raise ValueError(f"looks must increase and begin at 2 rounds or more, not {looks}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha}")
