"""The closed loop: every lane sends its next request as soon as it has the answer to the last."""

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


class ClosedLoop:
    """Sends ``limit`` requests, or until it is stopped. ``finished`` is set once every lane is at rest."""

    def __init__(self, calls: Iterator[Call], limit: int | None) -> None:
        self._calls = calls
        self._limit = sys.maxsize if limit is None else limit
        self._left = self._limit
        self._withheld = 0
        self._busy_lanes = 0
        self.late_ns = array("q")
        self.finished = asyncio.Event()

    @property
    def sent(self) -> int:
        return self._limit - self._left - self._withheld

    def start(self, lanes: list[Lane], start_ns: int) -> None:
        self._busy_lanes = len(lanes)
        for lane in lanes:
            self.ready(lane)

    def ready(self, lane: Lane) -> None:
        if self._left:
            self._left -= 1
            send = lane.send
            send(next(self._calls), clock())
        else:
            self._busy_lanes -= 1
            if not self._busy_lanes:
                self.finished.set()

    def stop(self) -> IntArray:
        """Send nothing more. Nothing was due without having been sent."""
        self._withheld, self._left = self._withheld + self._left, 0
        return np.array([], dtype=np.int64)
