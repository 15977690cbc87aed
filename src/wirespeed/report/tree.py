"""What a renderer gets: a small tree of display values. Renderers lay it out and decide nothing."""

from __future__ import annotations

from dataclasses import dataclass

from .text import Span


@dataclass(frozen=True, slots=True)
class ArmView:
    recommended: bool
    name: str
    time: str
    """``339 µs`` of a whole request; empty where ``outcome`` says it or nothing was measured."""
    outcome: Span
    interval: str
    remarks: tuple[Span, ...] = ()
    served: Span | None = None
    """What it gains through the app's server."""
    differences: tuple[str, ...] = ()
    """One line a JSON path: ``$[3].price: 12.5 → "12.5"``."""
    edit: tuple[Span, ...] = ()
    """Lines of code, not to be wrapped."""


@dataclass(frozen=True, slots=True)
class FindingView:
    code: str
    problem: str
    evidence: str = ""
    advice: str = ""
    """What to do by hand."""
    arms: tuple[ArmView, ...] = ()


@dataclass(frozen=True, slots=True)
class EndpointView:
    """One endpoint, or one change that helps many. Without findings and remarks it fits one line."""

    name: str
    figures: tuple[str, ...]
    source: str = ""
    conclusion: Span | None = None
    findings: tuple[FindingView, ...] = ()
    remarks: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class FoldView:
    """Many things told in one paragraph: a headline, some names, how many more there are, and what helps."""

    headline: Span
    names: tuple[str, ...] = ()
    more: int = 0
    hint: str = ""


@dataclass(frozen=True, slots=True)
class AdviceView:
    title: str
    facts: tuple[str, ...]
    warnings: tuple[Span, ...]
    entries: tuple[EndpointView | FoldView, ...]
    skipped: tuple[FoldView, ...]
    notes: tuple[str, ...]
    totals: tuple[Span, ...]
    legend: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DryRunView:
    facts: tuple[str, ...]
    called: tuple[EndpointView, ...]
    skipped: tuple[FoldView, ...]


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    name: str
    cells: tuple[str, ...]
    """One for each column of the view."""


@dataclass(frozen=True, slots=True)
class VerdictView:
    arm: str
    outcome: tuple[Span, ...]
    """Pieces of one text, to be joined as they stand; none where nothing was asked of this arm."""
    beside: tuple[str, ...]
    others: tuple[str, ...]
    """Metrics that no verdict was asked of."""
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparisonView:
    title: str
    facts: tuple[str, ...]
    reasons: tuple[str, ...]
    """Why it is invalid."""
    warnings: tuple[Span, ...]
    columns: tuple[str, ...]
    rows: tuple[ComparisonRow, ...]
    """The baseline first."""
    verdicts: tuple[VerdictView, ...]
    notes: tuple[str, ...]
    legend: tuple[str, ...]
