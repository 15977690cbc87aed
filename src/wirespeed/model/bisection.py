"""The ``wirespeed/bisection/1`` document: what ``bisect --json`` prints and what records keep."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

from pydantic import AwareDatetime

from . import comparison
from ._base import Document
from .advice import Difference
from .load import Validity
from .verdict import Estimate

FORMAT: Final = "wirespeed/bisection/1"


class Outcome(StrEnum):
    NONE = "none"
    """The ends do not differ beyond the margin."""
    RELEASE = "release"
    """One release changed the speed."""
    SEVERAL = "several"
    """More than one did; the one found has the larger change at every halving."""
    GRADUAL = "gradual"
    """What was found carries no more than half of the whole change."""
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"


class Kind(StrEnum):
    """Of comparisons."""

    ENDS = "ends"
    MIDDLE = "middle"
    STEP = "step"
    """The release found, and the one before it."""


class Likeness(StrEnum):
    """Of two releases, as far as the margin matters."""

    SAME = "same"
    DIFFERENT = "different"


class Place(StrEnum):
    """Which end a release in the middle answers as fast as."""

    EARLIER = "earlier"
    LATER = "later"
    NEITHER = "neither"
    """It differs from both beyond the margin: there are several changes."""


class Side(StrEnum):
    """Where the larger change lies, seen from the release in the middle."""

    BEFORE = "before"
    AFTER = "after"


class Subject(Document):
    app: str
    request: str
    python: str
    """The interpreter of the environment that those of the releases were made from."""
    requirements: tuple[str, ...] = ()
    """Packages installed for every release."""


class Range(Document):
    kind: Literal["package", "revision"]
    name: str
    """The package, or the folder."""
    first: str
    last: str
    releases: int
    """Releases, or commits, both ends included."""


class Plan(Document):
    margin: float
    """The smallest difference that matters (fraction)."""
    alpha: float
    """How often anything that is concluded may be wrong (fraction)."""
    comparisons: int
    """The most that could have been needed; they share alpha equally."""
    budget_s: float
    lens: Literal["direct", "service"]
    allow_different: bool
    max_errors: float
    seed: int
    pairings: int = 0
    """How often rounds were averaged in pairs, as this machine's self-check asks for."""


class PackageChange(Document):
    """Null where the package is not installed."""

    name: str
    before: str | None
    after: str | None


class Step(Document):
    """The change of time from one release to a later one: ``ratio`` below 1 is faster."""

    after: str
    """The last release before the change."""
    at: str
    """The release that has it."""
    title: str | None = None
    """Of the commit, for revisions."""
    ratio: float
    interval: tuple[float, float]
    share: tuple[float, float]
    """Of the whole change (fractions)."""
    skipped: tuple[str, ...] = ()
    """Releases between the two that could not be measured: the change may have come with one of them."""
    untried: int = 0
    """How many between the two were not looked at."""
    packages: tuple[PackageChange, ...] = ()
    """What else is installed differently on both sides: such a package may be the cause."""


class Tried(Document):
    """A release that answered, and its time divided by that of the first end."""

    name: str
    title: str | None = None
    ratio: float | None
    """Null where it was not measured."""
    interval: tuple[float, float] | None
    latency_ns: int | None
    """The median of all the rounds it was in; ratios are from rounds of both, and say more."""
    status: int
    body_bytes: int
    differences: tuple[Difference, ...] = ()
    """Where its answer differs from that of the first end: the first few places."""


class Skipped(Document):
    name: str
    reason: str
    differences: tuple[Difference, ...] = ()
    """Where it answers differently than the first end, if it was left out for that."""


class Comparison(Document):
    """One comparison, in the order made."""

    kind: Kind
    releases: tuple[str, ...]
    """In their order; of a middle, the ends beside it first and last."""
    estimates: tuple[Estimate, ...]
    """From each release to the next; empty where it ended before the first look."""
    verdict: Likeness | Place | None
    """Of two releases: same or different. Of a middle: the end it belongs with. Null where not proven."""
    followed: Side | None = None
    """Of a middle: the side on which the larger change lies; null where not proven."""
    rounds: int
    looks: tuple[int, ...]
    """Rounds after which a verdict could be read."""


class Bisection(Document):
    format: Literal["wirespeed/bisection/1"] = FORMAT
    created: AwareDatetime
    wirespeed: str | None = None
    subject: Subject
    range: Range
    plan: Plan
    outcome: Outcome
    """``none``: the ends do not differ beyond the margin. ``release``: one release changed the speed.
    ``several``: more than one did. ``gradual``: what was found carries no more than half of the change.
    """
    overall: Estimate | None
    """Last end divided by first."""
    change: Step | None
    """The smallest range that is proven to hold the change, or the larger part of it."""
    steps: tuple[Step, ...] = ()
    """All steps that the whole change falls into, the largest first."""
    tried: tuple[Tried, ...]
    """In the order of the releases."""
    skipped: tuple[Skipped, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    environment: comparison.Environment
    validity: Validity
    elapsed_s: float
    complete: bool = True
    """False when Ctrl-C ended it early."""
    unstable: tuple[str, ...] = ()
    """JSON paths at which answers to the same request differ; they were not compared."""
    notes: tuple[str, ...] = ()
