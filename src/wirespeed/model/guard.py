"""The ``wirespeed/guard/1`` document: whether head is slower than base, or answers differently."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

from pydantic import AwareDatetime

from ._base import Document
from .advice import Difference, Environment
from .request import Skipped

FORMAT: Final = "wirespeed/guard/1"


class GuardDecision(StrEnum):
    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


Behaviour = Literal["same", "changed", "allowed"]
"""``allowed``: the body changed, and ``--allow-body-change`` names the path."""

Change = Literal["status", "body", "headers", "failed", "removed"]
"""What a client would notice. ``failed``: no answer came. ``removed``: head has no such route."""

EnvironmentSource = Literal["own", "lock", "with"]
"""``own``: the app's environment as it is. ``lock``: made from the side's own dependency files. ``with``: one
of these, with the packages of ``--with``, ``--base-with`` or ``--head-with`` in it.
"""


class Side(Document):
    """Base or head, as it was started."""

    revision: str
    """The commit, or ``working tree``."""
    packages: dict[str, str]
    named: str | None = None
    """What the user called the revision: ``main`` where ``revision`` is its merge-base with head."""
    changed_files: int = 0
    """Files of a working tree with changes that are not committed."""
    python: str | None = None
    environment: EnvironmentSource = "own"
    dependency_file: str | None = None
    """What its environment was made from, relative to the repository."""


class PackageChange(Document):
    """A package whose version differs between the sides; null where it is not installed."""

    name: str
    base: str | None
    head: str | None


class Certificate(Document):
    """Base against base in a process of its own: what this machine calls a difference where there is none."""

    ratio: float | None
    interval: tuple[float, float] | None
    """Null before the first look."""
    fit: bool
    """False where base differs from itself beyond ``max_slowdown``; nobody is blamed then."""
    unfit: tuple[str, ...] = ()
    """The requests that showed it; empty where only their mean did."""
    note: str | None = None


class Judged(Document):
    """head/base time ratio; above 1 is slower. Null where nothing was measured."""

    ratio: float | None
    interval: tuple[float, float] | None
    """Its lower end proves a slowdown, and holds for overall and all endpoints together; its upper end
    excludes one, and holds for each alone, as a guard passes only where all of them do.
    """
    decision: GuardDecision | None
    """Null where there is no verdict on speed: ``note`` says why."""
    rounds: int = 0
    """Rounds that the decision rests on."""
    rounds_needed: int | None = None
    """About how many rounds would decide, where it is inconclusive."""
    note: str | None = None


class Overall(Judged):
    """The mean of the endpoints' log ratios."""


class GuardedEndpoint(Judged):
    request: str
    """``GET /users?page=2``."""
    behaviour: Behaviour
    route: str | None = None
    """The route's path template."""
    source: str | None = None
    """``file.py:31`` of the endpoint in head, relative to the app's folder."""
    base_ns: int | None = None
    head_ns: int | None = None
    """What one request takes while nothing else disturbs the machine: the median over processes."""
    base_gc_share: float | None = None
    head_gc_share: float | None = None
    """Share of garbage collection in the mean (fraction); it is taken out of the other figures."""


class BehaviourChange(Document):
    """Something that clients would notice; ``arm`` in its differences is head."""

    request: str
    change: Change
    differences: tuple[Difference, ...]
    allowed: bool = False
    note: str | None = None


class GuardProcedure(Document):
    """How the decisions were reached; fixed before the first round."""

    alpha: float
    """How often the guard may fail, or pass, wrongly (fraction)."""
    alpha_overall: float
    alpha_endpoint: float
    """The shares of it that may be spent on calling overall, and each endpoint, too slow (fractions)."""
    looks: tuple[int, ...]
    """Rounds after which a decision may be read; empty where nothing was measured."""
    seed: int
    budget_s: float


class GuardRound(Document):
    index: int
    log_ratios: dict[str, float]
    """ln(head/base) by request; requests that were decided earlier are no longer measured."""
    twin_log_ratios: dict[str, float]
    """ln(base/base), the second base in a process of its own."""
    kept: bool
    """False where other guests of the host took too much of the CPU; what was measured plays no part."""
    unsettled: tuple[str, ...] = ()
    """Requests that a process did not answer at its full speed often enough: their figures are noisier."""


class Guard(Document):
    format: Literal["wirespeed/guard/1"] = FORMAT
    created: AwareDatetime
    wirespeed: str | None = None
    app: str | None = None
    """The import string that head's app was found under."""
    base: Side
    head: Side
    max_slowdown: float
    """The largest slowdown that does not matter (fraction)."""
    certificate: Certificate
    overall: Overall
    endpoints: tuple[GuardedEndpoint, ...]
    behaviour: tuple[BehaviourChange, ...]
    decision: GuardDecision
    package_changes: tuple[PackageChange, ...] = ()
    added: tuple[str, ...] = ()
    """Routes that only head has: ``GET /new``."""
    skipped: tuple[Skipped, ...] = ()
    rounds: tuple[GuardRound, ...] = ()
    procedure: GuardProcedure | None = None
    environment: Environment | None = None
    elapsed_s: float | None = None
    complete: bool = True
    """False when Ctrl-C ended it early."""
    notes: tuple[str, ...] = ()
