"""What a closed and an open loop have in common, and the choice between them."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Iterator
from itertools import repeat
from typing import Protocol

from wirespeed.http.closed import ClosedLoop
from wirespeed.http.connection import Call
from wirespeed.http.lanes import Lane
from wirespeed.http.open import OpenLoop
from wirespeed.http.plan import LoadPlan
from wirespeed.http.schedule import due_times
from wirespeed.http.target import Target, weighted_cycle
from wirespeed.stats.histogram import IntArray


class Pace(Protocol):
    """Decides when requests are sent."""

    finished: asyncio.Event
    """Set once everything was sent, and every lane is ready again."""
    late_ns: array[int]
    """How late requests were sent although a lane was free."""

    @property
    def sent(self) -> int: ...

    def start(self, lanes: list[Lane], start_ns: int) -> None: ...

    def ready(self, lane: Lane) -> None: ...

    def stop(self) -> IntArray:
        """Send nothing more; returns when those were due that were never sent."""


def make_pace(target: Target, plan: LoadPlan, process: int) -> Pace:
    """The pace of one process. Raises ``RuntimeError`` outside an event loop."""
    calls = _calls(target, plan.seed + process)
    if plan.rate is None:
        return ClosedLoop(calls, plan.share(process).requests)
    return OpenLoop(calls, due_times(plan, process))


def _calls(target: Target, seed: int) -> Iterator[Call]:
    calls = [Call(request) for request in target.requests]
    if len(calls) == 1:
        return repeat(calls[0])
    return map(calls.__getitem__, weighted_cycle(target.requests, seed))
