"""The ``guard`` document as display values: worded and rounded here, laid out elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.model.guard import (
    BehaviourChange,
    Guard,
    GuardDecision,
    GuardedEndpoint,
    Judged,
    PackageChange,
    Side,
)

from .numbers import elapsed, from_to, share, speed, speed_interval, spread
from .text import Role, Span, abbreviated, clean, counted, listed

ROLES: dict[GuardDecision, Role] = {
    GuardDecision.PASS: "good",
    GuardDecision.FAIL: "bad",
    GuardDecision.INCONCLUSIVE: "warn",
}
ALL_TOGETHER = "all together"
_PASSING_SHOWN = 12
_PACKAGES_SHOWN = 8
_NEEDS_SHOWN = 1000
_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class JudgedView:
    """One line of the table."""

    name: str
    times: str
    """``1.02 → 1.07 ms``; empty where no time is its own."""
    outcome: Span
    decision: Span
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeView:
    """Something clients would notice."""

    headline: Span
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GuardView:
    title: str
    facts: tuple[str, ...]
    verdict: Span
    """The decision and why, in one sentence."""
    changes: tuple[ChangeView, ...]
    rows: tuple[JudgedView, ...]
    """Overall last."""
    folded: str
    """How many passing endpoints are not among the rows; empty where all are."""
    certificate: Span
    explanation: str
    """The packages that differ; empty where none does."""
    notes: tuple[str, ...]
    legend: tuple[str, ...]


def guard_view(document: Guard) -> GuardView:
    shown = _shown(document)
    hidden = len(document.endpoints) - len(shown)
    rows = [judged_view(each.request, each) for each in shown]
    if len(document.endpoints) > 1:
        rows.append(judged_view(ALL_TOGETHER, document.overall))
    return GuardView(
        title=clean(document.app or "app"),
        facts=tuple(_facts(document)),
        verdict=Span(_verdict(document), ROLES[document.decision]),
        changes=tuple(change_view(each) for each in document.behaviour),
        rows=tuple(rows),
        folded=f"{counted(hidden, 'endpoint')} more pass" if hidden else "",
        certificate=_certificate(document),
        explanation=_explanation(document.package_changes),
        notes=tuple(_notes(document)),
        legend=tuple(_legend(document)),
    )


def _facts(document: Guard) -> Iterator[str]:
    yield f"head ({_revision(document.head)}) against base ({_revision(document.base)})"
    rounds = sum(each.kept for each in document.rounds)
    if rounds:
        yield counted(rounds, "round")
    if document.elapsed_s is not None:
        yield elapsed(document.elapsed_s)
    if document.procedure is not None:
        yield f"seed {document.procedure.seed}"


def _revision(side: Side) -> str:
    if side.revision == "working tree":
        changed = counted(side.changed_files, "file") + " changed" if side.changed_files else "no changes"
        return f"working tree, {changed}"
    short = clean(side.revision[:12])
    is_hash = side.named is None or side.revision.startswith(side.named)
    return short if is_hash else f"{clean(side.named or '')}, {short}"


def _verdict(document: Guard) -> str:
    limit = share(document.max_slowdown)
    changed = [each.request for each in document.behaviour if not each.allowed]
    slower = [each.request for each in document.endpoints if each.decision is GuardDecision.FAIL]
    match document.decision:
        case GuardDecision.PASS:
            return f"pass: nothing is more than {limit} slower"
        case GuardDecision.INCONCLUSIVE if not document.certificate.fit:
            return "inconclusive: base differs from itself on this machine, so nobody is blamed"
        case GuardDecision.INCONCLUSIVE:
            return f"inconclusive: a slowdown of more than {limit} is neither proven nor excluded"
    reasons = []
    if changed:
        reasons.append(f"behaviour changed: {_names(changed)}")
    if document.certificate.fit and slower:
        reasons.append(f"more than {limit} slower: {_names(slower)}")
    elif document.certificate.fit and document.overall.decision is GuardDecision.FAIL:
        reasons.append(f"all together more than {limit} slower")
    return "fail: " + "; ".join(reasons)


def _names(requests: list[str]) -> str:
    shown = [clean(each) for each in dict.fromkeys(requests)]
    more = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
    return listed(shown[:5]) + more


def _shown(document: Guard) -> list[GuardedEndpoint]:
    """All that do not pass, and those that do where they are few; the slowest first."""
    telling = [each for each in document.endpoints if each.decision is not GuardDecision.PASS]
    passing = [each for each in document.endpoints if each.decision is GuardDecision.PASS]
    kept = [*telling, *(passing if len(passing) <= _PASSING_SHOWN else ())]
    return sorted(kept, key=lambda each: (each.ratio is None, -(each.ratio or 0.0)))


def judged_view(name: str, judged: Judged) -> JudgedView:
    times = ""
    if isinstance(judged, GuardedEndpoint) and judged.base_ns and judged.head_ns:
        times = from_to(judged.base_ns, judged.head_ns)
    return JudgedView(
        name=clean(name),
        times=times,
        outcome=_outcome(judged),
        decision=_decision(judged),
        remarks=tuple(_remarks(judged)),
    )


def _outcome(judged: Judged) -> Span:
    if judged.ratio is None or judged.interval is None:
        return Span("not compared", "muted")
    if judged.decision is GuardDecision.INCONCLUSIVE:
        return Span(spread(judged.interval))
    return Span(f"{speed(judged.ratio)} {speed_interval(judged.ratio, judged.interval)}")


def _decision(judged: Judged) -> Span:
    if judged.decision is None:
        return Span("-", "muted")
    return Span(judged.decision.value, ROLES[judged.decision])


def _remarks(judged: Judged) -> Iterator[str]:
    if judged.note is not None:
        yield clean(judged.note)
    if judged.rounds_needed is not None:
        about = f"about {judged.rounds_needed}" if judged.rounds_needed <= _NEEDS_SHOWN else "over 1000"
        yield f"{about} rounds would decide"
    if isinstance(judged, GuardedEndpoint) and judged.decision is GuardDecision.FAIL and judged.source:
        yield clean(judged.source)


def change_view(change: BehaviourChange) -> ChangeView:
    allowed = " (allowed)" if change.allowed else ""
    note = f": {clean(change.note)}" if change.note else ""
    headline = f"{clean(change.request)} {change.change}{allowed}{note}"
    differences = tuple(
        f"{clean(each.at)}: {_value(each.baseline)} → {_value(each.arm)}" for each in change.differences
    )
    return ChangeView(Span(headline, "muted" if change.allowed else "bad"), differences)


def _value(value: object) -> str:
    return abbreviated(clean(repr(value)), _LONGEST_VALUE)


def _certificate(document: Guard) -> Span:
    certificate = document.certificate
    if certificate.ratio is None or certificate.interval is None:
        return Span(f"base against itself: {clean(certificate.note or 'not measured')}", "muted")
    told = f"{speed(certificate.ratio)} {speed_interval(certificate.ratio, certificate.interval)}"
    if certificate.fit:
        return Span(f"base against itself: {told}, so this machine is fit", "muted")
    where = f" at {_names(list(certificate.unfit))}" if certificate.unfit else ""
    return Span(f"base against itself: {told}; it differs from itself{where}", "warn")


def _explanation(changes: tuple[PackageChange, ...]) -> str:
    if not changes:
        return ""
    told = [
        f"{clean(each.name)} {clean(each.base or 'none')} → {clean(each.head or 'none')}" for each in changes
    ]
    more = f" and {len(told) - _PACKAGES_SHOWN} more" if len(told) > _PACKAGES_SHOWN else ""
    return f"packages differ, which is the likely explanation: {listed(told[:_PACKAGES_SHOWN])}{more}"


def _notes(document: Guard) -> Iterator[str]:
    if not document.complete:
        yield "stopped early: this is what was measured until then"
    yield from (clean(note) for note in document.notes)
    if document.added:
        yield f"only in head: {_names(list(document.added))}"
    for skipped in document.skipped[:5]:
        yield f"{clean(skipped.method)} {clean(skipped.path)} is left alone: {clean(skipped.reason)}"
    if len(document.skipped) > 5:
        yield f"{len(document.skipped) - 5} more are left alone; --json lists them"


def _legend(document: Guard) -> Iterator[str]:
    if any(each.interval is not None for each in document.endpoints) and document.procedure is not None:
        sure = share(1 - document.procedure.alpha)
        yield (
            "[low, high]: a low end above the limit fails; all of them hold together in "
            f"{sure} of guards. A high end below it passes; each holds in {sure}, and all must."
        )
