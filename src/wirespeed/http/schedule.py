"""When requests are due in an open loop: fixed before the run, so that no answer can delay what follows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice, takewhile

import numpy as np

from wirespeed.http.plan import LoadPlan

_GAPS_AT_ONCE = 1024


def due_times(plan: LoadPlan, process: int = 0) -> Iterator[int]:
    """Nanoseconds after the start at which one process's requests are due.

    All processes share one schedule and take turns in it, so what the server sees does not depend on their
    number. ``plan`` is the whole plan, with a rate.
    """
    assert plan.rate is not None
    moments = _poisson_ns(plan.rate, plan.seed) if plan.poisson else _even_ns(plan.rate)
    if plan.requests is not None:
        moments = islice(moments, plan.requests)
    if plan.duration_s is not None:
        end_ns = plan.duration_s * 1e9
        moments = takewhile(lambda due_ns: due_ns < end_ns, moments)
    return islice(moments, process, None, plan.processes)


def _even_ns(rate: float) -> Iterator[int]:
    # From the index, not by adding gaps up: the rate is met exactly over any length.
    return (round(index * 1e9 / rate) for index in count())


def _poisson_ns(rate: float, seed: int) -> Iterator[int]:
    random = np.random.default_rng(seed)
    elapsed_ns = 0.0
    while True:
        moments = elapsed_ns + np.cumsum(random.exponential(1e9 / rate, _GAPS_AT_ONCE))
        yield from moments.astype(np.int64).tolist()
        elapsed_ns = float(moments[-1])
