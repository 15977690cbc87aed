"""The event loop that load runs on: uvloop where it exists, else asyncio's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from wirespeed.interruption import current

T = TypeVar("T")


def event_loop() -> tuple[Callable[[], asyncio.AbstractEventLoop], str]:
    """A factory for ``asyncio.Runner``, and the name that reports give the loop."""
    try:
        import uvloop
    except ImportError:
        # Not Windows' proactor: connections send on their sockets, which it would not see.
        return asyncio.SelectorEventLoop, "asyncio"
    return uvloop.new_event_loop, "uvloop"


class Runner:
    """Runs coroutines on that loop, and ends for its thread's interruption as others end for Ctrl-C."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner(loop_factory=event_loop()[0])

    def __enter__(self) -> Self:
        self._runner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.__exit__(kind, error, trace)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        interruption = current()
        if interruption is None:
            return self._runner.run(coroutine)
        loop = self._runner.get_loop()

        async def interruptible() -> T:
            task = asyncio.current_task()
            assert task is not None
            with interruption.calling(lambda: loop.call_soon_threadsafe(task.cancel)):
                return await coroutine

        try:
            return self._runner.run(interruptible())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
