"""From what every round gave to the numbers that are shown and judged. Pure.

Lives here: runs and slices as values, the one number a round has for each arm and metric, and percentiles
pooled over rounds. This file must never know how requests are sent.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Final

import numpy as np

from wirespeed.model.comparison import LensName, Metric
from wirespeed.stats.histogram import IntArray

from .design import round_log_ratios

PERCENTILES: Final[dict[Metric, float]] = {"p95": 0.95, "p99": 0.99}


@dataclass(frozen=True, slots=True)
class Sample:
    """What one run, or one slice of load, of one arm gave."""

    time_ns: float | None
    """The sample's own number: median latency of a run, mean time per request of a slice. None without
    answers.
    """
    latencies_ns: IntArray
    """Of the requests that count: the first after the switch are left out. Lower bounds for those that timed
    out.
    """
    sent: int
    answered: int
    errors: Counter[str] = field(default_factory=Counter)
    """Requests that failed or got another status than usual, by kind."""
    gave_up: bool = False
    """Whether failures ended it before its time."""
    cpu_s: float | None = None
    """Of the server's processes, for all requests of the sample; None where it was not read."""
    answers_in_window: int = 0
    window_ns: int = 0
    """How many requests were answered in how long while all connections were busy."""
    generator_cpu: float | None = None
    """CPU seconds a second of the load generator; None where it cannot be what limits the arm."""
    generator_lag_ns: int | None = None
    """How late its event loop was, in the median."""


@dataclass(frozen=True, slots=True)
class ArmRound:
    """One arm in one round: a sample a block."""

    samples: tuple[Sample, ...]
    memory_bytes: int | None = None


ByArm = dict[int, ArmRound]
"""One round: its arms by number, the baseline 0."""


def cpu_s_per_request(rounds: Iterable[ArmRound]) -> float | None:
    """CPU time of the requests that it was read for; None where there are none, or none that shows."""
    samples = [sample for each in rounds for sample in each.samples if sample.cpu_s is not None]
    used_s = sum(sample.cpu_s or 0.0 for sample in samples)
    answered = sum(sample.answered for sample in samples)
    return used_s / answered if used_s and answered else None


def memory_bytes(rounds: Iterable[ArmRound]) -> int | None:
    """The median of the rounds' peaks."""
    peaks = [each.memory_bytes for each in rounds if each.memory_bytes is not None]
    return round(median(peaks)) if peaks else None


def requests_per_s(rounds: Iterable[ArmRound]) -> float | None:
    """While all connections were busy; None for a lens that does not keep them so."""
    samples = [sample for each in rounds for sample in each.samples]
    window_ns = sum(sample.window_ns for sample in samples)
    return sum(sample.answers_in_window for sample in samples) / window_ns * 1e9 if window_ns else None


def pooled_latencies(rounds: Iterable[ArmRound]) -> IntArray:
    parts = [sample.latencies_ns for each in rounds for sample in each.samples]
    return np.concatenate([np.array([], dtype=np.int64), *parts])


def percentile_ns(latencies_ns: IntArray, share: float) -> int | None:
    """The value that ``share`` of all do not exceed; None unless ten values lie beyond it."""
    supported = latencies_ns.size * (1 - share) >= 10 - 1e-9
    return _percentile_ns(latencies_ns, share) if supported else None


def _percentile_ns(latencies_ns: IntArray, share: float) -> int:
    rank = math.ceil(share * latencies_ns.size - 1e-9) - 1
    return int(np.partition(latencies_ns, rank)[rank])


def metrics_of(lens: LensName) -> tuple[Metric, ...]:
    """What a lens can tell, its own time first."""
    match lens:
        case "service":
            return ("median_service_time", "p95", "p99", "cpu_s_per_request", "peak_memory")
        case "load":
            return ("mean_time_per_request", "p95", "p99", "cpu_s_per_request", "peak_memory")
        case "direct":
            return ("median_service_time",)


_AMOUNTS: Final[dict[Metric, Callable[[ArmRound], float | None]]] = {
    "cpu_s_per_request": lambda each: cpu_s_per_request([each]),
    "peak_memory": lambda each: each.memory_bytes,
}
ONE_NUMBER_A_ROUND: Final[tuple[Metric, ...]] = ("median_service_time", "mean_time_per_request", *_AMOUNTS)
"""Metrics that verdicts can be about. Percentiles need more samples than a round has."""


def log_ratio(measured: ByArm, arm: int, metric: Metric) -> float | None:
    """x_r of one round; None where either side has no number."""
    if metric not in _AMOUNTS:
        return _time_log_ratio(measured[arm], measured[0])
    value, baseline = (_AMOUNTS[metric](measured[number]) for number in (arm, 0))
    return math.log(value / baseline) if value and baseline else None


def _time_log_ratio(arm: ArmRound, baseline: ArmRound) -> float | None:
    """From the ratios of blocks, for the two samples of a block met the same machine."""
    times = [[sample.time_ns or math.nan for sample in each.samples] for each in (baseline, arm)]
    if len(times[0]) != len(times[1]) or not np.isfinite(times).all() or not times[0]:
        return None
    return float(round_log_ratios(np.array(times).T)[0])


def log_ratios(rounds: Sequence[ByArm], arm: int, metric: Metric) -> list[float] | None:
    """One number for each round in which the arm was measured; None where they do not support the metric.

    For percentiles these are the jackknife's pseudo-values, one for each round left out (Miller, 1974, "The
    jackknife: a review"): they spread as rounds would, although no round alone has samples enough. Leaving
    out whole rounds is what makes the jackknife work for percentiles at all (Shao and Wu, 1989, "A general
    theory for jackknife variance estimation").
    """
    shared = [measured for measured in rounds if arm in measured]
    if metric in PERCENTILES:
        return _pseudo_values(shared, arm, PERCENTILES[metric])
    found = [log_ratio(measured, arm, metric) for measured in shared]
    known = [each for each in found if each is not None]
    return known if known and len(known) == len(found) else None


def _pseudo_values(rounds: Sequence[ByArm], arm: int, share: float) -> list[float] | None:
    """Their mean is the log ratio of the percentiles of all rounds together."""
    pools = [[pooled_latencies([measured[number]]) for measured in rounds] for number in (arm, 0)]
    if not rounds or any(percentile_ns(np.concatenate(parts), share) is None for parts in pools):
        return None

    def log_ratio_without(left_out: int | None) -> float:
        value, baseline = (
            _percentile_ns(np.concatenate([part for n, part in enumerate(parts) if n != left_out]), share)
            for parts in pools
        )
        return math.log(value / baseline)

    whole = log_ratio_without(None)
    if len(rounds) == 1:
        return [whole]
    without = [log_ratio_without(number) for number in range(len(rounds))]
    return [whole - (len(rounds) - 1) * (each - fmean(without)) for each in without]
