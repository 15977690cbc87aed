"""The ``load`` document in words: errors first, then rates, latencies and where the time went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rich.console import Console
from rich.text import Text

from wirespeed.model.load import Latencies, Load, RequestCounts, Trial
from wirespeed.stats.histogram import Histogram

from .layout import flow, joined, padded, styled, words
from .numbers import duration, elapsed, from_to, share, size
from .terminal import WIDEST, print_lines
from .text import Role, clean, counted

COLUMNS = {
    "min": "min",
    "p50": "p50",
    "p75": "p75",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
    "p99.9": "p99_9",
    "max": "max",
    "mean": "mean",
}
"""Headings and the fields of ``Latencies`` below them."""
ERRORS = {
    "connect_refused": "no connection",
    "connect_timeout": "no connection in time",
    "timeout": "no answer in time",
    "reset": "connection reset",
    "truncated": "answer cut short",
    "protocol": "not HTTP",
    "tls": "TLS failed",
    "stale": "connection closed while idle",
}
_BARS = 10
_BAR_CELLS = 40
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_SEPARATOR = " · "


def print_load(load: Load, console: Console) -> None:
    print_lines(load_lines(load, min(console.width, WIDEST)), console)


def load_lines(load: Load, width: int = WIDEST) -> Iterator[Text]:
    settings = [styled(setting, "muted") for setting in _settings(load)]
    yield from flow(
        settings, width, start=styled(_name(load), "strong") + "  ", hanging=2, separator=_SEPARATOR
    )
    for reason in load.validity.reasons:
        yield from flow(words(clean(reason)), width, start=styled("invalid: ", "bad"), hanging=9)
    for note in load.notes:
        yield from flow(words(clean(note)), width, start=styled("note: ", "warn"), hanging=6)
    if not load.complete:
        yield styled("Stopped early: this is what was measured until then.", "warn")
    yield from _trouble(load.requests)
    yield Text()
    yield _headline(load)
    yield Text()
    if load.latency_ns.max is not None:
        yield from _latency_table(load)
        yield Text()
        yield from _chart(load)
    for name, told in _facts(load).items():
        yield from flow(
            [*map(Text, told)], width, start=styled(f"{name}: ", "muted"), hanging=2, separator=_SEPARATOR
        )
    yield from _search(load.search)
    if load.objective is not None:
        yield Text()
        yield _objective(load)


def grouped(number: int) -> str:
    """``24,205``."""
    return f"{number:,}"


def rate(per_s: float) -> str:
    """``2,420``, ``24.2``: three digits at least, never a fraction of a thousand."""
    return f"{per_s:,.0f}" if per_s >= 99.95 else f"{per_s:.3g}"


def errors_of(counts: RequestCounts) -> dict[str, int]:
    """Kinds of errors that occurred, the commonest first."""
    occurred = {kind: number for kind, number in counts.errors.model_dump().items() if number}
    return dict(sorted(occurred.items(), key=lambda pair: -pair[1]))


def _name(load: Load) -> str:
    """What was loaded, and with what, unless the URL says it."""
    name = clean(load.app or load.target)
    if len(load.calls) == 1 and (load.app is not None or not load.target.endswith(_path_of(load))):
        return f"{name} {clean(load.calls[0].name)}"
    return name


def _path_of(load: Load) -> str:
    return load.calls[0].name.removeprefix("GET ")


def _settings(load: Load) -> Iterator[str]:
    plan = load.plan
    yield counted(plan.connections, "connection")
    if plan.processes > 1:
        yield f"{plan.processes} processes"
    if plan.rate is None:
        yield "each sends its next request when it has an answer"
    else:
        yield f"{rate(plan.rate)} requests/s {'at random times' if plan.poisson else 'evenly spaced'}"
    if len(load.calls) > 1:
        yield counted(len(load.calls), "request")


def _trouble(counts: RequestCounts) -> Iterator[Text]:
    """What is not an answer, before anything else; and answers that say no."""
    if errors := errors_of(counts):
        told = _SEPARATOR.join(f"{grouped(number)} {ERRORS[kind]}" for kind, number in errors.items())
        yield styled(f"errors: {told}", "bad") + styled(f"  of {grouped(counts.sent)} requests", "muted")
    refusals = {status: number for status, number in counts.status.items() if not status.startswith("2")}
    if refusals:
        told = _SEPARATOR.join(f"{grouped(number)} × {status}" for status, number in refusals.items())
        yield styled(f"not 2xx: {told}", "warn") + styled(f"  of {grouped(counts.answered)} answers", "muted")
    if any(status.startswith("3") for status in refusals):
        yield styled("Redirects are not followed: load the URL they point to.", "muted")
    if counts.unsent:
        yield styled(f"never sent: {grouped(counts.unsent)}", "bad") + styled(
            f"  of {grouped(counts.due or 0)} requests due", "muted"
        )
    if counts.in_flight:
        yield styled(f"unanswered when the run ended: {grouped(counts.in_flight)}", "warn")


def _headline(load: Load) -> Text:
    facts = [
        styled(f"{rate(load.requests_per_s)} answers/s", "strong"),
        Text(f"{grouped(load.requests.answered)} in {elapsed(load.duration_s)}"),
        Text(f"{size(load.bytes.received)}, {size(round(load.bytes.per_s))}/s"),
    ]
    return joined(facts, _SEPARATOR)


def _latency_table(load: Load) -> Iterator[Text]:
    rows = [("latency", load.latency_ns)]
    if load.plan.rate is not None:
        rows = [("from due", load.latency_ns), ("from sent", load.service_ns)]
    cells = [["", *COLUMNS], *([name, *_latency_cells(latencies)] for name, latencies in rows)]
    kept = [index for index in range(len(cells[0])) if index == 0 or any(row[index] for row in cells[1:])]
    widths = [max(len(row[index]) for row in cells) for index in kept]
    for number, row in enumerate(cells):
        name, *values = [row[index] for index in kept]
        role: Role = "strong" if number else "muted"
        texts = [styled(value.rjust(width), role) for value, width in zip(values, widths[1:], strict=True)]
        yield joined([padded(styled(name, "muted"), widths[0]), *texts], "  ")


def _latency_cells(latencies: Latencies) -> list[str]:
    """Empty where there are too few requests to tell; ``≥`` where some of them are still unanswered."""
    bound_ns = latencies.censored_above
    return [_latency_cell(field, getattr(latencies, field), bound_ns) for field in COLUMNS.values()]


def _latency_cell(field: str, value_ns: int | None, censored_above_ns: int | None) -> str:
    if value_ns is None:
        return ""
    is_lower_bound = censored_above_ns is not None and (field == "mean" or value_ns >= censored_above_ns)
    return f"{'≥ ' if is_lower_bound else ''}{duration(value_ns)}"


def _chart(load: Load) -> Iterator[Text]:
    """Ten bars from the fastest to the 99th percentile, and one line for what lies beyond; nothing where the
    bars would all be of one value.
    """
    histogram = Histogram.decode(load.histogram)
    low_ns, high_ns, top_ns = histogram.min_ns, histogram.percentile_ns(0.99), histogram.max_ns
    if low_ns is None or high_ns is None or top_ns is None:
        return
    step = max(1.0, (high_ns - low_ns) / _BARS)
    edges = [low_ns + step * index for index in range(_BARS + 1)]
    counts = histogram.counts_between([*edges, max(top_ns, edges[-1]) + 1])
    labels = [from_to(*pair) for pair in pairwise(edges)] + [f"over {duration(edges[-1])}"]
    if len(set(labels)) < len(labels):
        return
    width = max(map(len, labels))
    for label, count in zip(labels, counts, strict=True):
        bar = styled(_bar(count / max(counts)), "code")
        yield Text(f"  {label.rjust(width)}  ") + bar + styled(f" {grouped(count)}", "muted")
    yield Text()


def _bar(filled: float) -> str:
    eighths = round(filled * _BAR_CELLS * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _facts(load: Load) -> dict[str, list[str]]:
    again = load.requests.retried
    # What came in one piece took no time to read.
    medians = {name: value for name, value in load.phases_ns.model_dump().items() if value}
    facts = {
        "status": [f"{status} × {grouped(number)}" for status, number in load.requests.status.items()],
        "sent again": [f"{grouped(again)}, for the server had closed the kept connection"] if again else [],
        "steps (median)": [f"{name} {duration(value)}" for name, value in medians.items()],
        "load generator": list(_generator(load)),
        "machine": list(_machine(load)),
    }
    return {name: told for name, told in facts.items() if told}


def _generator(load: Load) -> Iterator[str]:
    generator = load.generator
    yield f"{share(generator.cpu)} of a core"
    if generator.lag_ns is not None:
        yield f"lag {duration(generator.lag_ns.p50)} (p99 {duration(generator.lag_ns.p99)})"
    if generator.late_ns is not None:
        yield f"sent {duration(generator.late_ns.p50)} late (p99 {duration(generator.late_ns.p99)})"


def _machine(load: Load) -> Iterator[str]:
    environment = load.environment
    yield f"{clean(environment.cpu)}, {counted(environment.cores, 'core')}"
    yield clean(environment.os)
    if environment.event_loop is not None:
        yield environment.event_loop
    if environment.load_1m is not None:
        yield f"load {environment.load_1m:.2f}"
    if environment.steal:
        yield f"{share(environment.steal)} stolen"


def _search(trials: Sequence[Trial]) -> Iterator[Text]:
    if not trials:
        return
    yield Text()
    yield styled("Rates tried, requests/s:", "muted")
    for trial in trials:
        value = "" if trial.value_ns is None else duration(trial.value_ns)
        verdict = styled("met", "good") if trial.met else styled(clean(trial.reason or "not met"), "warn")
        yield Text(f"  {rate(trial.rate):>9}  {value:>8}  ") + verdict


def _objective(load: Load) -> Text:
    objective = load.objective
    assert objective is not None
    if not objective.met:
        return styled(f"{clean(objective.text)} was not met: ", "bad") + clean(objective.reason or "")
    if load.search and load.plan.rate is not None:
        return styled(f"{clean(objective.text)} holds up to {rate(load.plan.rate)} requests/s", "good")
    return styled(f"{clean(objective.text)} was met", "good")
