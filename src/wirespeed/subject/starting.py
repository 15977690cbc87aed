"""How the processes of a round are started: as forks of one fresh nursery, where that can be.

What they have in common then are layout of memory and seed of hashing, drawn anew for every round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Self

from wirespeed.model.subject import AppSubject

from .agent import Start
from .nursery import Nursery, can_share_a_start
from .process import start_agent

AT_ONCE = 2
"""Nurseries that import side by side: a second one costs no time on two cores."""
SHARED_START = 0.5
"""About what a round's start takes then, of what three starts take."""


class Starting:
    """A way to start for every round, from ``__enter__`` to ``__exit__``."""

    def __init__(self, subjects: Sequence[AppSubject]) -> None:
        self._subject = subjects[0]
        self.is_shared = can_share_a_start(subjects)
        self._waiting: list[Nursery] = []
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._open.close()

    @contextmanager
    def of_a_round(self) -> Iterator[Start]:
        """Raises UsageError where the interpreter cannot be run."""
        if not self.is_shared:
            yield start_agent
            return
        if not self._waiting:
            self._open.close()
            self._waiting = [self._open.enter_context(Nursery(self._subject)) for _ in range(AT_ONCE)]
        yield self._waiting.pop().start
