"""Many calls of one arm in flight at once, in the app's own process: what shows only with others.

Every call is a task of its own, as under a server. The time per request is the wall time of all over their
number: what one call makes the others wait is in it.
"""

from __future__ import annotations

import asyncio
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

from .asgi import Scope, Sink
from .direct import Contestant, Run
from .gcmeter import clock_ns, collected_ns

_Ready = Tuple[Scope, Sink]


async def run_parallel(contestant: Contestant, length: int, dropped: int, parallel: int) -> Run:
    """``dropped`` calls, and when they are over ``length`` that count, ``parallel`` in flight."""
    await _drive(contestant, _made_ready(contestant, dropped), parallel)
    calls = _made_ready(contestant, length)
    gc_before, start = collected_ns(), clock_ns()
    await _drive(contestant, calls, parallel)
    return Run([round((clock_ns() - start) / length)], collected_ns() - gc_before, length)


async def run_parallel_blocks(
    contestants: Sequence[Contestant], schedule: Mapping[str, Any], parallel: int
) -> Dict[str, Any]:
    """As ``direct.run_blocks``, each figure a time per request."""
    runs: List[List[List[float]]] = [[] for _ in contestants]
    for order in schedule["orders"]:
        for number in order:
            done = await run_parallel(contestants[number], schedule["length"], schedule["dropped"], parallel)
            runs[number].append(done.to_json())
    return {"runs": runs, "errors": [contestant.errors for contestant in contestants]}


def _made_ready(contestant: Contestant, number: int) -> List[_Ready]:
    """Outside the timed part, as for single calls."""
    return [(contestant.scope(), contestant.sink()) for _ in range(number)]


async def _drive(contestant: Contestant, calls: List[_Ready], parallel: int) -> None:
    waiting = iter(calls)
    lanes = [asyncio.ensure_future(_lane(contestant, waiting)) for _ in range(min(parallel, len(calls)))]
    try:
        await asyncio.gather(*lanes)
    finally:
        for lane in lanes:
            lane.cancel()


async def _lane(contestant: Contestant, waiting: Iterator[_Ready]) -> None:
    """One call after the other, as long as there are any."""
    for scope, sink in waiting:
        await asyncio.ensure_future(_call(contestant, scope, sink))


async def _call(contestant: Contestant, scope: Scope, sink: Sink) -> None:
    try:
        await contestant.app(scope, sink.receive, sink.send)
    except Exception:
        sink.status = 0
    if not contestant.is_good(scope, sink):
        contestant.errors += 1
