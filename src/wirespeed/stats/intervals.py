"""Intervals for a mean of log ratios, and what a number of rounds can and cannot show.

All functions take log ratios, ln(arm/baseline), with the rounds on the last axis; leading axes are other
experiments, so that the simulations run through the very code that decides.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import NamedTuple

from ._distributions import FloatArray, t_noncentrality, t_tail_quantile

POWER = 0.8
"""How probable it is that an effect called showable is indeed shown."""

MOST_ROUNDS = 1_000_000


class Interval(NamedTuple):
    """Mean, and the ends of an interval around it, one each per experiment; log ratios."""

    low: FloatArray
    mean: FloatArray
    high: FloatArray


def mean_interval(log_ratios: FloatArray, bound: float) -> Interval:
    """mean ± bound · s/√n over the last axis, which holds n >= 2 rounds; ``bound`` may be infinite."""
    rounds = log_ratios.shape[-1]
    if rounds < 2:
        raise ValueError(f"{rounds} rounds have no spread, so they give no interval")
    mean = log_ratios.mean(axis=-1)
    half = bound * (log_ratios.std(axis=-1, ddof=1) / math.sqrt(rounds))
    return Interval(mean - half, mean, mean + half)


def t_bound(rounds: int, alpha: float, candidates: int = 1) -> float:
    """The two-sided t_{n-1} bound for one look, α shared equally by ``candidates`` (Bonferroni).

    All candidates' intervals then hold together with probability 1 - α or more, however the candidates depend
    on each other; here they share a baseline and a process.
    """
    return t_tail_quantile(alpha / candidates / 2, rounds - 1)


def t_interval(log_ratios: FloatArray, alpha: float, candidates: int = 1) -> Interval:
    """The interval of one candidate of a family, for one look at a number of rounds fixed beforehand."""
    return mean_interval(log_ratios, t_bound(log_ratios.shape[-1], alpha, candidates))


def welch_interval(arm: FloatArray, baseline: FloatArray, alpha: float) -> Interval:
    """The interval of mean(arm) - mean(baseline) for two series of n >= 2 values each that were not paired.

    Welch's t: the series may differ in spread and length (Welch 1947, Biometrika 34; degrees of freedom after
    Satterthwaite). One series at least must vary.
    """
    shares = [series.var(ddof=1) / len(series) for series in (arm, baseline)]
    variance = sum(shares)
    if not variance > 0:
        raise ValueError("series that do not vary have no spread, so they give no interval")
    degrees = variance**2 / sum(
        share**2 / (len(series) - 1) for share, series in zip(shares, (arm, baseline), strict=True)
    )
    mean, half = arm.mean() - baseline.mean(), t_tail_quantile(alpha / 2, degrees) * math.sqrt(variance)
    return Interval(mean - half, mean, mean + half)


def smallest_effect(round_sd: float, rounds: int, alpha: float = 0.05, candidates: int = 1) -> float:
    """The smallest saving, as a share of the baseline's time, that so many rounds show in 80 % of cases.

    ``round_sd`` is the standard deviation of a round's log ratio. "Show" means that the interval excludes 0.
    """
    return -math.expm1(-_showable(round_sd, rounds, t_bound(rounds, alpha, candidates)))


def rounds_to_reach(effect: float, round_sd: float, alpha: float) -> int:
    """How many rounds show an ``effect`` (log ratio, positive) with 80 % probability, at most a million.

    Takes ``round_sd`` for the true spread; from few rounds that is itself a guess, and so is the answer.
    """

    def enough(rounds: int) -> bool:
        return _showable(round_sd, rounds, t_bound(rounds, alpha)) <= effect

    return 2 + bisect_left(range(2, MOST_ROUNDS), True, key=enough)


def _showable(round_sd: float, rounds: int, bound: float) -> float:
    """The log effect at which the noncentral t of the rounds passes the bound with probability ``POWER``."""
    return t_noncentrality(POWER, bound, rounds - 1) * round_sd / math.sqrt(rounds)
