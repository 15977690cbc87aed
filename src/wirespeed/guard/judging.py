"""When the rounds so far decide, and what: pass, fail, or not yet. Pure.

What lives here: from log ratios, one a round in the order measured, to a judgement. What it must never know:
how rounds are made, and which number is whose.

Two mistakes are possible, and they are paid for differently.

*Failing wrongly*: the guard fails where overall or any endpoint does, so all of them share the error α
(Bonferroni): overall, the primary figure, gets a fifth, the endpoints the rest in equal parts. A fifth costs
the endpoints two per cent of the width of their intervals, and keeps overall's share from vanishing among
hundreds of endpoints.

*Passing wrongly*: the guard passes only where overall and every endpoint do. If one of them is too slow, that
one alone must be missed for it, so each may be tested with all of α: an intersection-union test (Berger 1982,
"Multiparameter hypothesis testing and acceptance sampling", Technometrics 24).

A figure is either too slow or not, so at most one of the two can be made, and both are one-sided: the lower
end of an interval is at the first level, the upper end at the second, and each holds at all looks together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pydantic import Field

from wirespeed.model._base import Value
from wirespeed.model.guard import GuardDecision
from wirespeed.stats import FloatArray, mean_interval, pair_rounds, rounds_to_reach
from wirespeed.stats.sequential import sequential_bounds

LOOKS = (6, 8, 10, 12, 15, 19, 24, 30, 40)
"""Rounds after which a guard may stop: early ones lie close, as most of what is guarded has not changed."""
FEWEST_ROUNDS = LOOKS[0]
OVERALL_SHARE = 0.2


def looks_within(rounds: int) -> tuple[int, ...]:
    """The looks of a guard that has time for so many rounds, at least ``FEWEST_ROUNDS``."""
    last = max(FEWEST_ROUNDS, min(LOOKS[-1], rounds))
    return (*(look for look in LOOKS if look < last), last)


class Procedure(Value):
    """All that is fixed before the first round."""

    endpoints: int = Field(ge=1)
    max_slowdown: float = Field(gt=0)
    """The largest slowdown that does not matter (fraction)."""
    looks: tuple[int, ...]
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    pairings: int = Field(default=0, ge=0)
    """How often rounds are averaged in pairs, as this machine's self-check asks for."""

    @property
    def limit(self) -> float:
        """The largest slowdown as a log ratio."""
        return math.log1p(self.max_slowdown)

    @property
    def alpha_overall(self) -> float:
        """One endpoint is itself the mean over endpoints, and needs no second number."""
        return self.alpha if self.endpoints == 1 else self.alpha * OVERALL_SHARE

    @property
    def alpha_endpoint(self) -> float:
        if self.endpoints == 1:
            return self.alpha
        return self.alpha * (1 - OVERALL_SHARE) / self.endpoints

    def bounds(self, alpha_fail: float) -> tuple[Bounds, ...]:
        """Of each look; rounds are counted as they are averaged."""
        counts = tuple(sorted({look >> self.pairings for look in self.looks if look >> self.pairings >= 2}))
        # Bounds are two-sided, and of each only one side is used.
        low = sequential_bounds(counts, 2 * alpha_fail, "early")
        high = sequential_bounds(counts, 2 * self.alpha, "early")
        return tuple(
            Bounds(count, below.t, above.t) for count, below, above in zip(counts, low, high, strict=True)
        )


class Bounds(NamedTuple):
    """Of one look: how many standard errors lie between the mean and each end of the interval."""

    observations: int
    below: float
    above: float


@dataclass(frozen=True)
class Judgement:
    """What rounds say of one figure. Log ratios; ``rounds_needed`` of an inconclusive one."""

    decision: GuardDecision
    mean: float
    low: float
    high: float
    rounds: int
    rounds_needed: int | None = None

    @property
    def ratio(self) -> float:
        return math.exp(self.mean)

    @property
    def interval(self) -> tuple[float, float]:
        return math.exp(self.low), math.exp(self.high)


def judge(log_ratios: Sequence[float], alpha_fail: float, procedure: Procedure) -> Judgement | None:
    """What the first look that decides says, else the latest; None before the first look.

    ``alpha_fail`` is the figure's share of the error. Raises ValueError on NaN or infinity.
    """
    observations = _observations(log_ratios, procedure)
    latest = None
    for bounds in procedure.bounds(alpha_fail):
        if bounds.observations > observations.size:
            break
        latest = _at_look(observations[: bounds.observations], bounds, alpha_fail, procedure)
        if latest.decision is not GuardDecision.INCONCLUSIVE:
            break
    return latest


def is_at_look(rounds: int, procedure: Procedure) -> bool:
    """Whether rounds beyond these would be measured for nothing, unless it is for the next look."""
    return rounds in procedure.looks


def twin_judgement(log_ratios: Sequence[float], alpha: float, procedure: Procedure) -> Judgement | None:
    """Of base against base: ``fail`` where a difference beyond the limit is proven, either way.

    ``pass`` says only that none is. None before the first look. Two-sided at ``alpha``, and at all looks.
    """
    observations = _observations(log_ratios, procedure)
    reached = [each for each in procedure.bounds(alpha / 2) if each.observations <= observations.size]
    if not reached:
        return None
    seen, bound = observations[: reached[-1].observations], reached[-1].below
    low, mean, high = (float(end) for end in mean_interval(seen, bound))
    differs = low > procedure.limit or high < -procedure.limit
    decision = GuardDecision.FAIL if differs else GuardDecision.PASS
    return Judgement(decision, mean, low, high, seen.size << procedure.pairings)


def _at_look(seen: FloatArray, bounds: Bounds, alpha_fail: float, procedure: Procedure) -> Judgement:
    low, mean, _ = (float(end) for end in mean_interval(seen, bounds.below))
    high = float(mean_interval(seen, bounds.above).high)
    rounds = seen.size << procedure.pairings
    if low > procedure.limit:
        return Judgement(GuardDecision.FAIL, mean, low, high, rounds)
    if high < procedure.limit:
        return Judgement(GuardDecision.PASS, mean, low, high, rounds)
    needed = _rounds_needed(seen, alpha_fail, procedure)
    return Judgement(GuardDecision.INCONCLUSIVE, mean, low, high, rounds, needed)


def _rounds_needed(seen: FloatArray, alpha_fail: float, procedure: Procedure) -> int:
    """Rounds that would probably decide, to the side where the mean lies now."""
    distance = float(seen.mean()) - procedure.limit
    level = alpha_fail if distance > 0 else procedure.alpha
    # Nothing decides a figure that lies on the limit; a millionth is as good as on it.
    effect = max(abs(distance), 1e-6)
    return rounds_to_reach(effect, float(seen.std(ddof=1)), 2 * level) << procedure.pairings


def _observations(log_ratios: Sequence[float], procedure: Procedure) -> FloatArray:
    rounds = np.asarray(log_ratios, dtype=float)
    if not np.isfinite(rounds).all():
        raise ValueError("a round without a finite log ratio is no evidence")
    return pair_rounds(rounds, procedure.pairings)
