"""A test that needs no normal distribution: if nothing differs, each round's sign might as well be the other.

Under the null hypothesis the log ratios are symmetric around 0, so all 2ⁿ ways to flip their signs were
equally probable; the p-value is the share of flips whose sum lies at least as far from 0 as the measured one
(Fisher, The Design of Experiments, 1935, §21).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._distributions import FloatArray

EXACT_UP_TO = 20
"""Rounds up to which all flips are counted: half a million sums."""

_DRAWS = 100_000
# Sums of the same numbers in another order differ in their last bits; they count as equally far.
_ROUNDING = 1e-12


def sign_flip_p(log_ratios: Sequence[float] | FloatArray, seed: int = 0) -> float:
    """Two-sided p-value of "the mean log ratio is 0": exact up to 20 rounds, else from 100,000 seeded flips.

    The measured signs count as one of the drawn flips, so p is never 0 and never too small on average
    (Phipson and Smyth, 2010, "Permutation p-values should never be zero").
    """
    x = np.asarray(log_ratios, dtype=float)
    if x.size == 0:
        raise ValueError("no rounds to flip")
    far = abs(x.sum()) - _ROUNDING * np.abs(x).sum()
    if x.size <= EXACT_UP_TO:
        return float(np.mean(np.abs(_all_sums(x)) >= far))
    beyond = int(np.count_nonzero(np.abs(_drawn_sums(x, seed)) >= far))
    return (1 + beyond) / (1 + _DRAWS)


def smallest_p(rounds: int) -> float:
    """The smallest p-value that so few rounds can reach: all on one side, in either direction."""
    return float(2.0 ** (1 - rounds))


def _all_sums(x: FloatArray) -> FloatArray:
    """Sums of every flip that leaves the first sign alone; the others are their mirror images."""
    sums = x[:1]
    for value in x[1:]:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def _drawn_sums(x: FloatArray, seed: int) -> FloatArray:
    signs = np.random.default_rng(seed).integers(0, 2, size=(_DRAWS, x.size), dtype=np.int8) * 2 - 1
    sums: FloatArray = signs @ x
    return sums
