"""Rounds that remember the round before: how to notice, and what to do.

Every bound takes rounds as independent. With a lag-1 autocorrelation ρ of 0.3, equals are called different
17 % of the time instead of 5 %. Estimating ρ from the rounds of one experiment does not repair that: 40
rounds give ρ no better than ±0.3. So it is measured once, on many rounds of equals, for the machine.

Averaging neighbours in pairs leaves ρ(1+ρ)/2 between the pairs: of 0.3 still 0.2, and 11 % false alarms. So
pairs are paired again where the first pairing was not enough (8 %, what the tolerated ρ of 0.1 gives too).
"""

from __future__ import annotations

import numpy as np

from ._distributions import FloatArray

TOLERATED = 0.1
"""Lag-1 autocorrelation up to which rounds are taken as independent."""

CALIBRATION_ROUNDS = 200
"""Rounds from which the autocorrelation is known to ±0.14 (95 %)."""

MOST_PAIRINGS = 2
"""A third would leave 5 observations of 40 rounds."""


def lag1_autocorrelation(log_ratios: FloatArray) -> float:
    """ρ of neighbouring rounds, in the order they were measured.

    Raises ValueError when there are fewer than 3 rounds or all are equal.
    """
    if log_ratios.size < 3 or np.ptp(log_ratios) == 0:
        raise ValueError("rounds without spread have no autocorrelation")
    deviations = log_ratios - log_ratios.mean()
    return float(deviations[1:] @ deviations[:-1]) / float(deviations @ deviations)


def pairings_needed(calibration: FloatArray) -> int:
    """How often to average this machine's rounds in pairs (0, 1, 2), from at least 200 rounds of equals."""
    if calibration.size < CALIBRATION_ROUNDS:
        raise ValueError(f"{calibration.size} rounds do not show autocorrelation; {CALIBRATION_ROUNDS} do")
    for pairings in range(MOST_PAIRINGS):
        if lag1_autocorrelation(pair_rounds(calibration, pairings)) <= TOLERATED:
            return pairings
    return MOST_PAIRINGS


def pair_rounds(log_ratios: FloatArray, times: int = 1) -> FloatArray:
    """Means of 2^times neighbouring rounds on the last axis; an incomplete last group is left out."""
    group = 2**times
    groups = log_ratios.shape[-1] // group
    grouped = log_ratios[..., : groups * group].reshape(*log_ratios.shape[:-1], groups, group)
    means: FloatArray = grouped.mean(axis=-1)
    return means
