"""What ``bisect`` is asked to do, parsed and fully specified."""

from __future__ import annotations

from typing import Literal

from ._base import Value
from .request import Request
from .subject import AppSubject, ServerSettings


class PackageRange(Value):
    """Releases of a package, ``first`` and ``last`` among them."""

    package: str
    """As a requirement names it, with its extras."""
    first: str
    last: str


class RevisionRange(Value):
    """Commits of the repository that the app's folder is in."""

    first: str
    last: str


class BisectionPlan(Value):
    """One ``bisect``, complete."""

    app: AppSubject
    """Its interpreter and folder are those that the releases' own are made from."""
    request: Request
    range: PackageRange | RevisionRange
    requirements: tuple[str, ...]
    """Installed for every release over the packages of the app's environment."""
    lens: Literal["direct", "service"]
    server: ServerSettings
    margin: float
    """The smallest difference that matters (fraction)."""
    alpha: float
    """How often anything that is concluded may be wrong (fraction)."""
    budget_s: float
    """About how long it may take."""
    max_errors: float
    """Share of a release's requests that may fail (fraction)."""
    allow_different: bool
    """Whether releases may answer differently than the first."""
    timeout_s: float
    """How long one request may take."""
    seed: int
    pairings: int = 0
    """How often this machine's rounds must be averaged in pairs, as its self-check found."""
