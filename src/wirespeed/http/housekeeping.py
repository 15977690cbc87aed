"""What goes on beside the requests, twenty times a second: count up, give up, report, and notice a server
that is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter_ns as clock

from wirespeed.http.lanes import Lanes
from wirespeed.http.outcomes import Failure, Tally

Listener = Callable[[Tally, float], None]
"""Hears of the outcomes so far, and of the seconds since the start, twice a second. It must not keep the
tally.
"""

GONE_NS = 5_000_000_000
"""How long a server that refuses connections, and answers nothing, is waited for."""
_EVERY_S = 0.05
_REPORT_EVERY_NS = 500_000_000
_SWEEP_AT_LEAST_EVERY_NS = 250_000_000
_ROWS_AT_ONCE = 4096
"""Few enough to be counted in a fraction of a millisecond, for no answer is read meanwhile."""


async def keep_house(lanes: Lanes, timeout_ns: int, start_ns: int, listener: Listener | None) -> None:
    """Until cancelled; returns by itself only when the server is gone."""
    report_ns, sweep_ns = start_ns + _REPORT_EVERY_NS, 0
    watch = _Watch(start_ns)
    while True:
        await asyncio.sleep(_EVERY_S)
        now_ns = clock()
        if now_ns >= sweep_ns:
            sweep_ns = now_ns + min(timeout_ns // 100, _SWEEP_AT_LEAST_EVERY_NS)
            lanes.time_out(timeout_ns)
        if len(lanes.recorder) >= _ROWS_AT_ONCE:
            lanes.count_up()
        if listener is not None and now_ns >= report_ns:
            report_ns = now_ns + _REPORT_EVERY_NS
            lanes.count_up()
            listener(lanes.tally, (now_ns - start_ns) / 1e9)
        if watch.is_gone(lanes, now_ns):
            return


class _Watch:
    """Tells a server that is gone from one that is slow: that one accepts connections, this one refuses."""

    def __init__(self, start_ns: int) -> None:
        self._alive_ns = start_ns
        self._answered = self._refused = 0

    def is_gone(self, lanes: Lanes, now_ns: int) -> bool:
        answered = lanes.tally.answered + len(lanes.recorder)
        refused = lanes.tally.errors[Failure.CONNECT_REFUSED]
        if answered != self._answered or any(lane.is_waiting for lane in lanes):
            self._answered, self._refused, self._alive_ns = answered, refused, now_ns
        return refused > self._refused and now_ns - self._alive_ns > GONE_NS
