"""What a comparison needs of a lens: all arms of a round, alive in fresh processes, driven one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from wirespeed.errors import WirespeedError
from wirespeed.model.request import Request

from .figures import Sample
from .rhythm import Turn
from .sameness import Answer

T = TypeVar("T")


class Stage(Protocol):
    """One round's arms, known by their numbers in the plan."""

    def answers(self, arm: int, number: int) -> list[Answer]:
        """Whole answers, to be compared. Raises ``SubjectError`` where one does not come."""

    def call_ns(self, arm: int) -> float:
        """About what a request takes: its latency, or under load the time per request.

        Raises ``SubjectError`` where requests fail.
        """

    def warm_up(self, arm: int, requests: int) -> None: ...

    def sample(self, arm: int, turn: Turn, status: int) -> Sample:
        """One turn; answers with another ``status`` are errors."""

    def memory_bytes(self, arm: int) -> int | None:
        """Peak of the arm's own processes; None where others share them, or the system does not tell."""

    def troubles(self) -> list[str]:
        """What happened to servers meanwhile that no number shows."""


class Lens(Protocol):
    def stage(self, arms: Sequence[int]) -> AbstractContextManager[Stage]:
        """Start what these arms need. Raises what starting it raises, the arm named."""


@dataclass(frozen=True)
class StagedArm:
    name: str
    host: int
    """Number of the process, or processes, that answer; arms of the same host share them."""
    request: Request


@contextmanager
def started(
    arms: Sequence[StagedArm], host: int, start: Callable[[], AbstractContextManager[T]]
) -> Iterator[T]:
    """Start a host, and put its arms' names before whatever goes wrong with it, unless it is that of all."""
    names = [arm.name for arm in arms if arm.host == host]
    passing: BaseException | None = None
    try:
        with start() as running:
            try:
                yield running
            except BaseException as error:
                passing = error
                raise
    except WirespeedError as error:
        if error is not passing and len(names) < len(arms):
            error.message = f"{', '.join(names)}: {error.message}"
            error.args = (error.message,)
        raise
