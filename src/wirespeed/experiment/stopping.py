"""When the rounds so far decide, and what: the two procedures, as pure functions of the numbers.

What lives here: from log ratios, one a round in the order measured, to a ``Decision``. What it must never
know: how rounds are made, what they cost, and which arm is whose.

*Sequential* looks several times and may stop at each look, for any verdict: its intervals hold at all looks
together, so whichever one it stops at holds. *Confirm* looks once, at many candidates, after a number of
rounds that was fixed before the first.

The cores (``stop_sequentially``, ``confirm``) take arrays with the rounds on the last axis, so the
simulations that prove the error rates run the very code that decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from wirespeed.model._base import Value
from wirespeed.model.verdict import Decision, Estimate, Verdict
from wirespeed.stats import (
    LOOKS,
    FloatArray,
    Interval,
    Look,
    mean_interval,
    pair_rounds,
    rounds_to_reach,
    sequential_bounds,
    sign_flip_p,
    smallest_p,
    t_interval,
)

CROSS_CHECK_FROM = 8
"""Observations from which the sign-flip test checks the last look."""

# e^700 is near the largest double; an interval that wide says nothing in any case.
_LARGEST_LOG_RATIO = 700.0

Verdicts: TypeAlias = NDArray[np.str_]


class ConfirmPlan(Value):
    """What is fixed before the first round. ``pairings``: how often rounds are averaged in pairs."""

    alpha: float = Field(default=0.05, gt=0, lt=1)
    margin: float = Field(default=0.02, gt=0)
    pairings: int = Field(default=0, ge=0)

    @property
    def delta(self) -> float:
        """The margin as a log ratio."""
        return math.log1p(self.margin)


class SequentialPlan(ConfirmPlan):
    """``looks`` are numbers of rounds; see ``looks_within`` for budgets that do not allow 40."""

    looks: tuple[int, ...] = LOOKS

    @property
    def bounds(self) -> tuple[Look, ...]:
        """The bound of each look, counted in observations; looks that hold fewer than two are left out."""
        counts = sorted({rounds >> self.pairings for rounds in self.looks})
        return sequential_bounds(tuple(count for count in counts if count >= 2), self.alpha)


class Stopping(NamedTuple):
    """Where experiments stopped; each array has one entry an experiment.

    ``look`` is the index of the look; an experiment that may go on shows its latest look and
    ``inconclusive``.
    """

    verdict: Verdicts
    look: NDArray[np.intp]
    interval: Interval


def verdicts_of(interval: Interval, delta: float) -> Verdicts:
    """The verdict of each interval of log ratios. Equivalence comes first: a negligible gain is no win."""
    inside = (interval.low > -delta) & (interval.high < delta)
    return np.select(
        [inside, interval.low > 0, interval.high < 0],
        [Verdict.EQUIVALENT.value, Verdict.SLOWER.value, Verdict.FASTER.value],
        default=Verdict.INCONCLUSIVE.value,
    )


def stop_sequentially(observations: FloatArray, bounds: Sequence[Look], delta: float) -> Stopping:
    """Stop each experiment at its first look with a verdict; at least one look must have been reached."""
    count = observations.shape[-1]
    at_looks = [mean_interval(observations[..., : b.rounds], b.t) for b in bounds if b.rounds <= count]
    intervals = Interval(*(np.stack(ends) for ends in zip(*at_looks, strict=True)))
    verdicts = verdicts_of(intervals, delta)
    decided = verdicts != Verdict.INCONCLUSIVE.value
    decided[-1] = True
    first = np.asarray(decided.argmax(axis=0))
    low, mean, high = (np.take_along_axis(ends, first[None], axis=0)[0] for ends in intervals)
    verdict = np.take_along_axis(verdicts, first[None], axis=0)[0]
    return Stopping(np.asarray(verdict), first, Interval(low, mean, high))


def confirm(observations: FloatArray, plan: ConfirmPlan, candidates: int) -> tuple[Verdicts, Interval]:
    """One look at each candidate of a family of ``candidates``."""
    interval = t_interval(observations, plan.alpha, candidates)
    return verdicts_of(interval, plan.delta), interval


def decide_sequentially(log_ratios: Sequence[float], plan: SequentialPlan) -> Decision | None:
    """The decision these rounds support, or None to go on measuring.

    Rounds beyond the look that decides change nothing. After the last look there is always a decision; more
    rounds then need a new experiment, since every error allowed has been spent. Raises ValueError on NaN or
    infinity.
    """
    observations = _observations(log_ratios, plan)
    bounds = plan.bounds
    if observations.size < bounds[0].rounds:
        return None
    decision, is_last = _at_latest_look(observations, plan)
    return None if decision.verdict is Verdict.INCONCLUSIVE and not is_last else decision


def decide_without_more(log_ratios: Sequence[float], plan: SequentialPlan) -> Decision:
    """The decision when no more rounds will come: what the latest look says, which may be nothing.

    Giving up without a verdict spends no error, so this may be done at any time, for any reason. Raises
    ValueError on NaN or infinity.
    """
    observations = _observations(log_ratios, plan)
    first = plan.bounds[0].rounds
    if observations.size < first:
        note = f"ended after {len(log_ratios)} rounds, and the first look is at {first << plan.pairings}"
        return Decision(verdict=Verdict.INCONCLUSIVE, estimate=None, note=note)
    return _at_latest_look(observations, plan)[0]


def estimate_beside(log_ratios: Sequence[float], plan: SequentialPlan) -> Estimate | None:
    """The estimate of a figure that decides nothing, measured in the same rounds; None before the first look.

    It has the bound of the look it is taken at: when to stop was decided by a figure that it hangs together
    with, so that an interval for one look would be too narrow.
    """
    observations = _observations(log_ratios, plan)
    reached = [look for look in plan.bounds if look.rounds <= observations.size]
    if not reached:
        return None
    return _estimate(mean_interval(observations[: reached[-1].rounds], reached[-1].t))


def _at_latest_look(observations: FloatArray, plan: SequentialPlan) -> tuple[Decision, bool]:
    """The decision at the first look that decides, else at the latest; and whether that is the last one."""
    bounds = plan.bounds
    stopping = stop_sequentially(observations, bounds, plan.delta)
    look, is_last = bounds[int(stopping.look)], int(stopping.look) == len(bounds) - 1
    verdict = Verdict(str(stopping.verdict))
    seen = observations[: look.rounds]
    return _decision(verdict, stopping.interval, seen, plan, level=look.level, cross_check=is_last), is_last


def decide_candidates(log_ratios: Sequence[Sequence[float]], plan: ConfirmPlan) -> tuple[Decision, ...]:
    """The decisions on all candidates of a table, one sequence of rounds each.

    Pass every comparison whose verdict will be read, in one call: their number is what α is divided by, and
    it counts those without rounds too. Raises ValueError on NaN or infinity.
    """
    return tuple(_decide_candidate(rounds, plan, len(log_ratios)) for rounds in log_ratios)


def estimate_of(log_ratios: Sequence[float], plan: ConfirmPlan, candidates: int) -> Estimate | None:
    """The ratio with its interval for one look, or None where there are too few rounds for a spread."""
    observations = _observations(log_ratios, plan)
    if observations.size < 2:
        return None
    return _estimate(t_interval(observations, plan.alpha, candidates))


def clears_margin(estimate: Estimate, margin: float) -> bool:
    """Whether the whole interval is better than the margin: what a recommended remedy must show."""
    return estimate.interval[1] < 1 / (1 + margin)


def _decide_candidate(log_ratios: Sequence[float], plan: ConfirmPlan, candidates: int) -> Decision:
    observations = _observations(log_ratios, plan)
    if observations.size < 2:
        return _undecidable(len(log_ratios), plan)
    verdict, interval = confirm(observations, plan, candidates)
    level = plan.alpha / candidates
    return _decision(Verdict(str(verdict)), interval, observations, plan, level=level, cross_check=True)


def _undecidable(rounds: int, plan: ConfirmPlan) -> Decision:
    if rounds == 0:
        return Decision(verdict=Verdict.INVALID, estimate=None, note="no round was measured")
    needed = 2 << plan.pairings
    measured = "only one round was measured" if rounds == 1 else f"only {rounds} rounds were measured"
    note = f"{measured}: no spread to judge by, which takes {needed} at the very least"
    return Decision(verdict=Verdict.INCONCLUSIVE, estimate=None, note=note)


def _decision(
    verdict: Verdict,
    interval: Interval,
    observations: FloatArray,
    plan: ConfirmPlan,
    *,
    level: float,
    cross_check: bool,
) -> Decision:
    notes = [
        "real but negligible" if verdict is Verdict.EQUIVALENT and _excludes_zero(interval) else None,
        _disagreement(observations, interval, level) if cross_check else None,
    ]
    return Decision(
        verdict=verdict,
        estimate=_estimate(interval),
        note="; ".join(note for note in notes if note) or None,
        rounds_needed=_rounds_needed(observations, plan, level) if verdict is Verdict.INCONCLUSIVE else None,
    )


def _rounds_needed(observations: FloatArray, plan: ConfirmPlan, level: float) -> int:
    """Rounds that would probably decide if mean and spread stayed as they are.

    The interval may either shrink off 0 or shrink into the margin; whichever comes first.
    """
    mean = abs(float(observations.mean()))
    nearest = max(mean, plan.delta - mean)
    return rounds_to_reach(nearest, float(observations.std(ddof=1)), level) << plan.pairings


def _disagreement(observations: FloatArray, interval: Interval, level: float) -> str | None:
    """What the sign-flip test says against the interval; None when it agrees, or is too coarse to say."""
    if observations.size < CROSS_CHECK_FROM or smallest_p(observations.size) > level:
        return None
    p = sign_flip_p(observations)
    if _excludes_zero(interval) == (p <= level):
        return None
    finding = "sees a difference" if p <= level else "does not confirm the difference"
    return f"a sign-flip test {finding} (p = {p:.2g}, level {level:.2g})"


def _excludes_zero(interval: Interval) -> bool:
    return bool(interval.low > 0 or interval.high < 0)


def _estimate(interval: Interval) -> Estimate:
    low, mean, high = (math.exp(min(float(end), _LARGEST_LOG_RATIO)) for end in interval)
    return Estimate(ratio=mean, interval=(low, high))


def _observations(log_ratios: Sequence[float], plan: ConfirmPlan) -> FloatArray:
    rounds = np.asarray(log_ratios, dtype=float)
    if not np.isfinite(rounds).all():
        raise ValueError("a round without a finite log ratio is invalid, and no evidence")
    return pair_rounds(rounds, plan.pairings)
