"""The ``wirespeed/advice/1`` document: what ``advise --json`` prints and what records keep."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ._base import Value
from .request import Skipped
from .verdict import Estimate, Verdict

FORMAT = "wirespeed/advice/1"

Fidelity = Literal["identical", "equal", "different"]
Conclusion = Literal["remedy", "fast", "elsewhere", "undecided", "unsafe", "failed"]


class SubjectFacts(Value):
    app: str
    python: str
    packages: dict[str, str]


class Environment(Value):
    cpu: str
    cores: int
    load_1m: float
    steal: float
    os: str
    event_loop: str | None


class Plan(Value):
    budget_s: float
    margin: float
    alpha: float
    seed: int
    rounds: int
    live_calls: int


class Noise(Value):
    """Spread of the baseline against itself, and the smallest effect these rounds can show (fractions)."""

    round_sd: float | None
    smallest_effect: float | None


class Phases(Value):
    """Median nanoseconds of one live request, by phase; ``layers`` by ASGI layer, without what they wrap."""

    layers: dict[str, int]
    routing: int
    dependencies: int
    endpoint: int
    validation: int
    serialization: int
    rendering: int


class HotFrame(Value):
    share: float
    where: str


class Finding(Value):
    code: str
    problem: str
    evidence: str


class Difference(Value):
    at: str
    baseline: Any
    arm: Any


class ParallelEstimate(Value):
    n: int
    ratio: float
    interval: tuple[float, float]


class Arm(Value):
    name: str
    code: str
    kind: Literal["annotation", "option", "code", "app"]
    edit: str | None
    whole: Estimate | None
    """Null where the arm was not measured; ``reason`` says why."""
    response_path: Estimate | None
    parallel: ParallelEstimate | None
    verdict: Verdict
    fidelity: Fidelity
    safe_by: Literal["type", "values"] | None
    """``type``: the declared type already fixes these bytes. ``values``: only the captured answers were compared."""
    differences: tuple[Difference, ...]
    openapi: str | None
    confirmed_by: Literal["edit", "variant"] | None
    recommended: bool
    reason: str | None


class Endpoint(Value):
    method: str
    path: str
    request: str
    source: str | None
    status: int | None
    body_bytes: int | None
    fast_path: bool
    whole_ns: int | None
    response_path_ns: int | None
    floor_ns: int | None
    gc_share: float | None
    unstable: tuple[str, ...]
    phases_ns: Phases | None
    hot_frame: HotFrame | None
    conclusion: Conclusion
    note: str | None = None
    """One sentence for the conclusions that need one: why unsafe, failed, undecided, or not replayable."""
    findings: tuple[Finding, ...]
    arms: tuple[Arm, ...]


class Advice(Value):
    format: Literal["wirespeed/advice/1"] = "wirespeed/advice/1"
    created: datetime
    wirespeed: str
    subject: SubjectFacts
    environment: Environment
    plan: Plan
    noise: Noise
    elapsed_s: float
    complete: bool
    """False when Ctrl-C or the budget ended it early."""
    notes: tuple[str, ...] = ()
    endpoints: tuple[Endpoint, ...]
    skipped: tuple[Skipped, ...]
