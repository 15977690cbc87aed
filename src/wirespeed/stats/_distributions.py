"""The few distribution functions the statistics need; SciPy is imported here only, and only when called."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]


def normal_tail(z: FloatArray | float) -> FloatArray:
    """P(Z > z), accurate far out."""
    from scipy.special import ndtr  # type: ignore[import-untyped]

    return np.asarray(ndtr(-np.asarray(z, dtype=float)))


def normal_tail_quantile(p: float) -> float:
    """The z with P(Z > z) = p."""
    from scipy.special import ndtri

    return -float(ndtri(p))


def t_tail_quantile(p: float, degrees: float) -> float:
    """The t with P(T > t) = p, T having ``degrees`` degrees of freedom; infinite for p = 0."""
    from scipy.special import stdtrit

    # stdtrit(degrees, 0) is +inf where its limit is -inf.
    return -float(stdtrit(degrees, p)) if p > 0 else math.inf


def t_noncentrality(power: float, critical: float, degrees: int) -> float:
    """The noncentrality at which a t statistic passes ``critical`` with probability ``power``."""
    from scipy.special import nctdtrinc

    return float(nctdtrinc(degrees, 1 - power, critical))
