"""Changes that help many endpoints at once, told once: a middleware replaced, a dependency made ``async``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import median_low

from wirespeed.model.advice import Arm, Endpoint

from .arms import bytes_span, edit_lines, headline_ratio, is_diff
from .endpoints import endpoint_name
from .numbers import speed
from .text import Span, clean, listed
from .tree import ArmView, EndpointView, FindingView

WORTH_TELLING_ONCE = 3
_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class SharedChange:
    """One edit, or one change of the app, with every endpoint it is recommended for."""

    uses: tuple[tuple[Endpoint, Arm], ...]

    @property
    def saved_ns(self) -> float:
        """Summed over one request of each endpoint."""
        return sum(saved_ns(endpoint, arm) for endpoint, arm in self.uses)


def saved_ns(endpoint: Endpoint, arm: Arm) -> float:
    return (endpoint.whole_ns or 0) * (1 - headline_ratio(arm))


def remedies_of(endpoints: Sequence[Endpoint]) -> int:
    """How many changes are recommended; one that many endpoints share counts once."""
    recommended = [(e.request, arm) for e in endpoints for arm in e.arms if arm.recommended]
    return len(
        {_identity(arm) if _may_be_shared(arm) else (request, arm.name) for request, arm in recommended}
    )


def set_apart(endpoints: Sequence[Endpoint]) -> tuple[list[SharedChange], list[Endpoint]]:
    """The shared changes, and the endpoints without them; those that had nothing else faster are left out."""
    uses: dict[Hashable, list[tuple[Endpoint, Arm]]] = defaultdict(list)
    for endpoint in endpoints:
        for arm in filter(_may_be_shared, endpoint.arms):
            uses[_identity(arm)].append((endpoint, arm))
    shared = {
        key: SharedChange(tuple(pairs)) for key, pairs in uses.items() if len(pairs) >= WORTH_TELLING_ONCE
    }
    rest = [_without(endpoint, set(shared)) for endpoint in endpoints]
    return list(shared.values()), [endpoint for endpoint in rest if endpoint is not None]


def shared_view(change: SharedChange, *, every_line: bool = False) -> EndpointView:
    pairs = sorted(change.uses, key=lambda pair: headline_ratio(pair[1]))
    (best_endpoint, best), arms = pairs[0], [arm for _, arm in pairs]
    first = change.uses[0][1]
    riskiest = max(arms, key=lambda arm: (arm.fidelity != "identical", arm.safe_by != "type"))
    arm = ArmView(
        recommended=True,
        name=clean(first.name),
        time="",
        outcome=Span(f"{speed(median_low(map(headline_ratio, arms)))} in the median", "good"),
        interval="",
        remarks=(
            Span(f"{speed(headline_ratio(best))} on {endpoint_name(best_endpoint)}", "good"),
            bytes_span(riskiest),
        ),
        edit=edit_lines(first, every_line),
    )
    return EndpointView(
        name=f"{len(pairs)} endpoints",
        figures=("one change helps them all",),
        findings=(FindingView(clean(first.code), _problem(change), arms=(arm,)),),
        remarks=(Span(_names([endpoint for endpoint, _ in pairs], every_line), "muted"),),
    )


def _may_be_shared(arm: Arm) -> bool:
    """Equal annotations on two endpoints are two edits; equal places in a file, or in the app, are one."""
    return arm.recommended and (arm.kind == "app" or is_diff(arm.edit))


def _identity(arm: Arm) -> Hashable:
    return arm.code, arm.name, arm.edit


def _without(endpoint: Endpoint, shared: set[Hashable]) -> Endpoint | None:
    arms = tuple(arm for arm in endpoint.arms if not (_may_be_shared(arm) and _identity(arm) in shared))
    if len(arms) == len(endpoint.arms):
        return endpoint
    if not any(arm.verdict == "faster" for arm in arms):
        return None
    gone = {arm.code for arm in endpoint.arms} - {arm.code for arm in arms}
    findings = tuple(finding for finding in endpoint.findings if finding.code not in gone)
    return endpoint.model_copy(update={"arms": arms, "findings": findings})


def _problem(change: SharedChange) -> str:
    endpoint, arm = change.uses[0]
    return next((clean(finding.problem) for finding in endpoint.findings if finding.code == arm.code), "")


def _names(endpoints: list[Endpoint], every_name: bool) -> str:
    shown = len(endpoints) if every_name else _NAMES_SHOWN
    more = f" and {len(endpoints) - shown} more" if len(endpoints) > shown else ""
    return listed(endpoint_name(endpoint) for endpoint in endpoints[:shown]) + more
