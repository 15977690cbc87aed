"""The functions of ``wirespeed`` for code that runs in an event loop.

Each takes the same arguments, runs in a thread of its own and leaves the loop free; listeners are called in
the loop. Cancelling one ends the processes that it started, waits until they are gone, and then raises
``CancelledError``.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar, cast

from wirespeed import api
from wirespeed.api.running import started_aside
from wirespeed.interruption import Interruption

__all__ = ["advise", "compare", "guard", "load"]

P = ParamSpec("P")
T = TypeVar("T")


def _in_a_thread(function: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    @functools.wraps(function)
    async def run(*args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        if (listener := cast("Callable[..., object] | None", kwargs.get("listener"))) is not None:
            kwargs["listener"] = functools.partial(loop.call_soon_threadsafe, listener)
        interruption = Interruption()
        running = started_aside(lambda: function(*args, **kwargs), interruption)
        ended = asyncio.wrap_future(running)
        try:
            return await asyncio.shield(ended)
        except asyncio.CancelledError:
            interruption.interrupt()
            await _end_of(ended)
            raise
        finally:
            interruption.close()

    return run


async def _end_of(ended: asyncio.Future[Any]) -> None:
    """However often that is cancelled in turn: nothing may be left running. What it gave is of no use."""
    while not ended.done():
        try:
            await asyncio.wait([ended])
        except asyncio.CancelledError:
            continue
    if not ended.cancelled():
        ended.exception()


advise = _in_a_thread(api.advise)
compare = _in_a_thread(api.compare)
guard = _in_a_thread(api.guard)
load = _in_a_thread(api.load)
