"""One run of load in one process: connect, send, wait, count. Reads as an outline."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter_ns as clock
from typing import Any

from wirespeed.errors import SubjectError
from wirespeed.http.dialing import Address, Addresses, Dialer, DialFailed, look_up, require_local
from wirespeed.http.health import Health, Probe
from wirespeed.http.housekeeping import Listener, keep_house
from wirespeed.http.lanes import Lane, Lanes
from wirespeed.http.outcomes import Failure, Tally
from wirespeed.http.pace import make_pace
from wirespeed.http.plan import LoadPlan
from wirespeed.http.scheme import are_in_vain, require_plain
from wirespeed.http.target import Origin, Target
from wirespeed.stats.histogram import IntArray

DRAIN_NS = 2_000_000_000
"""How long answers are waited for once nothing more is sent."""
_FIRST_LOOK_S = 0.3
"""When the first outcomes are looked at, to end a run early that is all in vain."""


@dataclass
class Measured:
    """All there is to know of a run; the parts of processes add up."""

    tally: Tally = field(default_factory=Tally)
    health: Health = field(default_factory=Health)
    lookup_ns: int | None = None
    started_ns: int = 0
    ended_ns: int = 0
    stopped_early: bool = False
    """Somebody asked for it: Ctrl-C."""
    server_gone: bool = False
    """The run was ended because the server refused connections and answered nothing any more."""

    @property
    def duration_s(self) -> float:
        return (self.ended_ns - self.started_ns) / 1e9

    def add(self, other: Measured) -> None:
        self.tally.add(other.tally)
        self.health.add(other.health)
        self.lookup_ns = self.lookup_ns if self.lookup_ns is not None else other.lookup_ns
        self.started_ns = min(self.started_ns or other.started_ns, other.started_ns)
        self.ended_ns = max(self.ended_ns, other.ended_ns)
        self.stopped_early |= other.stopped_early
        self.server_gone |= other.server_gone


class Run:
    """One process's share of a run: ``prepare`` it, then ``measure``, once, in a running event loop."""

    def __init__(self, target: Target, plan: LoadPlan, process: int = 0) -> None:
        """``plan`` is the whole plan; ``process`` says whose share this is."""
        self._target = target
        self._plan = plan
        self._process = process
        self._stop = asyncio.Event()

    async def prepare(self) -> None:
        """Find the server and connect every lane. Raises ``SubjectError`` where it cannot be reached."""
        self._addresses = await look_up(self._target.origin)
        if not self._plan.remote:
            require_local(self._target.origin, self._addresses.found)
        self._pace = make_pace(self._target, self._plan, self._process)
        connections = self._plan.share(self._process).connections
        self._lanes = await connect(
            self._target.origin,
            self._addresses,
            connections,
            self._plan.connect_timeout_s,
            self._pace.ready,
        )
        # What exists by now is there to stay: collections need not look at it while the clock runs.
        gc.collect()
        gc.freeze()

    async def measure(self, start_ns: int, listener: Listener | None = None) -> Measured:
        """Send from a moment of the clock on, and count. Connections are closed at the end."""
        house = asyncio.create_task(keep_house(self._lanes, self._plan.timeout_ns, start_ns, listener))
        first_look = asyncio.create_task(self._look_early())
        probe = Probe()
        try:
            await asyncio.sleep((start_ns - clock()) / 1e9)
            probe.start()
            self._lanes.tally.started_ns = start_ns
            self._pace.start(list(self._lanes), start_ns)
            await self._until(self._deadline_ns(start_ns), house, self._pace.finished, self._stop)
            unsent_ns = self._pace.stop()
            health = probe.stop(self._pace.late_ns)
            if not house.done():
                await self._until(clock() + DRAIN_NS, house, self._pace.finished)
            ended_ns = clock()
            tally = self._final_tally(unsent_ns, ended_ns)
            await self._require_right_scheme(tally)
            return Measured(
                tally=tally,
                health=health,
                lookup_ns=self._addresses.lookup_ns,
                started_ns=start_ns,
                ended_ns=ended_ns,
                stopped_early=self._stop.is_set(),
                server_gone=house.done(),
            )
        finally:
            gc.unfreeze()
            house.cancel()
            first_look.cancel()
            await self._lanes.close()

    def stop(self) -> None:
        """Send nothing more, and come to an end with what there is."""
        self._stop.set()

    async def _look_early(self) -> None:
        await asyncio.sleep(_FIRST_LOOK_S)
        self._lanes.count_up()
        try:
            await self._require_right_scheme(self._lanes.tally)
        except SubjectError as error:
            self._lanes.crashed(error)

    async def _require_right_scheme(self, tally: Tally) -> None:
        """Raises ``SubjectError`` where all requests were in vain, and TLS would have been right."""
        if are_in_vain({*tally.status, *tally.errors}):
            await require_plain(self._target.origin, self._lanes.dialer.address)

    def _deadline_ns(self, start_ns: int) -> int | None:
        duration_s = self._plan.duration_s
        return None if duration_s is None else start_ns + round(duration_s * 1e9)

    async def _until(self, moment_ns: int | None, house: asyncio.Task[None], *events: asyncio.Event) -> None:
        """Until the moment, an event, or the end of the server. What went wrong meanwhile is raised."""
        waits: list[asyncio.Future[Any]] = [asyncio.create_task(event.wait()) for event in events]
        timeout_s = None if moment_ns is None else max(0.0, (moment_ns - clock()) / 1e9)
        crash = self._lanes.crash
        await asyncio.wait([*waits, house, crash], timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        for ended in (house, crash):
            if ended.done():
                ended.result()

    def _final_tally(self, unsent_ns: IntArray, ended_ns: int) -> Tally:
        lanes, tally = self._lanes, self._lanes.tally
        lanes.count_up()
        tally.sent = self._pace.sent
        tally.take_unfinished(lanes.in_flight(), ended_ns)
        if self._plan.rate is not None:
            tally.due = tally.sent + len(unsent_ns)
            tally.take_unsent(unsent_ns, ended_ns)
        tally.check()
        return tally


async def connect(
    origin: Origin,
    addresses: Addresses,
    connections: int,
    connect_timeout_s: float,
    on_ready: Callable[[Lane], None],
) -> Lanes:
    """Lanes to the first of the addresses that lets us in. Raises ``SubjectError`` where none does."""
    reasons = []
    for address in addresses.found:
        lanes = Lanes(connections, Dialer(address, origin.tls, connect_timeout_s), on_ready)
        try:
            await lanes.connect()
        except DialFailed as error:
            reasons.append(_unreachable(origin, address, error))
        else:
            return lanes
    raise reasons[0]


def _unreachable(origin: Origin, address: Address, error: DialFailed) -> SubjectError:
    where = (
        str(address)
        if address.is_tcp is False or origin.host == address.host
        else f"{origin.host} ({address})"
    )
    match error.failure:
        case Failure.TLS if "wrong version number" in str(error):
            return SubjectError(f"{where} does not speak TLS", advice=f"Try http://{origin.authority}.")
        case Failure.TLS:
            return SubjectError(
                f"no TLS connection to {where}: {error}",
                advice="--insecure measures without verifying certificates.",
            )
        case Failure.CONNECT_TIMEOUT:
            return SubjectError(
                f"{where} does not answer: {error}", advice="Check the address, or raise --connect-timeout."
            )
        case _:
            return SubjectError(
                f"no connection to {where}: {error}", advice="Start the server, or check the port."
            )
