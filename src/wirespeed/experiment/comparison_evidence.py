"""The raw numbers of a comparison, for its record: JSON values from which every figure can be made again."""

from __future__ import annotations

from typing import Any

from wirespeed.model.comparison_plan import ComparisonPlan
from wirespeed.stats.histogram import Histogram

from .figures import ArmRound, Sample, pooled_latencies
from .rehearsal import Rehearsal
from .rounds import MeasuredRound, Rounds


def evidence_of(plan: ComparisonPlan, rehearsal: Rehearsal, rounds: Rounds) -> dict[str, Any]:
    """``rounds`` in order, each with its samples by arm and block; ``histograms`` of all latencies by arm."""
    names = [arm.name for arm in plan.arms]
    course = rehearsal.course
    return {
        "rhythm": None if course is None else repr(course.rhythm),
        "round_s": None if course is None else course.round_s,
        "rounds": [_round(each, names) for each in rounds.measured],
        "histograms": {
            name: _histogram(rounds.of(number)).encode()
            for number, name in enumerate(names)
            if rounds.of(number)
        },
    }


def _round(measured: MeasuredRound, names: list[str]) -> dict[str, Any]:
    return {
        "kept": measured.kept,
        "troubles": list(measured.troubles),
        "arms": {names[number]: _arm(each) for number, each in measured.arms.items()},
    }


def _arm(measured: ArmRound) -> dict[str, Any]:
    return {
        "memory_bytes": measured.memory_bytes,
        "samples": [_sample(sample) for sample in measured.samples],
    }


def _sample(sample: Sample) -> dict[str, Any]:
    return {
        "time_ns": sample.time_ns,
        "sent": sample.sent,
        "answered": sample.answered,
        "errors": dict(sample.errors),
        "cpu_s": sample.cpu_s,
        "answers_in_window": sample.answers_in_window,
        "window_ns": sample.window_ns,
        "generator_cpu": sample.generator_cpu,
        "generator_lag_ns": sample.generator_lag_ns,
    }


def _histogram(rounds: list[ArmRound]) -> Histogram:
    histogram = Histogram()
    histogram.record(pooled_latencies(rounds))
    return histogram
