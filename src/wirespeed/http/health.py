"""How busy the load generator itself was, and whether that spoils what it measured.

Lives here: the probe that watches the event loop, and the judgement. A generator that cannot keep up measures
itself: its own delays stand in every latency, and its own limit is taken for the server's.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter_ns as clock

import numpy as np

from wirespeed.http.alarm import make_alarm
from wirespeed.http.outcomes import Tally
from wirespeed.http.plan import LoadPlan
from wirespeed.stats.histogram import Histogram

BUSY_CPU = 0.9
"""CPU seconds a second from which the generator is what limits the rate."""
LAG_NS = 1_000_000
"""A loop that is late by less than this in the median is merely being woken up."""
LATE_NS = 2_000_000
"""Requests that are sent later than this in 1 of 100 cases are too late."""
OWN_SHARE = 0.25
"""Of the median latency: what the generator may add to it, however late it is."""
REACHED = 0.98
"""Share of the requests due that have to be sent for the rate to count as reached."""
_PROBE_EVERY_NS = 20_000_000


@dataclass
class Health:
    """Of one process or, merged, of all: the busiest counts, for it spoils its share of the latencies."""

    cpu: float = 0.0
    lag: Histogram = field(default_factory=Histogram)
    late: Histogram = field(default_factory=Histogram)

    def add(self, other: Health) -> None:
        self.cpu = max(self.cpu, other.cpu)
        self.lag.add(other.lag)
        self.late.add(other.late)


class Probe:
    """Watches the running event loop from ``start`` to ``stop``: every 20 ms, how late is it?"""

    def __init__(self) -> None:
        self._alarm = make_alarm(self._rung)
        self._lag_ns = array("q")
        self._expected_ns = self._started_ns = self._started_cpu_ns = 0

    def start(self) -> None:
        self._started_ns, self._started_cpu_ns = clock(), time.process_time_ns()
        self._expect()

    def stop(self, late_ns: array[int]) -> Health:
        elapsed_ns, cpu_ns = clock() - self._started_ns, time.process_time_ns() - self._started_cpu_ns
        self._alarm.close()
        health = Health(cpu=cpu_ns / elapsed_ns)
        health.lag.record(np.array(self._lag_ns, dtype=np.int64))
        health.late.record(np.array(late_ns, dtype=np.int64))
        return health

    def _expect(self) -> None:
        self._expected_ns = clock() + _PROBE_EVERY_NS
        self._alarm.set(self._expected_ns)

    def _rung(self) -> None:
        self._lag_ns.append(clock() - self._expected_ns)
        self._expect()


def complaints(health: Health, tally: Tally, plan: LoadPlan, cores: int) -> Iterator[str]:
    """Why the generator, not the server, may be what was measured; each with what to do."""
    relief = _relief(plan, cores)
    if health.cpu >= BUSY_CPU:
        yield f"the load generator used {health.cpu:.0%} of a core and may have been the bottleneck; {relief}"
    elif lag_ns := _mattering(health.lag, 0.5, LAG_NS, tally):
        yield (
            f"the load generator's event loop was {lag_ns / 1e6:.1f} ms late in the median, "
            f"which is part of every latency; {relief}"
        )
    if late_ns := _mattering(health.late, 0.99, LATE_NS, tally):
        yield (
            f"1 in 100 requests was sent {late_ns / 1e6:.1f} ms late or more although a connection was free; "
            f"{relief}"
        )
    if tally.due and tally.sent < tally.due * REACHED:
        yield (
            f"the rate was not reached: {tally.unsent} of {tally.due} requests found no free connection; "
            f"use more connections than -c {plan.connections}, or a lower --rate"
        )


def _mattering(delays: Histogram, share: float, floor_ns: int, tally: Tally) -> int | None:
    """A percentile of the generator's own delays, if it is a part of the latencies worth mentioning."""
    own_ns, median_ns = delays.percentile_ns(share), tally.response.histogram.percentile_ns(0.5)
    if own_ns is None or median_ns is None:
        return None
    return own_ns if own_ns > floor_ns and own_ns > OWN_SHARE * median_ns else None


def _relief(plan: LoadPlan, cores: int) -> str:
    if plan.processes < cores:
        return f"use --processes {min(cores, plan.processes * 2)}"
    slower = "lower --rate" if plan.rate is not None else "use fewer connections"
    return f"{slower}, or run wirespeed on another machine than the server"
