"""What ``compare`` is asked to do, parsed and fully specified."""

from __future__ import annotations

from pathlib import Path

from ._base import Value
from .comparison import LensName, Metric
from .request import Request
from .subject import AppSubject, BaseUrl, ServerSettings


class HostedApp(Value):
    """An app that is started anew for every round."""

    app: AppSubject
    """Its interpreter and folder are those before ``requirements`` and ``revision`` change them."""
    server: ServerSettings
    requirements: tuple[str, ...] = ()
    """Installed over the packages of the app's environment, in an environment of their own."""
    revision: str | None = None
    """Git revision of the folder's repository; None for the files as they are."""


class ArmPlan(Value):
    """One contestant."""

    name: str
    subject: HostedApp | BaseUrl
    request: Request


class ComparisonPlan(Value):
    """One ``compare``, complete."""

    arms: tuple[ArmPlan, ...]
    """Two or more, the baseline first; their names differ."""
    lens: LensName
    connections: int
    metric: Metric
    """What verdicts are about."""
    margin: float
    """The smallest difference that matters (fraction)."""
    alpha: float
    """How often any verdict may be wrong (fraction)."""
    budget_s: float | None
    """About how long rounds may take; None to go on until the last look."""
    max_errors: float
    """Share of an arm's requests that may fail (fraction)."""
    allow_different: bool
    timeout_s: float
    """How long one request may take."""
    verify_tls: bool
    seed: int
    folder: Path
    """Whose records keep the comparison."""
    pairings: int = 0
    """How often this machine's rounds must be averaged in pairs, as its self-check found."""
