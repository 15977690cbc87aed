"""The ``load`` document in layouts that other tools made, for scripts that read those.

Lives here: hey's summary, wrk's summary and HdrHistogram's log. Where a layout has no place for something, it
is left out; what wirespeed does not know is left out too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC

import numpy as np

from wirespeed.model.load import Load, Step
from wirespeed.stats.histogram import Histogram

_HEY_BARS, _HEY_CELLS = 10, 40
_HEY_PERCENTILES = (10, 25, 50, 75, 90, 95, 99)
_WRK_PERCENTILES = (50, 75, 90, 99)


def hey_lines(load: Load) -> Iterator[str]:
    """As ``hey`` 0.1.4 prints it."""
    histogram = Histogram.decode(load.histogram)
    latency, answered = load.latency_ns, load.requests.answered
    yield ""
    yield "Summary:"
    yield f"  Total:\t{load.duration_s:.4f} secs"
    yield f"  Slowest:\t{_seconds(latency.max)} secs"
    yield f"  Fastest:\t{_seconds(latency.min)} secs"
    yield f"  Average:\t{_seconds(latency.mean)} secs"
    yield f"  Requests/sec:\t{load.requests_per_s:.4f}"
    yield "  "
    if answered:
        yield f"  Total data:\t{load.bytes.received} bytes"
        yield f"  Size/request:\t{load.bytes.received // answered} bytes"
    yield ""
    yield "Response time histogram:"
    yield from _hey_bars(histogram)
    yield ""
    yield ""
    yield "Latency distribution:"
    for percent in _HEY_PERCENTILES:
        if histogram.supports(percent / 100):
            yield f"  {percent}% in {_seconds(histogram.percentile_ns(percent / 100))} secs"
    yield ""
    yield "Details (average, fastest, slowest):"
    yield from _hey_details(load)
    yield ""
    yield "Status code distribution:"
    for status, number in load.requests.status.items():
        yield f"  [{status}]\t{number} responses"
    yield ""
    errors = {kind: number for kind, number in load.requests.errors.model_dump().items() if number}
    if errors:
        yield "Error distribution:"
        for kind, number in errors.items():
            yield f"  [{number}]\t{kind}"
        yield ""


def wrk_lines(load: Load) -> Iterator[str]:
    """As ``wrk --latency`` 4.2 prints it."""
    histogram = Histogram.decode(load.histogram)
    plan = load.plan
    yield f"Running {round(plan.duration_s or load.duration_s)}s test @ {load.target}"
    yield f"  {plan.processes} threads and {plan.connections} connections"
    yield "  Thread Stats   Avg      Stdev     Max   +/- Stdev"
    yield _wrk_stats("Latency", *_latency_stats(load, histogram), _wrk_time)
    if rates := _full_slots(load):
        yield _wrk_stats("Req/Sec", *_rate_stats(rates), _wrk_metric)
    yield "  Latency Distribution"
    for percent in _WRK_PERCENTILES:
        value_ns = histogram.percentile_ns(percent / 100)
        if value_ns is not None and histogram.supports(percent / 100):
            yield f"{percent:>7}%{_wrk_cell(_wrk_time(value_ns), 10)}"
    received = _wrk_binary(load.bytes.received)
    yield f"  {load.requests.answered} requests in {_wrk_time(load.duration_s * 1e9)}, {received}B read"
    yield from _wrk_trouble(load)
    yield f"Requests/sec: {load.requests_per_s:>9.2f}"
    yield f"Transfer/sec: {_wrk_binary(load.bytes.per_s):>10}B"


def hdr_lines(load: Load) -> Iterator[str]:
    """One interval of HdrHistogram's log format 1.3; its maximum is in milliseconds, as usual for
    nanoseconds.
    """
    started = load.created.astimezone(UTC)
    yield "#[Histogram log format version 1.3]"
    yield f"#[StartTime: {started.timestamp():.3f} (seconds since epoch), {started:%a %b %d %H:%M:%S UTC %Y}]"
    yield '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'
    longest_ms = (load.latency_ns.max or 0) / 1e6
    yield f"0.000,{load.duration_s:.3f},{longest_ms:.3f},{load.histogram}"


LAYOUTS: dict[str, Callable[[Load], Iterator[str]]] = {"hdr": hdr_lines, "hey": hey_lines, "wrk": wrk_lines}


def _seconds(value_ns: int | None) -> str:
    return f"{(value_ns or 0) / 1e9:.4f}"


def _hey_bars(histogram: Histogram) -> Iterator[str]:
    """Bars end where they are labelled: the first holds the fastest answers only."""
    low_ns, high_ns = histogram.min_ns, histogram.max_ns
    if low_ns is None or high_ns is None:
        return
    edges = [low_ns + (high_ns - low_ns) / _HEY_BARS * index for index in range(_HEY_BARS + 1)]
    # A little beyond: slots of the histogram are a thousandth wide.
    counts = histogram.counts_between([0.0, *(edge * 1.001 + 1 for edge in edges)])
    for edge, count in zip(edges, counts, strict=True):
        bar = "■" * round(count * _HEY_CELLS / max(counts))
        yield f"  {edge / 1e9:.3f} [{count}]\t|{bar}"


def _hey_details(load: Load) -> Iterator[str]:
    steps = load.steps_ns
    lookup = (
        None
        if load.phases_ns.dns is None
        else Step(min=load.phases_ns.dns, mean=load.phases_ns.dns, max=load.phases_ns.dns)
    )
    details = [("DNS-lookup", lookup)]
    if steps is not None:
        details = [
            ("DNS+dialup", steps.connect),
            ("DNS-lookup", lookup),
            ("req write", steps.write),
            ("resp wait", steps.wait),
            ("resp read", steps.read),
        ]
    for name, step in details:
        average, fastest, slowest = (0, 0, 0) if step is None else (step.mean, step.min, step.max)
        yield f"  {name}:\t{_seconds(average)} secs, {_seconds(fastest)} secs, {_seconds(slowest)} secs"


def _latency_stats(load: Load, histogram: Histogram) -> tuple[float, float, float, float]:
    mean, stdev = load.latency_ns.mean or 0, load.latency_ns.stdev or 0
    near = sum(count for value_ns, count in histogram.slots() if abs(value_ns - mean) <= stdev)
    return mean, stdev, load.latency_ns.max or 0, 100 * near / max(1, histogram.total)


def _full_slots(load: Load) -> list[float]:
    """Answers a second and process, of every slot that the run filled."""
    if load.timeline is None:
        return []
    full = int(load.duration_s // load.timeline.slot_s)
    scale = load.timeline.slot_s * load.plan.processes
    return [count / scale for count in load.timeline.answers[:full]]


def _rate_stats(rates: Sequence[float]) -> tuple[float, float, float, float]:
    mean, stdev = float(np.mean(rates)), float(np.std(rates))
    near = sum(abs(rate - mean) <= stdev for rate in rates)
    return mean, stdev, max(rates), 100 * near / len(rates)


def _wrk_stats(
    name: str, mean: float, stdev: float, largest: float, near: float, spell: Callable[[float], str]
) -> str:
    cells = _wrk_cell(spell(mean), 8) + _wrk_cell(spell(stdev), 10) + _wrk_cell(spell(largest), 9)
    return f"    {name:<10}{cells}{near:>8.2f}%"


def _wrk_trouble(load: Load) -> Iterator[str]:
    errors = load.requests.errors
    connect = errors.connect_refused + errors.connect_timeout + errors.tls
    read = errors.reset + errors.truncated + errors.protocol + errors.stale
    if connect or read or errors.timeout:
        yield f"  Socket errors: connect {connect}, read {read}, write 0, timeout {errors.timeout}"
    refused = sum(number for status, number in load.requests.status.items() if status[0] not in "23")
    if refused:
        yield f"  Non-2xx or 3xx responses: {refused}"


def _wrk_cell(text: str, width: int) -> str:
    """Right-aligned on the digits: units of one letter leave a blank, none leave two."""
    pad = 2 - sum(character.isalpha() for character in text[-2:])
    return text.rjust(width - pad) + " " * pad


def _wrk_time(value_ns: float) -> str:
    microseconds = value_ns / 1e3
    for unit, scale in (("us", 1.0), ("ms", 1e3), ("s", 1e6), ("m", 60e6)):
        limit = 60.0 if unit in "sm" else 1000.0
        if microseconds / scale < limit:
            return f"{microseconds / scale:.2f}{unit}"
    return f"{microseconds / 3600e6:.2f}h"


def _wrk_metric(value: float) -> str:
    return _scaled(value, 1000.0, ("", "k", "M", "G"))


def _wrk_binary(value: float) -> str:
    return _scaled(value, 1024.0, ("", "K", "M", "G", "T"))


def _scaled(value: float, base: float, units: Sequence[str]) -> str:
    for unit in units[:-1]:
        if value < base:
            return f"{value:.2f}{unit}"
        value /= base
    return f"{value:.2f}{units[-1]}"
