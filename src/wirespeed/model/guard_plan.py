"""What ``guard`` is asked to do, parsed and fully specified."""

from __future__ import annotations

from ._base import Value
from .plan import RequestWishes
from .subject import AppSubject


class GuardPlan(Value):
    """One ``guard``, complete."""

    subject: AppSubject
    """Head as it lies in its folder; base is the same folder and app at another revision."""
    base: str
    """What the user calls it: a branch, a tag, a commit. Compared is where head's history left it."""
    head: str | None = None
    """A revision; None for the files as they are."""
    same_env: bool = False
    """Whether both sides run in the app's own environment, whatever their dependency files say."""
    base_with: tuple[str, ...] = ()
    head_with: tuple[str, ...] = ()
    """Installed over the packages of each side's environment."""
    wishes: RequestWishes
    """With named requests, nothing else is asked."""
    allowed_paths: tuple[str, ...] = ()
    """Paths of requests, or path templates of routes, whose bodies may change."""
    max_slowdown: float
    """The largest slowdown that does not matter (fraction)."""
    alpha: float
    """How often the guard may fail, or pass, wrongly (fraction)."""
    budget_s: float
    """About how long it may take, environments apart."""
    seed: int
    deadline_s: float
    """How long one request may take."""
    pairings: int = 0
    """How often this machine's rounds must be averaged in pairs, as its self-check found."""
