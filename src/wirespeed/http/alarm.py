"""Waking an event loop at a moment, to tens of microseconds.

Event loops count their timers in milliseconds: too coarse for requests that are due at a moment, and for
telling how late a loop is. Linux has timerfd_create(2), which a loop can watch like a socket; Python offers
it from 3.13 on, and ctypes before. Elsewhere the loop's own timers must do, and what they are late by is
measured and shown.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
from collections.abc import Callable
from time import perf_counter_ns as clock
from typing import Protocol

_CLOCK_MONOTONIC = 1  # what perf_counter_ns reads on Linux
_TFD_NONBLOCK = os.O_NONBLOCK if hasattr(os, "O_NONBLOCK") else 0
_TFD_TIMER_ABSTIME = 1
_STEP_NS = 2_000
_LONGEST_HEAD_START_NS = 200_000


class Alarm(Protocol):
    """Calls back once for each moment set; a new moment replaces the one before."""

    def set(self, moment_ns: int) -> None:
        """Ring at a moment of ``perf_counter_ns``, or at once where it has passed."""

    def close(self) -> None: ...


def make_alarm(ring: Callable[[], None]) -> Alarm:
    return _TimerFd(ring) if sys.platform == "linux" else _LoopTimer(ring)


class PunctualAlarm:
    """An alarm for moments that matter to the microsecond: it rings early, and waits for the rest awake.

    From a timer's end to the call lie tens of microseconds, until the process runs again. How many is learned
    from every ring (its median: a step up where it took longer than thought, a step down where not), so that
    next to nothing is left to wait for.
    """

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._alarm = make_alarm(self._rung)
        self._moment_ns = self._set_for_ns = 0
        self._head_start_ns = 0

    def set(self, moment_ns: int) -> None:
        if moment_ns != self._moment_ns:
            self._moment_ns = moment_ns
            self._set_for_ns = moment_ns - self._head_start_ns
            self._alarm.set(self._set_for_ns)

    def close(self) -> None:
        self._alarm.close()

    def _rung(self) -> None:
        now_ns = clock()
        step_ns = _STEP_NS if now_ns - self._set_for_ns > self._head_start_ns else -_STEP_NS
        self._head_start_ns = min(max(self._head_start_ns + step_ns, 0), _LONGEST_HEAD_START_NS)
        while now_ns < self._moment_ns:
            now_ns = clock()
        self._ring()


class _TimeSpec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


class _TimerSpec(ctypes.Structure):
    _fields_ = [("interval", _TimeSpec), ("value", _TimeSpec)]


class _TimerFd:
    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = self._libc.timerfd_create(_CLOCK_MONOTONIC, _TFD_NONBLOCK)
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create failed")
        self._spec = _TimerSpec()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._fd, self._rung)

    def set(self, moment_ns: int) -> None:
        value = self._spec.value
        # Zero would disarm it; the first nanosecond after boot has surely passed.
        value.seconds, value.nanoseconds = divmod(max(moment_ns, 1), 1_000_000_000)
        self._libc.timerfd_settime(self._fd, _TFD_TIMER_ABSTIME, ctypes.byref(self._spec), None)

    def close(self) -> None:
        self._loop.remove_reader(self._fd)
        os.close(self._fd)

    def _rung(self) -> None:
        try:
            os.read(self._fd, 8)
        except BlockingIOError:
            # Set anew between the event and this call.
            return
        self._ring()


class _LoopTimer:
    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.TimerHandle | None = None

    def set(self, moment_ns: int) -> None:
        self.close()
        self._handle = self._loop.call_later(max(0.0, (moment_ns - clock()) / 1e9), self._ring)

    def close(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
