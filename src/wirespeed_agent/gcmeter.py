"""A clock that stands still while the garbage collector runs.

A full collection of a real app takes 50 to 600 ms and comes once in hundreds of requests: left in, it decides
which arm looks slow. So every duration is read from ``clock_ns``, and what the collector took is reported
apart.
"""

from __future__ import annotations

import contextlib
import gc
import time
from typing import Any, Callable, Dict, Iterator


class _Meter:
    """``total_ns`` grows with every collection of this process, in whichever thread it ran.

    The clock it reads is no module's attribute: tests that freeze time replace it wherever they find one.
    """

    read: Callable[[], int] = staticmethod(time.perf_counter_ns)

    def __init__(self) -> None:
        self.total_ns = 0
        self._started_ns = 0

    def on_collection(self, phase: str, info: Dict[str, Any]) -> None:
        if phase == "start":
            self._started_ns = self.read()
        else:
            self.total_ns += self.read() - self._started_ns


_meter = _Meter()


def start_metering() -> None:
    """Count collections from now on; calling it again changes nothing."""
    if _meter.on_collection not in gc.callbacks:
        gc.callbacks.append(_meter.on_collection)


@contextlib.contextmanager
def metering() -> Iterator[None]:
    """Count collections while active, for a process that is not ours."""
    started_here = _meter.on_collection not in gc.callbacks
    start_metering()
    try:
        yield
    finally:
        if started_here:
            gc.callbacks.remove(_meter.on_collection)


def clock_ns() -> int:
    """Nanoseconds of a monotonic clock, without those spent in garbage collection."""
    return _meter.read() - _meter.total_ns


def collected_ns() -> int:
    """Nanoseconds spent in garbage collection so far."""
    return _meter.total_ns
