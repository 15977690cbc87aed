"""A deadline for calls that are timed; nothing stands around the call itself, to add to its time."""

from __future__ import annotations

import asyncio
from typing import Any, Coroutine, Optional, TypeVar

T = TypeVar("T")


class GaveUp(Exception):
    """A run that cannot go on; says why."""


class Watchdog:
    """Ends what it guards when no call has begun or ended for ``deadline_s``."""

    def __init__(self, deadline_s: float) -> None:
        self._deadline_s = deadline_s
        self._task: Optional[asyncio.Task[Any]] = None
        self._alive_at = 0.0
        self._expired = False

    def note_life(self) -> None:
        self._alive_at = asyncio.get_running_loop().time()

    async def guard(self, work: Coroutine[Any, Any, T]) -> T:
        """Raises GaveUp after the deadline, and what ``work`` raises. One at a time."""
        self.note_life()
        self._expired = False
        self._task = task = asyncio.ensure_future(work)
        self._timer = asyncio.get_running_loop().call_later(self._deadline_s, self._look)
        try:
            return await task
        except asyncio.CancelledError:
            if not self._expired:
                task.cancel()
                raise
            raise GaveUp(f"no answer within {self._deadline_s:g} s") from None
        finally:
            self._timer.cancel()

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        left_s = self._alive_at + self._deadline_s - loop.time()
        if left_s > 0:
            self._timer = loop.call_later(left_s, self._look)
            return
        self._expired = True
        assert self._task is not None
        self._task.cancel()
