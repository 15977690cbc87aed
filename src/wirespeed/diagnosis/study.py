"""What is known of one endpoint before the first confirming round, and of all of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirespeed.model.advice import Finding
from wirespeed.model.plan import RequestPlan
from wirespeed.model.request import PlannedRequest, Route
from wirespeed.model.subject import Booted

from .edits import Proposal, Writer
from .observation import Hot, Observation, Screening
from .selection import Candidate, promised_gain_ns


@dataclass
class Study:
    """One endpoint as round 0 left it."""

    planned: PlannedRequest
    route: Route | None
    seen: Observation
    findings: list[Finding] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)
    """Changes of this route alone, the most natural first."""
    screening: Screening | None = None
    kept: list[Candidate] = field(default_factory=list)
    """Those that get an arm, the favourite first."""
    left: list[Candidate] = field(default_factory=list)
    hot: Hot | None = None
    note: str | None = None
    process: int = 0
    """Which of round 0's processes has its answers."""

    @property
    def is_measurable(self) -> bool:
        return self.seen.whole_ns is not None and self.seen.failed is None and not self.is_unsafe

    @property
    def is_unsafe(self) -> bool:
        return bool(self.seen.actions) and not self.planned.named

    @property
    def is_untried(self) -> bool:
        """Whether there are remedies that nobody came to try."""
        return bool(self.proposals) and self.screening is None and not self.left

    def give_up(self, candidate: Candidate) -> None:
        """Measure no arm of it, for want of time."""
        self.kept.remove(candidate)
        self.left.insert(0, candidate.without_time())

    @property
    def promised_ns(self) -> float:
        return 0.0 if self.screening is None else promised_gain_ns(self.seen, self.screening, self.kept)


@dataclass
class Shared:
    """A change that reaches several endpoints: it is measured on one, and credited to the others.

    ``users`` are all endpoints that it was proposed for, that one included.
    """

    proposal: Proposal
    users: list[Study]

    @property
    def measured_on(self) -> Study:
        """The quickest: there the same nanoseconds are the largest share, and calls cost least."""
        return min(self.users, key=lambda study: study.seen.whole_ns or 0)


@dataclass
class RoundZero:
    booted: Booted
    boot_s: float
    routes: list[Route]
    requests: RequestPlan
    unreachable: int
    writer: Writer
    studies: list[Study] = field(default_factory=list)
    shared: list[Shared] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hangs_at_shutdown: bool = False
    interrupted: bool = False
