"""Pure numbers: when evidence suffices, how much a number of rounds can show, and how times are distributed.

Evidence is log ratios, ln(arm/baseline), one a round, in the order of the rounds. Times are in nanoseconds.
"""

from ._distributions import FloatArray
from .autocorrelation import lag1_autocorrelation, pair_rounds, pairings_needed
from .histogram import Histogram, IntArray
from .intervals import (
    Interval,
    mean_interval,
    rounds_to_reach,
    smallest_effect,
    t_bound,
    t_interval,
    welch_interval,
)
from .sequential import LOOKS, Look, looks_within, sequential_bounds
from .sign_flip import sign_flip_p, smallest_p
from .timeline import Timeline

__all__ = [
    "LOOKS",
    "FloatArray",
    "Histogram",
    "IntArray",
    "Interval",
    "Look",
    "Timeline",
    "lag1_autocorrelation",
    "looks_within",
    "mean_interval",
    "pair_rounds",
    "pairings_needed",
    "rounds_to_reach",
    "sequential_bounds",
    "sign_flip_p",
    "smallest_effect",
    "smallest_p",
    "t_bound",
    "t_interval",
    "welch_interval",
]
