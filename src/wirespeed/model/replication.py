"""The ``wirespeed/replication/1`` document: published claims beside what this machine shows."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

from pydantic import AwareDatetime

from ._base import Document
from .advice import Environment

FORMAT: Final = "wirespeed/replication/1"


class ClaimVerdict(StrEnum):
    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    CANNOT_TELL = "cannot tell"


class Source(Document):
    title: str
    published: str | None
    """ISO date, or year and month."""
    versions: dict[str, str]
    """Of what was measured then, by package."""


class Arm(Document):
    """An arm as one step measured it; times in nanoseconds."""

    name: str
    mean_ns: int | None
    median_ns: int | None
    requests_per_s: float | None
    stdev_ns: int | None
    step: str = ""
    connections: int = 1
    requests: int = 0
    errors: dict[str, int] = {}
    """Requests that failed, or were answered with another status than usual, by kind."""
    original: dict[str, float] = {}
    """The published figures of this arm, under the same names, where there are any."""


class Pair(Document):
    """``ratio`` is arm/baseline time: below 1 is faster."""

    step: str
    arm: str
    baseline: str
    ratio: float
    interval: tuple[float, float]


class Conclusion(Document):
    """What the rounds of a step say altogether."""

    step: str
    fastest: tuple[str, ...]
    """One arm, or those that cannot be told apart from the fastest."""
    text: str


class Claim(Document):
    statement: str
    original: float | None
    """Their ratio; null where they gave no figure."""
    ours: float | None
    """Null where the claim is not about a ratio, or nothing was measured."""
    interval: tuple[float, float] | None
    verdict: ClaimVerdict
    reason: str
    source: str = ""
    step: str = ""
    """What was measured for it."""


class Suite(Document):
    name: str
    source: Source
    arms: tuple[Arm, ...]
    claims: tuple[Claim, ...]
    method_notes: tuple[str, ...]
    """What the original method could not know, and what went wrong here."""
    pairs: tuple[Pair, ...] = ()
    conclusions: tuple[Conclusion, ...] = ()
    packages: dict[str, str] = {}
    """What answered here."""
    rounds: dict[str, int] = {}
    """By step."""


class Replication(Document):
    format: Literal["wirespeed/replication/1"] = FORMAT
    created: AwareDatetime
    suites: tuple[Suite, ...]
    environment: Environment
    wirespeed: str | None = None
    quick: bool = False
    seed: int | None = None
    alpha: float = 0.05
    """How often any verdict of a suite may be wrong (fraction)."""
    elapsed_s: float | None = None
    """Of this run; steps that an interrupted run had measured before are not in it."""
    complete: bool = True
    """False when Ctrl-C ended it early."""
