"""Measuring after the last test, in a thread of its own: whoever else has an event loop there keeps it.

The promising endpoints come first, and what the budget leaves no time for is said. Ctrl-C ends it early.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirespeed_agent.gcmeter import metering

from .guarding import nothing_outside
from .kept import Endpoint
from .trials import NO_TIME, Tried, try_endpoint, untried

PATIENCE_S = 10.0
"""How long one endpoint may go on after the time is up; code that then still runs is left to itself."""

SEED = 0

STOPPED = "measuring was stopped"
TRACED = "a tracer (coverage, a debugger) was still active: it would have been timed, too"


@dataclass
class Outcome:
    tried: list[Tried] = field(default_factory=list)
    elapsed_s: float = 0.0
    interrupted: bool = False
    note: str | None = None
    """Why there are fewer estimates than there might be."""


def list_only(endpoints: Sequence[Endpoint], reason: str) -> Outcome:
    """What the tests showed, with nothing measured for that reason."""
    return Outcome([untried(endpoint, reason) for endpoint in endpoints], note=reason)


def measure_all(endpoints: Sequence[Endpoint], budget_s: float) -> Outcome:
    """What replay shows of each; over after ``budget_s`` and one endpoint more at the latest."""
    if is_traced():
        return list_only(endpoints, TRACED)
    if not endpoints:
        return Outcome()
    work = _Work(sorted(endpoints, key=_promise, reverse=True), budget_s)
    began = time.perf_counter()
    thread = threading.Thread(target=work.run, name="wirespeed", daemon=True)
    outcome = Outcome()
    with _silence():
        try:
            thread.start()
            work.over.wait(budget_s + PATIENCE_S)
        except KeyboardInterrupt:
            outcome.interrupted = True
            work.stop = True
            with contextlib.suppress(KeyboardInterrupt):
                work.over.wait(PATIENCE_S)
    outcome.tried, outcome.note = work.results(STOPPED if outcome.interrupted else NO_TIME)
    outcome.elapsed_s = time.perf_counter() - began
    return outcome


def is_traced() -> bool:
    return sys.gettrace() is not None or threading.gettrace() is not None


class _Work:
    """What the thread does, and what there is of it whenever it is asked."""

    def __init__(self, endpoints: Sequence[Endpoint], budget_s: float) -> None:
        self.stop = False
        self.over = threading.Event()
        """Waited for instead of the thread: a ``join`` that Ctrl-C ends takes the thread for ended, too, and
        the interpreter would then go down under it.
        """
        self._endpoints = endpoints
        self._budget_s = budget_s
        self._done: list[Tried] = []
        self._failed: str | None = None

    def run(self) -> None:
        try:
            loop = asyncio.new_event_loop()
            try:
                loop.run_until_complete(self._try_all())
            finally:
                loop.close()
        # Nobody would see it in this thread; the report says so.
        except Exception as error:
            self._failed = f"measuring broke off: {type(error).__name__}: {error}"
        finally:
            self.over.set()

    def results(self, reason: str) -> tuple[list[Tried], str | None]:
        """All endpoints; those without a result for the given reason."""
        done = list(self._done)
        reason = self._failed or reason
        left = [untried(endpoint, reason) for endpoint in self._endpoints[len(done) :]]
        cut_short = [each for each in done if each.reason == NO_TIME]
        told = [each.reason for each in (*left, *cut_short) if each.findings]
        return done + left, told[0] if told else None

    async def _try_all(self) -> None:
        ends = time.perf_counter() + self._budget_s
        rng = random.Random(SEED)
        with nothing_outside():
            for endpoint in self._endpoints:
                if self.stop or time.perf_counter() > ends:
                    return
                self._done.append(await try_endpoint(endpoint, rng, ends))


def _promise(endpoint: Endpoint) -> int:
    """The longest response path that a test saw, where there is anything to replay."""
    if not endpoint.captures:
        return 0
    return max((call.response_path_ns for call in endpoint.calls), default=0)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """What the user's serializers print or warn of, they said in the tests already, as far as it mattered."""
    with (
        metering(),
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
