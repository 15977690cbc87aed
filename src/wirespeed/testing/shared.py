"""What may be in place only once in a process, for several tests that need it at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack


class Shared:
    """A context manager that is entered with the first of its users, and left with the last.

    Tests may overlap, as tasks or in threads. Were each to put its own watchers in place and to take them
    away again, whoever ends last would restore the watchers of somebody who has left.
    """

    def __init__(self, place: Callable[[], AbstractContextManager[None]]) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._users = 0
        self._placed = ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                self._placed.enter_context(self._place())
            self._users += 1

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._placed.close()
