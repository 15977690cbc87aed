"""The ``wirespeed/suite/1`` document: what ``pytest --wirespeed-json`` writes."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import AwareDatetime

from ._base import Document
from .advice import Difference, Fidelity, Finding

FORMAT: Final = "wirespeed/suite/1"

SuiteConclusion = Literal["remedy", "other bytes", "small", "unmeasured", "fast", "nothing"]


class SuiteGain(Document):
    """remedy/unchanged time ratio, below 1 is faster, measured in one process: it has no interval.

    ``spread`` is the middle half of its blocks, [low, high]; another process may be a few per cent apart.
    """

    ratio: float
    spread: tuple[float, float]


class SuiteRemedy(Document):
    name: str
    code: str
    fidelity: Fidelity
    differences: tuple[Difference, ...] = ()
    imports: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    """What the endpoint's module needs for the type in ``name``."""
    whole: SuiteGain
    """Of the whole request, as the tests called it."""
    response_path: SuiteGain
    before_ns: float
    """The response path as it is."""
    after_ns: float


class SuiteEndpoint(Document):
    method: str
    path: str
    """The route's path template."""
    source: str | None
    tests: int
    """How many tests called it."""
    requests: int
    first_test: str | None
    """The first test that called it."""
    status: int | None
    """Of its latest successful answer; null where it had none."""
    body_bytes: int
    """Of its largest successful answer."""
    fast_path: bool
    conclusion: SuiteConclusion
    """``remedy``: one that keeps the bytes. ``small``: no gain large enough for one process to show.
    ``unmeasured``: something was found, and ``note`` says why it has no estimate. ``nothing``: nothing that
    tests can show; ``note`` may say why.
    """
    note: str | None = None
    findings: tuple[Finding, ...] = ()
    remedies: tuple[SuiteRemedy, ...] = ()
    """Only those that gain enough: the one that keeps the bytes first."""


class SuiteAdvice(Document):
    format: Literal["wirespeed/suite/1"] = FORMAT
    created: AwareDatetime
    wirespeed: str
    estimates: Literal["one process", "none"]
    """``none`` where nothing was measured; ``notes`` say why."""
    shown_from: float
    """The smallest factor in the whole request that one process may show."""
    python: str
    packages: dict[str, str]
    budget_s: float
    elapsed_s: float
    """Spent on measuring."""
    workers: int = 1
    """Processes that ran tests."""
    complete: bool = True
    """False where measuring was stopped, or ran out of time."""
    notes: tuple[str, ...] = ()
    endpoints: tuple[SuiteEndpoint, ...]
