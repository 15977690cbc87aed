from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wirespeed.model.audit import Difference, Finding, Repeats, Severity, ToolRun


@dataclass(frozen=True, slots=True)
class Missing:
    """The check cannot be made, because the output does not say something."""

    what: str


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The check is about something that this run is not."""


Examined = list[Finding] | Missing | NotApplicable
"""An empty list is: applies, and found nothing."""


@dataclass(frozen=True, slots=True)
class Check:
    """One question to an output, or to several. Pure."""

    name: str
    question: str
    page: str
    """What ``wirespeed audit --explain NAME`` prints; Markdown."""
    examine: Callable[[ToolRun], Examined] | None = None
    compare: Callable[[list[Repeats], list[Difference]], list[Finding]] | None = None
    """For checks of several files together."""


def finder(check: str) -> Callable[..., Finding]:
    """Makes the findings of one check."""

    def found(severity: Severity, problem: str, advice: str, **figures: float | None) -> Finding:
        return Finding(check=check, severity=severity, problem=problem, advice=advice, figures=figures)

    return found
