"""Requests sent in turns: some of one kind over connections that are kept, then rest, then some of another.

Lives here: driving the closed loop again and again, and what each turn of it gave. This file must never know
what the turns are compared for. A turn has ended when every lane is at rest, so nothing of one turn runs into
the next.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from time import perf_counter_ns as clock
from typing import Any, Self

from wirespeed.http.closed import PATIENCE_NS, ClosedLoop
from wirespeed.http.connection import Call
from wirespeed.http.dialing import look_up, require_local
from wirespeed.http.engine import connect
from wirespeed.http.health import Health, Probe
from wirespeed.http.kept_answer import KeptAnswer, kept_answer
from wirespeed.http.lanes import Lane, Lanes
from wirespeed.http.outcomes import Failure
from wirespeed.http.scheme import are_in_vain, require_plain
from wirespeed.http.target import Origin, PreparedRequest
from wirespeed.stats.histogram import IntArray

FAILURES_ENDING_A_TURN = 10
"""What fails so often is not worth measuring on, and each failure may take as long as a time-out."""
_SWEEP_EVERY_S = 0.05
_PATIENCE_NS = 20_000_000
"""As ``closed.PATIENCE_NS``, where nothing but the sweep has timers: so nearly all answers are waited for in
the same way, and their times compare.
"""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What one turn gave."""

    rows: IntArray
    """A row for every request that was answered or timed out, see ``recording``."""
    sent: int
    failures: Counter[Failure]
    full_from_ns: int
    full_until_ns: int
    """Between these, all lanes were at work. (Not where a number of requests ended the turn.)"""
    gave_up: bool
    """Whether failures ended it."""
    health: Health | None
    """Of the generator; None where a number of requests was sent, for such turns can be very short."""


class Driver:
    """Lanes to one server, in a running event loop. One turn at a time; ``close`` when done."""

    def __init__(self, origin: Origin, timeout_s: float) -> None:
        self._origin = origin
        self._timeout_ns = round(timeout_s * 1e9)
        self._pace: ClosedLoop
        self._lanes: Lanes

    @classmethod
    async def connected(
        cls, origin: Origin, connections: int, *, timeout_s: float, connect_timeout_s: float, remote: bool
    ) -> Self:
        """Raises ``SubjectError`` where the server cannot be reached, ``UsageError`` where it must not be."""
        addresses = await look_up(origin)
        if not remote:
            require_local(origin, addresses.found)
        driver = cls(origin, timeout_s)
        driver._lanes = await connect(origin, addresses, connections, connect_timeout_s, driver._ready)
        return driver

    async def run(self, call: Call, requests: int) -> TurnResult:
        """Send a number of requests, each as soon as a lane is free for it."""
        return await self._turn(list(self._lanes), call, limit=requests, patience_ns=_PATIENCE_NS)

    async def slice(self, call: Call, seconds: float) -> TurnResult:
        """Send for a time; the answers to what is under way by then are still waited for."""
        return await self._turn(list(self._lanes), call, seconds=seconds)

    async def fetch(self, request: PreparedRequest) -> KeptAnswer | Failure:
        """The whole answer to one request, or why there is none.

        Raises ``SubjectError`` where that is because the server speaks TLS.
        """
        call, answers = kept_answer(request)
        turn = await self._turn(list(self._lanes)[:1], call, limit=1)
        fetched = next(iter(turn.failures), None) or answers[-1]
        if are_in_vain({fetched if isinstance(fetched, Failure) else fetched.status}):
            await require_plain(self._origin, self._lanes.dialer.address)
        return fetched

    async def close(self) -> None:
        await self._lanes.close()

    def _ready(self, lane: Lane) -> None:
        self._pace.ready(lane)

    async def _turn(
        self,
        lanes: Sequence[Lane],
        call: Call,
        *,
        limit: int | None = None,
        seconds: float | None = None,
        patience_ns: int = PATIENCE_NS,
    ) -> TurnResult:
        self._pace = ClosedLoop(repeat(call), limit, patience_ns)
        self._stopped_ns: int | None = None
        self._gave_up = False
        probe = ending = None
        if seconds is not None:
            ending = asyncio.get_running_loop().call_later(seconds, self._stop)
            probe = Probe()
            probe.start()
        watch = asyncio.create_task(self._watch())
        rest = asyncio.create_task(self._pace.finished.wait())
        try:
            self._pace.start(list(lanes), clock())
            full_from_ns = clock()
            waits: list[asyncio.Future[Any]] = [rest, watch, self._lanes.crash]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            health = None if probe is None else probe.stop(array("q"))
            for waiting in (rest, watch, ending):
                if waiting is not None:
                    waiting.cancel()
        if self._lanes.crash.done():
            self._lanes.crash.result()
        failures, self._lanes.tally.errors = self._lanes.tally.errors, Counter()
        return TurnResult(
            rows=self._lanes.recorder.take(),
            sent=self._pace.sent,
            failures=failures,
            full_from_ns=full_from_ns,
            full_until_ns=self._stopped_ns or clock(),
            gave_up=self._gave_up,
            health=health,
        )

    def _stop(self) -> None:
        self._stopped_ns = self._stopped_ns or clock()
        self._pace.stop()

    async def _watch(self) -> None:
        """Give up requests that take too long, and the turn where too many fail."""
        while True:
            await asyncio.sleep(_SWEEP_EVERY_S)
            self._lanes.time_out(self._timeout_ns)
            failures = self._lanes.tally.errors
            if failures[Failure.TIMEOUT] or failures.total() >= FAILURES_ENDING_A_TURN:
                self._gave_up = True
                self._stop()
