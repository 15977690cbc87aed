"""How long each request is measured in a round, fixed before the first. Pure.

A round costs a start of three processes, and endpoints differ more from process to process than from run to
run. So a round measures about as long as it starts, and what time there is goes into more runs, not into
longer ones: where others share the machine, its speed changes within tens of milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wirespeed.experiment.design import Run, round_log_ratios, run_length

from .trio import BASE, HEAD, HOSTS, SLOW_NS, TWIN, Turn

MEASURED_SHARE = 1.0
"""Of the time that starting takes: what all turns of a round together take at the least."""
FEWEST_BLOCKS, MOST_BLOCKS = 2, 16
SLOW_RUN = Run(length=3, dropped=1)
"""A slow call meets caches of its own making, and three in a row are over late enough."""

Block = tuple[Turn, Turn, Turn]
"""A turn of each host, in the order of ``HOSTS``."""


class Stint(NamedTuple):
    """What one request gets in every round: so many blocks, each of them a run in every process."""

    run: Run
    blocks: int


def stint_of(call_ns: float, endpoints: int, start_s: float) -> Stint:
    """For one of so many endpoints that are measured in a round whose processes take ``start_s`` to start."""
    share_ns = MEASURED_SHARE * start_s * 1e9 / (len(HOSTS) * endpoints)
    run = SLOW_RUN if call_ns >= SLOW_NS else run_length(call_ns)
    blocks = math.ceil(share_ns / (run.requests * call_ns))
    return Stint(run, max(FEWEST_BLOCKS, min(MOST_BLOCKS, blocks)))


def log_ratio(blocks: Sequence[Block]) -> float:
    """x_r of head: the middle mean over blocks of ln(head) - (ln(base) + ln(twin))/2.

    Both bases run the same code, so their mean is the better baseline: the variance of x_r is 3/2 that of a
    process, not twice. It hangs together in no way with ln(twin/base), the certificate's figure.
    """
    medians = _medians(blocks)
    both_ns = np.sqrt(medians[:, BASE] * medians[:, TWIN])
    return float(round_log_ratios(np.stack([both_ns, medians[:, HEAD]], axis=-1))[0])


def twin_log_ratio(blocks: Sequence[Block]) -> float:
    """The same of the twin: the middle mean over blocks of ln(twin/base)."""
    medians = _medians(blocks)
    return float(round_log_ratios(medians[:, [BASE, TWIN]])[0])


def _medians(blocks: Sequence[Block]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([[turn.median_ns for turn in block] for block in blocks], dtype=float)
