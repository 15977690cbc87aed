"""The ``wirespeed/advice/1`` document: what ``advise --json`` prints and what records keep."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import AwareDatetime

from ._base import Document
from .request import Skipped
from .verdict import Estimate, Verdict

FORMAT: Final = "wirespeed/advice/1"

Fidelity = Literal["identical", "equal", "different"]
Conclusion = Literal["remedy", "fast", "elsewhere", "undecided", "unsafe", "failed"]


class SubjectFacts(Document):
    app: str
    """The import string the app was found under."""
    python: str
    packages: dict[str, str]


class Environment(Document):
    cpu: str
    cores: int
    """Cores this process may use: affinity and cgroup quota are respected."""
    load_1m: float | None
    steal: float | None
    """Share of CPU time the hypervisor gave to others (fraction); null where the system does not tell."""
    os: str
    event_loop: str | None


class Plan(Document):
    budget_s: float
    margin: float
    """The smallest change that matters (fraction)."""
    alpha: float
    """How often the table as a whole may be wrong (fraction)."""
    seed: int
    rounds: int
    live_calls: int


class Noise(Document):
    """Spread of the baseline against itself, and the smallest effect these rounds can show (fractions)."""

    round_sd: float | None
    smallest_effect: float | None


class Phases(Document):
    """Median nanoseconds of one live request, by phase; ``layers`` by ASGI layer, without what they wrap."""

    layers: dict[str, int]
    routing: int
    dependencies: int
    endpoint: int
    validation: int
    serialization: int
    rendering: int


class HotFrame(Document):
    share: float
    """Share of the request's time (fraction)."""
    where: str
    """``file.py:31 function``."""


class Finding(Document):
    code: str
    problem: str
    evidence: str
    advice: str | None = None
    """What to do by hand, where no remedy can be measured."""
    ignored: str | None = None
    """The reason in the comment that ignores it; then nothing was tried for it."""
    known: bool = False
    """Whether the baseline has it."""


class Difference(Document):
    at: str
    """JSON path, ``$[3].when``."""
    baseline: Any
    arm: Any


class ParallelEstimate(Document):
    """arm/baseline time ratio with ``n`` requests at once; below 1 is faster."""

    n: int
    ratio: float
    interval: tuple[float, float]


class ThroughServer(Document):
    """What a remedy gains through the app's own server, over HTTP; its figures are of one family."""

    server: str
    workers: int
    rounds: int
    alone: Estimate | None
    """One request at a time, over one connection. Null where nothing was measured; ``reason`` says why."""
    loaded: ParallelEstimate | None
    """Time per request while ``n`` connections were busy."""
    contradicts: bool
    """Whether one of the two shows that the remedy is slower."""
    reason: str | None = None


class Arm(Document):
    name: str
    code: str
    kind: Literal["annotation", "option", "code", "app"]
    edit: str | None
    """A unified diff for ``git apply`` in the app's folder; else the type's source, or null."""
    whole: Estimate | None
    """Null where the arm was not measured; ``reason`` says why."""
    response_path: Estimate | None
    parallel: ParallelEstimate | None
    verdict: Verdict
    fidelity: Fidelity
    safe_by: Literal["type", "values"] | None
    """``type``: the declared type fixes these bytes. ``values``: only the captured answers were compared."""
    differences: tuple[Difference, ...]
    openapi: str | None
    confirmed_by: Literal["edit", "variant"] | None
    recommended: bool
    reason: str | None
    """Why it is not recommended; where it is, what to know of its edit."""
    served: ThroughServer | None = None
    """Null where it was not recommended, or nobody asked for it (``--http``)."""


class Endpoint(Document):
    method: str
    path: str
    """The route's path template."""
    request: str
    """What was sent: method and path with query."""
    source: str | None
    status: int | None
    body_bytes: int | None
    fast_path: bool
    whole_ns: int | None
    response_path_ns: int | None
    floor_ns: int | None
    """The same answer with its bytes ready: no remedy of the response path beats it."""
    gc_share: float | None
    """Share of garbage collection in the mean (fraction); it is taken out of the other figures."""
    unstable: tuple[str, ...]
    """JSON paths at which two answers of the baseline differ; left out of comparisons."""
    phases_ns: Phases | None
    hot_frame: HotFrame | None
    conclusion: Conclusion
    note: str | None = None
    """One sentence for the conclusions that need one: why unsafe, failed, undecided, or not replayable."""
    findings: tuple[Finding, ...]
    arms: tuple[Arm, ...]


class Advice(Document):
    format: Literal["wirespeed/advice/1"] = FORMAT
    created: AwareDatetime
    wirespeed: str
    subject: SubjectFacts
    environment: Environment
    plan: Plan
    noise: Noise
    elapsed_s: float | None = None
    complete: bool = True
    """False when Ctrl-C or the budget ended it early."""
    notes: tuple[str, ...] = ()
    diff: str | None = None
    """All recommended remedies that have an edit, together: for ``git apply`` in the app's folder."""
    endpoints: tuple[Endpoint, ...]
    skipped: tuple[Skipped, ...]
