"""The view of a ``Comparison`` document: pure, from evidence to display values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from wirespeed.model.advice import Difference
from wirespeed.model.comparison import Arm, Comparison, Metric, MetricEstimate
from wirespeed.model.verdict import Verdict

from .load import ERRORS, grouped, rate
from .numbers import duration, elapsed, share, size, speed, speed_interval, spread
from .text import Role, Span, clean, counted
from .tree import ComparisonRow, ComparisonView, VerdictView

NAMES: dict[Metric, str] = {
    "median_service_time": "median service time",
    "mean_time_per_request": "time per request at saturation",
    "p95": "95th percentile",
    "p99": "99th percentile",
    "cpu_s_per_request": "CPU time per request",
    "peak_memory": "peak memory",
}
_FASTER, _LESS = ("faster", "slower"), ("less", "more")
WORDS: dict[Metric, tuple[str, str]] = {
    "median_service_time": _FASTER,
    "mean_time_per_request": _FASTER,
    "p95": _FASTER,
    "p99": _FASTER,
    "cpu_s_per_request": _LESS,
    "peak_memory": _LESS,
}
VERDICT_ROLES: dict[Verdict, Role] = {
    Verdict.FASTER: "good",
    Verdict.SLOWER: "bad",
    Verdict.EQUIVALENT: "strong",
    Verdict.INCONCLUSIVE: "warn",
    Verdict.INVALID: "bad",
}


def comparison_view(comparison: Comparison) -> ComparisonView:
    """What makes it invalid, then the arms, then who wins, if anyone."""
    columns, rows = _table(comparison)
    return ComparisonView(
        title=_title(comparison.arms),
        facts=tuple(_facts(comparison)),
        reasons=tuple(map(clean, comparison.validity.reasons)),
        warnings=() if comparison.complete else (_STOPPED,),
        columns=columns,
        rows=rows,
        verdicts=tuple(verdict_view(comparison, arm) for arm in comparison.arms[1:]),
        notes=tuple(_notes(comparison)),
        legend=tuple(_legend(comparison)),
    )


def verdict_view(comparison: Comparison, arm: Arm) -> VerdictView:
    own = [estimate for estimate in comparison.estimates if estimate.arm == arm.name]
    decided = next((estimate for estimate in own if estimate.verdict is not None), None)
    return VerdictView(
        arm=clean(arm.name),
        outcome=_outcome(decided, comparison.plan.margin) if decided else (),
        beside=tuple(_beside(decided)) if decided else (),
        others=tuple(_others(own)),
        differences=tuple(map(difference_text, arm.differences)),
    )


def difference_text(difference: Difference) -> str:
    arm, baseline = clean(repr(difference.arm)), clean(repr(difference.baseline))
    return f"{clean(difference.at)}: {arm} instead of {baseline}"


_STOPPED = Span("Stopped early: this is what was measured until then.", "warn")


def _title(arms: Sequence[Arm]) -> str:
    if not arms:
        return "nothing was compared"
    baseline = clean(arms[0].name)
    if len(arms) == 2:
        return f"{clean(arms[1].name)} against {baseline}"
    return f"{counted(len(arms) - 1, 'arm')} against {baseline}"


def _facts(comparison: Comparison) -> Iterator[str]:
    match comparison.lens.name:
        case "service":
            yield "one request at a time"
        case "load":
            yield f"{grouped(comparison.lens.connections)} requests at once"
        case "direct":
            yield "in the app's own process"
    yield counted(sum(each.kept for each in comparison.rounds), "round")
    if comparison.elapsed_s is not None:
        yield elapsed(comparison.elapsed_s)
    yield f"margin {share(comparison.plan.margin)}"
    yield f"seed {comparison.plan.seed}"


_COLUMNS: dict[str, Callable[[Arm], str | None]] = {
    "median": lambda arm: _spelled(arm.latency_ns.p50, duration),
    "p95": lambda arm: _spelled(arm.latency_ns.p95, duration),
    "p99": lambda arm: _spelled(arm.latency_ns.p99, duration),
    "requests/s": lambda arm: _spelled(arm.requests_per_s, rate),
    "CPU/request": lambda arm: _spelled(arm.cpu_s_per_request, lambda seconds: duration(seconds * 1e9)),
    "memory": lambda arm: _spelled(arm.memory_bytes, lambda count: size(round(count))),
    "errors": lambda arm: _errors(arm.errors),
}


def _spelled(value: float | None, spell: Callable[[float], str]) -> str | None:
    return None if value is None else spell(value)


def _errors(errors: dict[str, int]) -> str | None:
    kinds = [f"{grouped(number)} × {ERRORS.get(kind, clean(kind))}" for kind, number in errors.items()]
    return ", ".join(kinds) or None


def _table(comparison: Comparison) -> tuple[tuple[str, ...], tuple[ComparisonRow, ...]]:
    """Columns that no arm has anything for are left out."""
    cells = {name: [tell(arm) or "" for arm in comparison.arms] for name, tell in _COLUMNS.items()}
    shown = {name: column for name, column in cells.items() if any(column)}
    rows = (
        ComparisonRow(clean(arm.name), tuple(column[number] for column in shown.values()))
        for number, arm in enumerate(comparison.arms)
    )
    return tuple(shown), tuple(rows)


def _outcome(estimate: MetricEstimate, margin: float) -> tuple[Span, ...]:
    verdict, low_high = estimate.verdict, estimate.interval
    assert verdict is not None
    role = VERDICT_ROLES[verdict]
    if verdict is Verdict.INVALID:
        return (Span("no verdict", role),)
    if estimate.ratio is None or low_high is None:
        return (Span("cannot tell", role),)
    vocabulary = WORDS[estimate.metric]
    told = f"{speed(estimate.ratio, vocabulary)} {speed_interval(estimate.ratio, low_high)}"
    match verdict:
        case Verdict.EQUIVALENT:
            return Span(f"equivalent within {share(margin)}", role), Span(f": {told}")
        case Verdict.INCONCLUSIVE:
            return Span("cannot tell", role), Span(f": {spread(low_high, vocabulary)}")
    return (Span(told, role),)


def _beside(estimate: MetricEstimate) -> Iterator[str]:
    yield NAMES[estimate.metric]
    if estimate.note:
        yield clean(estimate.note)
    if estimate.rounds_needed is not None:
        yield f"about {counted(estimate.rounds_needed, 'round')} would decide"


def _others(estimates: Sequence[MetricEstimate]) -> Iterator[str]:
    """The metrics that no verdict was asked of, as far as there is a figure."""
    for estimate in estimates:
        if estimate.verdict is None and estimate.ratio is not None:
            told = f"{NAMES[estimate.metric]} {speed(estimate.ratio, WORDS[estimate.metric])}"
            if estimate.interval is not None:
                told += f" {speed_interval(estimate.ratio, estimate.interval)}"
            yield told


def _notes(comparison: Comparison) -> Iterator[str]:
    yield from map(clean, comparison.notes)
    if comparison.unstable:
        places = ", ".join(clean(place) for place in comparison.unstable)
        yield f"changes from call to call, not compared: {places}"


def _legend(comparison: Comparison) -> Iterator[str]:
    if any(estimate.interval is not None for estimate in comparison.estimates):
        sure = share(1 - comparison.plan.alpha)
        yield f"[low, high]: intervals; all verdicts hold together in {sure} of such comparisons"
