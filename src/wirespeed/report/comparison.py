"""The ``comparison`` document in words: what makes it invalid, then the arms, then who wins, if anyone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from wirespeed.model.comparison import Arm, Comparison, Metric, MetricEstimate
from wirespeed.model.verdict import Verdict

from .layout import flow, padded, styled, widest, words
from .load import ERRORS, grouped, rate
from .numbers import duration, elapsed, share, size, speed, speed_interval, spread
from .terminal import WIDEST, print_lines
from .text import Role, clean, counted

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
_GAP, _SEPARATOR = "  ", " · "
_NAME_LIMIT = 40


def print_comparison(comparison: Comparison, console: Console) -> None:
    print_lines(comparison_lines(comparison, min(console.width, WIDEST)), console)


def comparison_lines(comparison: Comparison, width: int) -> Iterator[Text]:
    """The report, line by line, for a terminal of so many cells."""
    facts = [styled(fact, "muted") for fact in _facts(comparison)]
    title = styled(_title(comparison.arms), "strong") + _GAP
    yield from flow(facts, width, start=title, hanging=2, separator=_SEPARATOR)
    for reason in comparison.validity.reasons:
        yield from flow(words(clean(reason)), width, start=styled("invalid: ", "bad"), hanging=2)
    if not comparison.complete:
        yield styled("Stopped early: this is what was measured until then.", "warn")
    yield Text()
    yield from _table(comparison)
    yield Text()
    for arm in comparison.arms[1:]:
        yield from _verdict_lines(comparison, arm, width)
    yield from _remarks(comparison, width)


def _title(arms: Sequence[Arm]) -> str:
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


def _table(comparison: Comparison) -> Iterator[Text]:
    """One line an arm; columns that no arm has anything for are left out."""
    cells = {name: [tell(arm) for arm in comparison.arms] for name, tell in _COLUMNS.items()}
    shown = {name: column for name, column in cells.items() if any(column)}
    if not shown:
        return
    names = [clean(arm.name) for arm in comparison.arms]
    left = widest(names, _NAME_LIMIT)
    widths = {name: max(len(name), *(len(cell or "") for cell in column)) for name, column in shown.items()}
    yield Text(" " * left) + "".join(_GAP + name.rjust(widths[name]) for name in shown)
    for number, name in enumerate(names):
        figures = "".join(_GAP + (column[number] or "").rjust(widths[key]) for key, column in shown.items())
        yield padded(Text(name), left) + figures + (styled("  baseline", "muted") if number == 0 else "")


def _verdict_lines(comparison: Comparison, arm: Arm, width: int) -> Iterator[Text]:
    own = [estimate for estimate in comparison.estimates if estimate.arm == arm.name]
    for estimate in own:
        if estimate.verdict is not None:
            start = styled(clean(arm.name), "strong") + _GAP
            told = [_outcome(estimate, estimate.verdict, comparison.plan.margin)]
            told += [styled(part, "muted") for part in _beside(estimate)]
            yield from flow(told, width, start=start, hanging=4, separator=_SEPARATOR)
    others = [_other(estimate) for estimate in own if estimate.verdict is None and estimate.ratio is not None]
    if others:
        yield from flow(others, width, start=Text("    "), hanging=4, separator=_SEPARATOR)
    for difference in arm.differences:
        yield Text(
            f"    {clean(difference.at)}: {clean(repr(difference.arm))} instead of "
            f"{clean(repr(difference.baseline))}"
        )


def _outcome(estimate: MetricEstimate, verdict: Verdict, margin: float) -> Text:
    role, low_high = VERDICT_ROLES[verdict], estimate.interval
    if verdict is Verdict.INVALID:
        return styled("no verdict", role)
    if estimate.ratio is None or low_high is None:
        return styled("cannot tell", role)
    vocabulary = WORDS[estimate.metric]
    told = f"{speed(estimate.ratio, vocabulary)} {speed_interval(estimate.ratio, low_high)}"
    match verdict:
        case Verdict.EQUIVALENT:
            return styled(f"equivalent within {share(margin)}", role) + f": {told}"
        case Verdict.INCONCLUSIVE:
            return styled("cannot tell", role) + f": {spread(low_high, vocabulary)}"
    return styled(told, role)


def _beside(estimate: MetricEstimate) -> Iterator[str]:
    yield NAMES[estimate.metric]
    if estimate.note:
        yield clean(estimate.note)
    if estimate.rounds_needed is not None:
        yield f"about {counted(estimate.rounds_needed, 'round')} would decide"


def _other(estimate: MetricEstimate) -> Text:
    assert estimate.ratio is not None
    told = f"{NAMES[estimate.metric]} {speed(estimate.ratio, WORDS[estimate.metric])}"
    if estimate.interval is not None:
        told += f" {speed_interval(estimate.ratio, estimate.interval)}"
    return Text(told)


def _remarks(comparison: Comparison, width: int) -> Iterator[Text]:
    for note in comparison.notes:
        yield from flow(words(clean(note)), width, start=styled("note: ", "muted"), hanging=6)
    if comparison.unstable:
        places = ", ".join(clean(place) for place in comparison.unstable)
        told = words(f"changes from call to call, not compared: {places}")
        yield from flow(told, width, start=styled("note: ", "muted"), hanging=6)
    if any(estimate.interval is not None for estimate in comparison.estimates):
        sure = share(1 - comparison.plan.alpha)
        legend = f"[low, high]: intervals; all verdicts hold together in {sure} of such comparisons"
        yield from flow(words(legend, "muted"), width, hanging=2)
