"""From the rounds of an experiment to its result: figures of every arm, log ratios by metric. Pure."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterator, Sequence
from statistics import fmean, median

import numpy as np

from wirespeed.experiment.figures import (
    ArmRound,
    ByArm,
    cpu_s_per_request,
    log_ratios,
    percentile_ns,
    pooled_latencies,
    requests_per_s,
)
from wirespeed.experiment.validity import counts_of, error_reasons, generator_reasons
from wirespeed.model import comparison

from .experiments import Progress
from .results import ArmFigures, ExperimentResult
from .suite import Metric

ALL_ARMS = ""
_MEASURED: dict[Metric, comparison.Metric] = {"p95": "p95", "p99": "p99", "cpu": "cpu_s_per_request"}


def summarize(progress: Progress, step: str, metrics: Sequence[Metric]) -> ExperimentResult:
    """``metrics``: those that somebody asks about; ``time`` always is."""
    plan, kept = progress.plan, progress.kept
    names = [arm.name for arm in plan.arms]
    digests = [hashlib.sha256(answer.body).hexdigest() for answer in progress.answers]
    return ExperimentResult(
        step=step,
        connections=plan.connections,
        arms=tuple(
            figures_of(name, _rounds_of(progress, arm), is_direct=plan.lens == "direct")
            for arm, name in enumerate(names)
        ),
        bodies=dict(zip(names, digests, strict=True)) if progress.stable else {},
        body_bytes={name: len(answer.body) for name, answer in zip(names, progress.answers, strict=True)},
        log_ratios={metric: _by_arm(progress, metric) for metric in dict.fromkeys(("time", *metrics))},
        looks=progress.course.looks,
        pairings=plan.pairings,
        rounds=len(kept),
        troubles=dict(_troubles(progress)),
        complete=not progress.interrupted,
        elapsed_s=time.monotonic() - progress.began,
    )


def figures_of(name: str, rounds: Sequence[ArmRound], *, is_direct: bool) -> ArmFigures:
    """All requests of an arm together."""
    counts, pooled = counts_of(rounds), pooled_latencies(rounds)
    if is_direct:
        # Seen from inside its process, an arm shows only the medians of its runs.
        times = [sample.time_ns for each in rounds for sample in each.samples if sample.time_ns is not None]
        pooled = np.array(times, dtype=np.int64)
    mean_ns = float(pooled.mean()) if pooled.size else None
    return ArmFigures(
        name=name,
        requests=counts.sent,
        answered=counts.answered,
        errors=dict(sorted(counts.errors.items())),
        mean_ns=mean_ns,
        median_ns=median(pooled.tolist()) if pooled.size else None,
        stdev_ns=float(pooled.std(ddof=1)) if pooled.size > 1 else None,
        p95_ns=percentile_ns(pooled, 0.95),
        p99_ns=percentile_ns(pooled, 0.99),
        max_ns=float(pooled.max()) if pooled.size else None,
        requests_per_s=requests_per_s(rounds) or (1e9 / mean_ns if mean_ns else None),
        cpu_s_per_request=cpu_s_per_request(rounds),
    )


def _rounds_of(progress: Progress, arm: int) -> list[ArmRound]:
    return [each.arms[arm] for each in progress.measured]


def _by_arm(progress: Progress, metric: Metric) -> dict[str, tuple[float, ...]]:
    """ln(arm / first arm), one a round; arms whose rounds do not support the metric are left out."""
    kept = progress.kept
    found: dict[str, tuple[float, ...]] = {}
    for arm, planned in enumerate(progress.plan.arms):
        values = [0.0] * len(kept) if arm == 0 else _values(kept, arm, metric, progress.plan.metric)
        if values:
            found[planned.name] = tuple(values)
    return found


def _values(
    kept: Sequence[ByArm], arm: int, metric: Metric, time_metric: comparison.Metric
) -> list[float] | None:
    if metric == "mean_latency":
        found = [_mean_latency_ratio(measured[arm], measured[0]) for measured in kept]
        known = [each for each in found if each is not None]
        return known if len(known) == len(found) else None
    return log_ratios(kept, arm, _MEASURED.get(metric, time_metric))


def _mean_latency_ratio(arm: ArmRound, first: ArmRound) -> float | None:
    pools = pooled_latencies([arm]), pooled_latencies([first])
    if not all(pool.size for pool in pools):
        return None
    return math.log(fmean(pools[0].tolist()) / fmean(pools[1].tolist()))


def _troubles(progress: Progress) -> Iterator[tuple[str, tuple[str, ...]]]:
    if progress.troubles:
        yield ALL_ARMS, tuple(progress.troubles)
    plan = progress.plan
    for number, arm in enumerate(plan.arms):
        rounds = _rounds_of(progress, number)
        p50_ns = percentile_ns(pooled_latencies(rounds), 0.5)
        reasons = [
            *error_reasons(arm.name, counts_of(rounds), plan.max_errors),
            *generator_reasons(arm.name, rounds, p50_ns),
        ]
        if reasons:
            yield arm.name, tuple(reasons)
