"""Live arms: changes that show only when the whole app answers, each call through all of it, with a ticket.

An arm is called no more often than it was allowed, has a deadline for every call, and an answer counts only
if it came from the changed route, with the status that the unchanged one has.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any, Awaitable, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

from .asgi import ASGIApp, Request, Scope, Sink
from .bypass import Bypasses
from .direct import SETTLE_NS, Contestant, Run, run, warm_up
from .live import LiveCall
from .parallel import run_parallel
from .routes import FoundRoute
from .source_changes import NotInProcess
from .ticket import SCOPE_KEY, Ticket
from .variants import UNCHANGED, variant_app
from .watchdog import GaveUp, Watchdog
from .workbench import Workbench

Reasons = List[Optional[str]]
"""An arm: why it gave up, or None."""

OneRun = Callable[["LiveArm", int, int, float], Awaitable[Run]]


class LiveArm(Contestant):
    """``variant`` answers in the place of ``found``; without both, only layers differ."""

    def __init__(
        self,
        booth: Booth,
        found: Optional[FoundRoute],
        variant: Optional[ASGIApp],
        bypass: Optional[int],
    ) -> None:
        super().__init__(booth.app, self._fresh_scope, booth.request.body, status=0)
        self.calls = 0
        self._booth = booth
        self._route = None if found is None or variant is None else found.key
        self._variant = variant
        self._bypass = frozenset() if bypass is None else frozenset({bypass})

    def ticket(self) -> Ticket:
        ticket = Ticket(self._route, self._variant)
        ticket.bypass = self._bypass
        ticket.keeps_record = False
        return ticket

    def reached(self, ticket: Ticket) -> bool:
        """Whether a call that is over went through what this arm changes, once."""
        wanted = 0 if self._variant is None else 1
        return ticket.hits == wanted and ticket.bypassed == len(self._bypass)

    def sink(self) -> Sink:
        """Raises GaveUp where the arm has been called as often as is allowed."""
        self._count_call()
        return Sink(self.body, time.monotonic() + self._booth.deadline_s)

    def is_good(self, scope: Scope, sink: Sink) -> bool:
        self._booth.watchdog.note_life()
        return sink.status == self.status and self.reached(scope[SCOPE_KEY])

    async def call(self) -> LiveCall:
        """One untimed call. Raises CallFailed, and GaveUp as ``sink`` does."""
        self._count_call()
        booth = self._booth
        return await booth.bench.call(booth.request, booth.deadline_s, ticket=self.ticket(), app=self.app)

    def _count_call(self) -> None:
        most = self._booth.most_calls
        if most is not None and self.calls >= most:
            raise GaveUp(f"it was called {most} times, as often as is allowed")
        self.calls += 1
        self._booth.watchdog.note_life()

    def _fresh_scope(self) -> Scope:
        scope = self._booth.request.scope(self._booth.bench.session.state)
        scope[SCOPE_KEY] = self.ticket()
        return scope


class Booth:
    """Where the live arms of one request are made: all go through the same switches, of the layers that any
    of them passes by.
    """

    def __init__(
        self,
        bench: Workbench,
        request: Request,
        found: Optional[FoundRoute],
        deadline_s: float,
        most_calls: Optional[int] = None,
    ) -> None:
        self.bench = bench
        self.request = request
        self.deadline_s = deadline_s
        self.most_calls = most_calls
        self.watchdog = Watchdog(deadline_s)
        self.app: ASGIApp = bench.session.app
        self._found = found if found is not None and found.kind == "api" else None
        self._bypasses: Optional[Bypasses] = None

    @contextlib.contextmanager
    def opened(self, changes: Sequence[Mapping[str, Any]]) -> Iterator[Booth]:
        """For arms of ``changes``; while it is open, ``app`` is what to call."""
        numbers = [change["bypass"] for change in changes if change.get("bypass") is not None]
        self._bypasses = Bypasses(self.app, self.bench.discovery.apps, numbers)
        outermost = self.app
        with self._bypasses.installed() as self.app:
            try:
                yield self
            finally:
                self.app = outermost

    def arm(self, change: Mapping[str, Any] = UNCHANGED) -> LiveArm:
        """Raises NotInProcess, and what FastAPI or Pydantic raise when the change cannot be made."""
        bypass = change.get("bypass")
        if bypass is not None:
            assert self._bypasses is not None
            self._bypasses.require(bypass)
        if self._found is not None:
            return LiveArm(self, self._found, variant_app(self._found, change), bypass)
        if change.get("edited"):
            raise NotInProcess("the request is not answered by a route of FastAPI")
        return LiveArm(self, None, None, bypass)


class Blocks:
    """The blocks of several arms; one that gives up leaves the others in peace."""

    def __init__(self, arms: Sequence[LiveArm], watchdog: Watchdog, gave_up: Reasons) -> None:
        self._arms = arms
        self._watchdog = watchdog
        self._gave_up = gave_up

    async def alone(self, schedule: Mapping[str, Any]) -> Dict[str, Any]:
        """As ``direct.run_blocks``, with ``gave_up`` an arm: why its blocks are incomplete, or None."""
        slowest_ns = 0.0
        for number, arm in enumerate(self._arms):
            slowest_ns = max(slowest_ns, await self._guarded(number, warm_up(arm)) or 0.0)
        return await self._all(schedule, run, min(SETTLE_NS, slowest_ns))

    async def parallel(self, schedule: Mapping[str, Any], in_flight: int) -> Dict[str, Any]:
        """Times per request with ``in_flight`` of them at once."""

        async def one_run(arm: LiveArm, length: int, dropped: int, settle_ns: float) -> Run:
            return await run_parallel(arm, length, dropped, in_flight)

        return await self._all(schedule, one_run, 0.0)

    async def _all(self, schedule: Mapping[str, Any], one_run: OneRun, settle_ns: float) -> Dict[str, Any]:
        errors = [arm.errors for arm in self._arms]
        runs: List[List[List[float]]] = [[] for _ in self._arms]
        for order in schedule["orders"]:
            for number in order:
                work = one_run(self._arms[number], schedule["length"], schedule["dropped"], settle_ns)
                done = await self._guarded(number, work)
                if done is not None:
                    runs[number].append(done.to_json())
        counted = [arm.errors - before for arm, before in zip(self._arms, errors)]
        return {"runs": runs, "errors": counted, "gave_up": list(self._gave_up)}

    async def _guarded(self, number: int, work: Any) -> Any:
        if self._gave_up[number] is not None:
            work.close()
            return None
        try:
            return await self._watchdog.guard(work)
        except GaveUp as reason:
            self._gave_up[number] = str(reason)
            return None
