from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wirespeed.diagnosis.observation import Change, Observation


@dataclass(frozen=True)
class Rule:
    """One kind of slow answer: when it fires, on what evidence, and what may cure it. Pure."""

    code: str
    problem: str
    """One sentence, as the report prints it."""
    page: str
    """What ``wirespeed rule CODE`` prints; Markdown."""
    evidence: Callable[[Observation], str | None]
    """Why it fires on this request, in one sentence, or None when it does not."""
    remedies: Callable[[Observation], Sequence[Change]]
    """Changes to try, the most natural first; only asked where the rule fired."""
