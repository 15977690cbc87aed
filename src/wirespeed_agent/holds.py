"""Holds of the event loop: from one suspension of a coroutine to the next, nothing else on the loop can run.

A coroutine is driven step by step, each step timed by three clocks. Coroutines that are driven this way may
run inside each other (an endpoint inside the whole app): a step's time without that of the steps inside it is
its own. There is no list of functions that block: whatever waits while it holds the loop shows, C code too.
"""

from __future__ import annotations

import threading
import types
from typing import Any, Awaitable, Coroutine, Dict, Generator, List, Optional

from .thread_clock import NOTHING, Took, elapsed, read
from .touching import Touched, attributed


class HoldMeter:
    """The holds of one call: of every worker the one that was blocked the longest."""

    def __init__(self) -> None:
        self.worst: Dict[Optional[str], Took] = {}
        """By ``Work.key``; None for code that belongs to none, such as middleware."""
        self.loop_thread = threading.get_ident()
        self._inside: List[Took] = []
        """For each step that is under way, the time of the steps inside it."""

    def enter(self) -> bool:
        """Whether this step holds the loop: a coroutine may also be run by a loop of a thread's own."""
        if threading.get_ident() != self.loop_thread:
            return False
        self._inside.append(NOTHING)
        return True

    def leave(self, key: Optional[str], took: Took) -> Took:
        """Note a step that took so long, and return its own part."""
        own = took.since(self._inside.pop())
        if self._inside:
            self._inside[-1] = _sum(self._inside[-1], took)
        worst = self.worst.get(key)
        if worst is None or own.blocked_ns > worst.blocked_ns:
            self.worst[key] = own
        return own


class Total:
    """What the steps of one coroutine took together."""

    def __init__(self) -> None:
        self.took = NOTHING


def _sum(one: Took, other: Took) -> Took:
    return Took(*(a + b for a, b in zip(one, other)))


@types.coroutine
def in_steps(
    coroutine: Coroutine[Any, Any, Any],
    meter: HoldMeter,
    key: Optional[str],
    touched: Optional[Touched],
    total: Total,
) -> Generator[Any, Any, Any]:
    """Await ``coroutine`` as ``await`` would, in the same task and context, with every step timed."""
    value: Any = None
    error: Optional[BaseException] = None
    read()  # opens what the clocks are read from, which is not the coroutine's doing
    while True:
        holds = meter.enter()
        took = NOTHING
        try:
            with attributed(touched):
                start = read()
                try:
                    waits_for = coroutine.send(value) if error is None else coroutine.throw(error)
                finally:
                    took = elapsed(start)
        except StopIteration as end:
            return end.value
        finally:
            total.took = _sum(total.took, meter.leave(key, took) if holds else took)
        value = error = None
        try:
            value = yield waits_for
        except BaseException as thrown:
            error = thrown


def held(app_call: Awaitable[None], meter: HoldMeter) -> Awaitable[None]:
    """The call of an ASGI app, with the holds that belong to no callable of the route noted as well."""
    if isinstance(app_call, types.CoroutineType):
        return in_steps(app_call, meter, None, None, Total())
    return app_call
