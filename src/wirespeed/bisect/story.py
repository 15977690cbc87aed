"""What has happened so far in a bisection; kept as it happens, so that breaking off loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wirespeed.experiment.events import Event
from wirespeed.model.bisection import PackageChange
from wirespeed.model.bisection_plan import BisectionPlan

from .measuring import Measured
from .releases import Release
from .search import Search, Task
from .trial import Refusal, Trial


@dataclass(frozen=True, slots=True)
class StepStarted:
    """Something is tried out or compared. ``left``: the comparisons there may still be, this one included."""

    doing: str
    done: int
    left: int


Told = Event | StepStarted
Watcher = Callable[[Told], None]


@dataclass
class Story:
    plan: BisectionPlan
    releases: Sequence[Release]
    search: Search
    trials: dict[int, Trial] = field(default_factory=dict)
    """Of the releases that answered, by number."""
    refusals: dict[int, Refusal] = field(default_factory=dict)
    """Of those left out, by number."""
    measured: list[Measured] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    """Why it is invalid."""
    interrupted: bool = False
    packages: tuple[PackageChange, ...] = ()
    """What else differs between the environments on both sides of the change."""

    @property
    def last(self) -> int:
        return self.search.last

    @property
    def next_task(self) -> Task | None:
        return None if self.reasons or self.interrupted else self.search.task()

    def name(self, number: int) -> str:
        return self.releases[number].name

    def names(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple(map(self.name, numbers))
