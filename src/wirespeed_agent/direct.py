"""The direct lens: consecutive calls of one arm, timed in the app's own process.

A *run* is a number of consecutive calls of one arm. Its first calls are dropped: after another arm they find
cold caches, and no A/A comparison would show it. Never alternate call by call. What a slow call displaced
takes a fast one more than three calls to bring back: after 7 ms answers, the first eight of a 120 µs one read
40 to 50 % slower, the next forty still 1 to 3 %. So calls are dropped for a while, too. A *block* is one run
of every arm in the order the conductor drew.
"""

from __future__ import annotations

import asyncio
import statistics
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .asgi import ASGIApp, Scope, Sink
from .gcmeter import clock_ns, collected_ns

WARM_UP_CALLS = 3
SLOW_NS = 5_000_000
"""A call so long is as warm after one."""

SETTLE_NS = 5_000_000
"""How long calls are dropped after a switch, or as long as one call of the slowest arm if that is less."""


class Contestant:
    """An arm ready to be called: ``scope()`` makes a fresh scope, outside the timed part.

    ``errors`` counts the calls that raised, or answered with another status than ``status``.
    """

    def __init__(self, app: ASGIApp, scope: Callable[[], Scope], body: bytes, status: int) -> None:
        self.app = app
        self.scope = scope
        self.body = body
        self.status = status
        self.errors = 0

    def sink(self) -> Sink:
        """What takes the answer of the next call."""
        return Sink(self.body)

    def is_good(self, scope: Scope, sink: Sink) -> bool:
        """Whether the call that is over was one that counts."""
        return sink.status == self.status


class Run:
    """What one run showed: nanoseconds a call without GC, and those of GC in all of its kept calls.

    ``calls`` is their number, where it is not that of the times.
    """

    def __init__(self, elapsed_ns: Sequence[int], gc_ns: int, calls: Optional[int] = None) -> None:
        self.median_ns = statistics.median(elapsed_ns)
        self.mean_ns = statistics.fmean(elapsed_ns)
        self.fastest_ns = min(elapsed_ns)
        self.gc_ns = gc_ns
        self.calls = len(elapsed_ns) if calls is None else calls

    def to_json(self) -> List[float]:
        return [self.median_ns, self.mean_ns, self.gc_ns, self.calls, self.fastest_ns]


async def run(contestant: Contestant, length: int, dropped: int, settle_ns: float = 0) -> Run:
    """Calls for at least ``settle_ns``, and at least ``dropped`` of them; then ``length`` that count."""
    elapsed: List[int] = []
    gc_kept = 0
    calls = 0
    app = contestant.app
    began = clock_ns()
    while len(elapsed) < length:
        scope, sink = contestant.scope(), contestant.sink()
        gc_before = collected_ns()
        start = clock_ns()
        # Costs nothing while nothing is raised; an arm that fails must not take the others down.
        try:
            await app(scope, sink.receive, sink.send)
        except Exception:
            sink.status = 0
        spent = clock_ns() - start
        if not contestant.is_good(scope, sink):
            contestant.errors += 1
        calls += 1
        if calls > dropped and start - began >= settle_ns:
            elapsed.append(spent)
            gc_kept += collected_ns() - gc_before
        # What the app left on the loop (closed streams, finished task groups) is done here, in nobody's time.
        await asyncio.sleep(0)
    return Run(elapsed, gc_kept)


async def warm_up(contestant: Contestant) -> float:
    """The first calls, which find nothing warm; nanoseconds of the last ones."""
    warm = await run(contestant, 1, 0)
    if warm.median_ns < SLOW_NS:
        warm = await run(contestant, WARM_UP_CALLS - 1, 0)
    return warm.median_ns


async def run_blocks(
    contestants: Sequence[Contestant], schedule: Mapping[str, Any], settle_ns: Optional[float] = None
) -> Dict[str, Any]:
    """All blocks of one round; ``schedule`` is ``experiment.design.Schedule``.

    With ``settle_ns``, for which calls are dropped after each switch, the arms are taken to be warm already.
    Returns ``{"runs": [[run, …] an arm], "errors": [count an arm]}``, runs in the order of the blocks.
    """
    if settle_ns is None:
        slowest_ns = max([await warm_up(contestant) for contestant in contestants])
        settle_ns = min(SETTLE_NS, slowest_ns)
    runs: List[List[List[float]]] = [[] for _ in contestants]
    for order in schedule["orders"]:
        for number in order:
            done = await run(contestants[number], schedule["length"], schedule["dropped"], settle_ns)
            runs[number].append(done.to_json())
    return {"runs": runs, "errors": [contestant.errors for contestant in contestants]}
