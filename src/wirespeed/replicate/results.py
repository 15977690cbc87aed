"""What steps measured, as values that can be kept between runs: numbers only, no verdicts.

Verdicts, tables and notes are derived from these, by pure functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from wirespeed.model._base import Value
from wirespeed.model.advice import Phases


class ArmFigures(Value):
    """One arm, all its counted requests together; times in nanoseconds, None where there are none."""

    name: str
    requests: int
    answered: int
    errors: dict[str, int]
    """Requests that failed, or were answered with another status than usual, by kind."""
    mean_ns: float | None
    median_ns: float | None
    stdev_ns: float | None
    p95_ns: float | None = None
    p99_ns: float | None = None
    max_ns: float | None = None
    censored_above_ns: float | None = None
    """From here on times are lower bounds: requests were given up when they had taken as long."""
    requests_per_s: float | None
    cpu_s_per_request: float | None = None


class ExperimentResult(Value):
    """Rounds of one experiment."""

    kind: Literal["experiment"] = "experiment"
    step: str
    connections: int
    arms: tuple[ArmFigures, ...]
    bodies: dict[str, str]
    """SHA-256 of each arm's answer; empty where answers change from call to call."""
    body_bytes: dict[str, int]
    log_ratios: dict[str, dict[str, tuple[float, ...]]]
    """By metric, by arm: ln(arm / first arm), one number a round, in order. Metrics that the rounds do not
    support are left out.
    """
    looks: tuple[int, ...]
    """Rounds after which verdicts may be read, fixed before the first."""
    pairings: int
    rounds: int
    troubles: dict[str, tuple[str, ...]]
    """Why no verdict may be read, by arm; under ``""`` what concerns all arms."""
    complete: bool
    """False when Ctrl-C ended it early."""
    elapsed_s: float

    def of(self, arm: str) -> ArmFigures:
        return next(each for each in self.arms if each.name == arm)


class SingleRunsResult(Value):
    """``runs[n]``: what each arm showed the n-th time."""

    kind: Literal["single runs"] = "single runs"
    step: str
    connections: int
    runs: tuple[tuple[ArmFigures, ...], ...]
    elapsed_s: float

    def of(self, arm: str) -> list[ArmFigures]:
        """The arm's figures, run by run."""
        return [each for run in self.runs for each in run if each.name == arm]


class Inspected(Value):
    """One answer, and how it was made."""

    name: str
    status: int | None
    body_sha256: str | None
    content_type: str | None
    value_type: str | None
    """What the endpoint returned."""
    hand_built: bool
    """Whether that was a response already, so that no response model had a say in it."""
    fast_path: bool
    """Whether the compiled serializer wrote the bytes straight away."""
    has_response_model: bool
    json_value: Any = None
    """The answer, where it is JSON."""
    phases_ns: Phases | None = None
    """Where the time of the call went; None where it was no success."""


class InspectionResult(Value):
    kind: Literal["inspection"] = "inspection"
    step: str
    arms: tuple[Inspected, ...]

    def of(self, arm: str) -> Inspected:
        return next(each for each in self.arms if each.name == arm)


class NotMeasured(Value):
    """A step that could not be measured, and why."""

    kind: Literal["not measured"] = "not measured"
    step: str
    reason: str


Result = Annotated[
    ExperimentResult | SingleRunsResult | InspectionResult | NotMeasured, Field(discriminator="kind")
]


class SuiteResults(Value):
    """What there is of a suite so far, by step."""

    steps: tuple[Result, ...] = ()

    def experiment(self, step: str) -> ExperimentResult | None:
        """None where it was not measured (yet)."""
        return next((each for each in self._of(step) if isinstance(each, ExperimentResult)), None)

    def single_runs(self, step: str) -> SingleRunsResult | None:
        return next((each for each in self._of(step) if isinstance(each, SingleRunsResult)), None)

    def inspection(self, step: str) -> InspectionResult | None:
        return next((each for each in self._of(step) if isinstance(each, InspectionResult)), None)

    def why_not(self, step: str) -> str:
        """Why there is no result of a step."""
        missing = (each.reason for each in self._of(step) if isinstance(each, NotMeasured))
        return next(missing, f"{step} was not measured")

    def _of(self, step: str) -> Iterator[Result]:
        return (each for each in self.steps if each.step == step)
