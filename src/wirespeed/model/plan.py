"""What a command is asked to do, parsed and fully specified: nobody asks later whether something is set."""

from __future__ import annotations

from pathlib import Path

from ._base import Value
from .baseline import Baseline
from .request import PlannedRequest, Request, Route, Skipped
from .subject import AppSubject, ServerSettings


class RequestWishes(Value):
    """What the user said about requests."""

    named: tuple[Request, ...] = ()
    """Requests the user wrote out, GET or not, in the order given. Their own headers win over ``headers``."""
    headers: tuple[tuple[str, str], ...] = ()
    """Sent with every request."""
    only: bool = False
    """Measure the named requests and nothing else."""


class RequestPlan(Value):
    """Which requests will be sent, in order of importance, and which routes are left alone."""

    planned: tuple[PlannedRequest, ...]
    skipped: tuple[Skipped, ...]


class RequestListing(Value):
    """What ``--dry-run`` shows: every route that was found, and what would be called."""

    routes: tuple[Route, ...]
    requests: RequestPlan


class AdvicePlan(Value):
    """One ``advise``, complete."""

    subject: AppSubject
    wishes: RequestWishes
    budget_s: float
    margin: float
    """The smallest change that matters (fraction)."""
    alpha: float
    """How often the table as a whole may be wrong (fraction)."""
    live_calls: int
    """How often an endpoint's own code runs in a round."""
    rounds: int | None
    """Confirming rounds; None lets the budget fix them before the first one."""
    seed: int
    deadline_s: float
    """How long one call of an endpoint may take."""
    pairings: int = 0
    """How often this machine's rounds must be averaged in pairs, as its self-check found."""
    server: ServerSettings | None = None
    """What the recommended remedies are confirmed through; None without ``--http``."""
    rules: tuple[str, ...] = ("WS",)
    """Codes of rules, or their beginnings: no others are asked."""
    ignored_rules: tuple[str, ...] = ()
    """The same for rules that are not asked; where both name one, the longer decides."""
    baseline: Baseline | None = None
    """Findings that are known; None where nothing is said of them."""
    allow_equal: bool = False
    """Whether other bytes that are equal JSON may be recommended."""


class SelfcheckPlan(Value):
    """One ``selfcheck``, complete."""

    python: Path
    """The interpreter whose environment serves the sample app."""
    rounds: int
    seed: int
