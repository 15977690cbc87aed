"""The view of a ``Fix`` document: what each remedy is and became, then the diff."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.model.fix import Fix, FixedRemedy
from wirespeed.model.verdict import Estimate

from .arms import diff_lines
from .numbers import elapsed, speed, speed_interval
from .text import Role, Span, clean, counted, listed

_ROLES: dict[str, Role] = {"proposed": "good", "written": "good", "rolled back": "bad", "by hand": "warn"}
_REQUESTS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class RemedyView:
    state: Span
    name: str
    remarks: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class FixView:
    title: str
    facts: tuple[str, ...]
    remedies: tuple[RemedyView, ...]
    diff: tuple[Span, ...]
    notes: tuple[str, ...]
    conclusion: Span


def fix_view(fix: Fix) -> FixView:
    return FixView(
        title=clean(fix.subject.app),
        facts=tuple(_facts(fix)),
        remedies=tuple(_remedy_view(each) for each in fix.remedies),
        diff=diff_lines(fix.diff or ""),
        notes=tuple(clean(note) for note in fix.notes),
        conclusion=_conclusion(fix),
    )


def _facts(fix: Fix) -> Iterator[str]:
    yield counted(fix.plan.rounds, "round")
    if fix.elapsed_s is not None:
        yield elapsed(fix.elapsed_s)


def _remedy_view(remedy: FixedRemedy) -> RemedyView:
    return RemedyView(
        Span(remedy.state, _ROLES[remedy.state]),
        f"{clean(remedy.code)}  {clean(remedy.name)}",
        tuple(_remarks(remedy)),
    )


def _remarks(remedy: FixedRemedy) -> Iterator[Span]:
    names = [clean(name) for name in remedy.requests]
    more = f" and {len(names) - _REQUESTS_SHOWN} more" if len(names) > _REQUESTS_SHOWN else ""
    yield Span(listed(names[:_REQUESTS_SHOWN]) + more)
    if remedy.whole is not None:
        yield Span(_told(remedy.whole))
    if remedy.parallel is not None:
        parallel = Estimate(ratio=remedy.parallel.ratio, interval=remedy.parallel.interval)
        yield Span(f"with {remedy.parallel.n} at once: {_told(parallel)}")
    yield Span(f"{remedy.fidelity} bytes" if remedy.fidelity == "identical" else "equal JSON, other bytes")
    if remedy.after is not None:
        yield Span(f"once written: {_told(remedy.after)}", "good" if remedy.state == "written" else "bad")
    if remedy.reason:
        yield Span(clean(remedy.reason), "muted")


def _told(estimate: Estimate) -> str:
    return f"{speed(estimate.ratio)} {speed_interval(estimate.ratio, estimate.interval)}"


def _conclusion(fix: Fix) -> Span:
    files = counted(sum(each.state == "written" for each in fix.files), "file")
    by_state = {state: sum(each.state == state for each in fix.remedies) for state in _ROLES}
    if not fix.complete:
        return Span("Interrupted: no file is changed.", "warn")
    if not fix.remedies:
        return Span("Nothing to fix: no remedy is proven to help.")
    if not fix.written and by_state["rolled back"]:
        return Span("Everything was rolled back: no file is changed.", "bad")
    if fix.written:
        back = f" {by_state['rolled back']} rolled back." if by_state["rolled back"] else ""
        return Span(f"Wrote {counted(by_state['written'], 'remedy', 'remedies')} to {files}.{back}", "good")
    if fix.diff is None:
        return Span("No safe edit could be made: write them by hand.", "warn")
    return Span("Nothing was written: --write does, and proves it.")
