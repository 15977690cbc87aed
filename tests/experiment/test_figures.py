"""What a round's numbers are, and that percentiles pooled over rounds have intervals that hold."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from wirespeed.experiment.figures import (
    ArmRound,
    ByArm,
    Sample,
    cpu_s_per_request,
    log_ratio,
    log_ratios,
    memory_bytes,
    percentile_ns,
    requests_per_s,
)
from wirespeed.model.comparison import Metric
from wirespeed.stats import t_interval


def sample(time_ns: float | None = 1000.0, latencies_ns: list[int] | None = None, **changed: float) -> Sample:
    known = {"sent": 10, "answered": 10, **changed}
    latencies = np.array(latencies_ns or [], dtype=np.int64)
    return Sample(time_ns, latencies, errors=Counter(), **known)  # type: ignore[arg-type]


def arm(*samples: Sample, memory: int | None = None) -> ArmRound:
    return ArmRound(samples, memory)


def test_a_rounds_ratio_is_taken_block_by_block() -> None:
    """A machine that halves its speed in the middle of a round changes no ratio."""
    measured = {0: arm(sample(100), sample(400)), 1: arm(sample(200), sample(800))}
    assert log_ratio(measured, 1, "median_service_time") == pytest.approx(math.log(2))


def test_a_round_with_a_run_that_was_not_answered_has_no_number() -> None:
    measured = {0: arm(sample(100), sample(100)), 1: arm(sample(200), sample(None))}
    assert log_ratio(measured, 1, "median_service_time") is None
    assert log_ratios([measured], 1, "median_service_time") is None


def test_cpu_time_is_shared_by_the_requests_that_it_was_read_for() -> None:
    rounds = [arm(sample(cpu_s=1.0, answered=9), sample(cpu_s=2.0, answered=1))]
    assert cpu_s_per_request(rounds) == pytest.approx(0.3)
    assert cpu_s_per_request([arm(sample(cpu_s=1.0), sample())]) == pytest.approx(0.1)
    assert cpu_s_per_request([arm(sample(), sample())]) is None
    assert cpu_s_per_request([]) is None


def test_memory_is_the_median_of_the_rounds() -> None:
    assert memory_bytes([arm(memory=size) for size in (5, 900, 7)]) == 7
    assert memory_bytes([arm()]) is None


def test_throughput_is_pooled_over_windows_of_different_lengths() -> None:
    busy = [sample(answers_in_window=10, window_ns=1_000), sample(answers_in_window=90, window_ns=4_000)]
    assert requests_per_s([arm(*busy)]) == pytest.approx(100 / 5_000 * 1e9)
    assert requests_per_s([arm(sample())]) is None


def test_a_percentile_needs_ten_values_beyond_it() -> None:
    assert percentile_ns(np.arange(199), 0.95) is None
    assert percentile_ns(np.arange(200), 0.95) == 189
    assert percentile_ns(np.arange(999), 0.99) is None
    assert percentile_ns(np.arange(1000), 0.99) == 989


def test_an_arm_that_was_left_out_of_a_round_has_no_number_there() -> None:
    rounds: list[ByArm] = [
        {0: arm(sample()), 1: arm(sample()), 2: arm(sample())},
        {0: arm(sample()), 2: arm(sample())},
    ]
    assert log_ratios(rounds, 1, "median_service_time") == [0.0]
    assert log_ratios(rounds, 2, "median_service_time") == [0.0, 0.0]
    assert log_ratios([], 1, "median_service_time") is None


def drawn(rng: np.random.Generator, count: int, scale: float) -> ArmRound:
    """Latencies with a long tail, and a factor that the process of the round has to itself."""
    process = math.exp(0.02 * rng.standard_normal())
    return arm(sample(1.0, (scale * process * rng.lognormal(12, 0.4, count)).astype(int).tolist()))


def rounds_of(rng: np.random.Generator, rounds: int, count: int, ratio: float) -> list[ByArm]:
    return [{0: drawn(rng, count, 1.0), 1: drawn(rng, count, ratio)} for _ in range(rounds)]


def test_percentiles_of_too_few_samples_are_not_guessed_at() -> None:
    rng = np.random.default_rng(1)
    rounds = rounds_of(rng, 8, 100, 1.0)
    assert log_ratios(rounds, 1, "p95") is not None
    assert log_ratios(rounds, 1, "p99") is None


def test_pseudo_values_have_the_pooled_ratio_as_their_mean() -> None:
    rounds = rounds_of(np.random.default_rng(2), 8, 200, 1.3)
    pooled = [
        percentile_ns(np.concatenate([each[number].samples[0].latencies_ns for each in rounds]), 0.95)
        for number in (1, 0)
    ]
    values = log_ratios(rounds, 1, "p95")
    assert values is not None
    assert pooled[0] is not None
    assert pooled[1] is not None
    assert np.mean(values) == pytest.approx(math.log(pooled[0] / pooled[1]))


@pytest.mark.parametrize(("metric", "count"), [("p95", 60), ("p99", 250)])
def test_intervals_of_percentiles_hold_as_often_as_they_say(metric: Metric, count: int) -> None:
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(300):
        values = log_ratios(rounds_of(rng, 10, count, 1.1), 1, metric)
        low, _, high = t_interval(np.array(values), 0.05)
        held += bool(low <= math.log(1.1) <= high)
    assert held / 300 == pytest.approx(0.95, abs=0.03)
