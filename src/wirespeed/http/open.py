"""The open loop: requests fall due by a schedule, whether or not the answers to earlier ones have come.

A request that is due while every lane is busy waits, and its wait counts: latency starts when it was due, not
when it was sent. Measuring from the send would leave out just those that a stalled server kept waiting (Gil
Tene's "coordinated omission"). The queue of waiting requests is a position in the schedule, so that it needs
no memory.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import deque
from collections.abc import Iterator
from itertools import takewhile
from time import perf_counter_ns as clock

import numpy as np

from wirespeed.http.alarm import PunctualAlarm
from wirespeed.http.connection import Call
from wirespeed.http.lanes import Lane
from wirespeed.stats.histogram import IntArray

_NEVER = 1 << 62


class OpenLoop:
    """Sends at each of the times ``after_start_ns`` (ascending) until they end, or it is stopped."""

    def __init__(self, calls: Iterator[Call], after_start_ns: Iterator[int]) -> None:
        self._calls = calls
        self._schedule = after_start_ns
        self._due_ns = _NEVER
        self._lanes = 0
        self._free: deque[Lane] = deque()
        self._unconnected: deque[Lane] = deque()
        self._alarm = PunctualAlarm(self._serve)
        self.late_ns = array("q")
        """How late requests were sent that a lane was free for: the generator's fault, not the server's."""
        self.sent = 0
        self.finished = asyncio.Event()

    def start(self, lanes: list[Lane], start_ns: int) -> None:
        self._schedule = map(start_ns.__add__, self._schedule)
        self._due_ns = next(self._schedule, _NEVER)
        self._lanes = len(lanes)
        self._free.extend(lanes)
        self._serve()

    def ready(self, lane: Lane) -> None:
        if self._due_ns <= clock():
            self._send(lane)
        else:
            self._free.append(lane)
            self._wait()

    def stop(self) -> IntArray:
        """Send nothing more; returns when those were due that had been waiting for a lane."""
        self._alarm.close()
        now_ns = clock()
        waiting = [self._due_ns, *takewhile(lambda due_ns: due_ns <= now_ns, self._schedule)]
        self._due_ns = _NEVER
        self._wait()
        return np.array([due_ns for due_ns in waiting if due_ns <= now_ns], dtype=np.int64)

    def _serve(self) -> None:
        """Send what is due, as far as lanes are free."""
        while self._is_any_free and self._due_ns <= (now_ns := clock()):
            self.late_ns.append(now_ns - self._due_ns)
            self._send(self._take())
        self._wait()

    @property
    def _is_any_free(self) -> bool:
        return bool(self._free or self._unconnected)

    def _take(self) -> Lane:
        """The lane that has been free longest, so that all workers of the server get their share.

        Lanes whose idle connection the server has closed come last: clients, too, use connections they have.
        """
        while self._free:
            lane = self._free.popleft()
            if lane.is_connected:
                return lane
            self._unconnected.append(lane)
        return self._unconnected.popleft()

    def _send(self, lane: Lane) -> None:
        due_ns, self._due_ns = self._due_ns, next(self._schedule, _NEVER)
        self.sent += 1
        lane.send(next(self._calls), due_ns)

    def _wait(self) -> None:
        if self._due_ns != _NEVER:
            if self._is_any_free:
                self._alarm.set(self._due_ns)
        elif len(self._free) + len(self._unconnected) == self._lanes:
            self.finished.set()
