"""The closed loop: every lane sends its next request as soon as it has the answer to the last.

Where many lanes are at work, often several answers have come when the event loop looks. Then all of them are
read before the next requests are sent: so no answer waits, with the clock running, for somebody else's
request to be written; and the server is woken once for many requests, which takes a tenth off the CPU time of
a request.
"""

from __future__ import annotations

import asyncio
import sys
from array import array
from collections.abc import Iterator
from time import perf_counter_ns as clock

import numpy as np

from wirespeed.http.connection import Call
from wirespeed.http.lanes import Lane
from wirespeed.stats.histogram import IntArray

_TOGETHER_FROM = 10
"""With fewer lanes there is seldom more than one answer at a time."""


class ClosedLoop:
    """Sends ``limit`` requests, or until it is stopped. ``finished`` is set once every lane is at rest."""

    def __init__(self, calls: Iterator[Call], limit: int | None) -> None:
        self._calls = calls
        self._limit = sys.maxsize if limit is None else limit
        self._left = self._limit
        self._withheld = 0
        self._busy_lanes = 0
        self._together = False
        self._ready: list[Lane] = []
        self._call_soon = asyncio.get_running_loop().call_soon
        self.late_ns = array("q")
        self.finished = asyncio.Event()

    @property
    def sent(self) -> int:
        return self._limit - self._left - self._withheld

    def start(self, lanes: list[Lane], start_ns: int) -> None:
        self._busy_lanes = len(lanes)
        self._together = len(lanes) >= _TOGETHER_FROM
        for lane in lanes:
            self._next(lane)

    def ready(self, lane: Lane) -> None:
        if not self._together:
            self._next(lane)
            return
        self._ready.append(lane)
        if len(self._ready) == 1:
            self._call_soon(self._next_of_all)

    def _next_of_all(self) -> None:
        ready, self._ready = self._ready, []
        # ``_next`` for each, without the calls of it.
        calls = self._calls
        together = min(self._left, len(ready))
        self._left -= together
        for lane in ready[:together]:
            send = lane.send
            send(next(calls), clock())
        self._rest(len(ready) - together)

    def _next(self, lane: Lane) -> None:
        if self._left:
            self._left -= 1
            send = lane.send
            send(next(self._calls), clock())
        else:
            self._rest(1)

    def _rest(self, lanes: int) -> None:
        self._busy_lanes -= lanes
        if not self._busy_lanes:
            self.finished.set()

    def stop(self) -> IntArray:
        """Send nothing more. Nothing was due without having been sent."""
        self._withheld, self._left = self._withheld + self._left, 0
        return np.array([], dtype=np.int64)
