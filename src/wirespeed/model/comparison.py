"""The ``wirespeed/comparison/1`` document: what ``compare --json`` prints and what records keep."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import AwareDatetime

from . import advice
from ._base import Document
from .advice import Difference
from .load import Validity
from .verdict import Verdict

FORMAT: Final = "wirespeed/comparison/1"

LensName = Literal["service", "load", "direct"]
Metric = Literal[
    "median_service_time", "mean_time_per_request", "p95", "p99", "cpu_s_per_request", "peak_memory"
]
"""Each is better where it is smaller."""


class Lens(Document):
    name: LensName
    """``service``: one request at a time over HTTP. ``load``: ``connections`` of them, each sending its next
    request as soon as it is answered. ``direct``: the app is called in its own process, without a socket.
    """
    connections: int


class Environment(advice.Environment):
    event_loop: str | None = None
    """Of the load generator."""


class Plan(Document):
    procedure: Literal["sequential"]
    margin: float
    """The smallest difference that matters (fraction)."""
    alpha: float
    """How often any verdict of the comparison may be wrong (fraction)."""
    looks: tuple[int, ...]
    """Rounds after which a verdict may be read; empty where nothing was measured."""
    seed: int
    metric: Metric = "median_service_time"
    """What verdicts are about; fixed before anything was measured."""
    budget_s: float | None = None
    """Null where rounds go on until the last look."""
    max_errors: float = 0.001
    """Share of an arm's requests that may fail (fraction)."""
    allow_different: bool = False
    """Whether arms may answer differently."""
    pairings: int = 0
    """How often rounds were averaged in pairs, as this machine's self-check asks for."""


class ArmLatencies(Document):
    """Nanoseconds. From the moment a request could have been sent to the end of its answer; pooled over
    rounds. Percentiles need ten values beyond them and are null with fewer.
    """

    mean: int | None
    p50: int | None
    p95: int | None
    p99: int | None


class ArmSubject(Document):
    """What answered: ``url`` alone where a server was running already."""

    url: str | None = None
    app: str | None = None
    python: str | None = None
    server: str | None = None
    workers: int | None = None
    requirements: tuple[str, ...] = ()
    """Packages installed over those of the app's environment."""
    revision: str | None = None


class Arm(Document):
    name: str
    baseline: bool
    requests: int
    """Requests sent in rounds."""
    errors: dict[str, int]
    """Of these, the ones that failed or were answered with another status than usual, by kind."""
    latency_ns: ArmLatencies
    requests_per_s: float | None
    """While all connections were busy; null where there was one."""
    cpu_s_per_request: float | None
    """CPU time of the server's processes; null for servers that were running already."""
    memory_bytes: int | None
    """Peak memory of the server's processes, median of rounds; null for arms that share a process."""
    request: str | None = None
    subject: ArmSubject | None = None
    status: int | None = None
    body_bytes: int | None = None
    differences: tuple[Difference, ...] = ()
    """Where its answer differs from the baseline's: the first few places."""


class MetricEstimate(Document):
    """An arm's figure divided by the baseline's; below 1 is better."""

    arm: str
    baseline: str
    metric: Metric
    ratio: float | None
    interval: tuple[float, float] | None
    """Holds at all looks together. Null where the evidence gives none."""
    verdict: Verdict | None
    """Null for every metric but the plan's."""
    note: str | None
    rounds_needed: int | None
    """About how many rounds would decide an inconclusive verdict."""


class Round(Document):
    index: int
    log_ratios: dict[str, float]
    """ln(arm/baseline) of the plan's metric; arms that were decided earlier are no longer measured."""
    kept: bool
    """False where other guests of the host took too much of the CPU; what the arms did plays no part."""


class Comparison(Document):
    format: Literal["wirespeed/comparison/1"] = FORMAT
    created: AwareDatetime
    wirespeed: str | None = None
    lens: Lens
    plan: Plan
    arms: tuple[Arm, ...]
    """The baseline first."""
    estimates: tuple[MetricEstimate, ...]
    rounds: tuple[Round, ...]
    environment: Environment
    validity: Validity
    elapsed_s: float | None = None
    complete: bool = True
    """False when Ctrl-C ended it early."""
    unstable: tuple[str, ...] = ()
    """JSON paths at which answers to the same request differ; they were not compared."""
    notes: tuple[str, ...] = ()
