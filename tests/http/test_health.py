"""When the load generator spoils what it measures, and what is said then."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wirespeed.http.health import Health, complaints
from wirespeed.http.outcomes import Tally
from wirespeed.http.plan import LoadPlan
from wirespeed.stats.histogram import Histogram

MS = 1_000_000
PLAN = LoadPlan(connections=10, requests=None, duration_s=5.0)


def times(value_ns: int) -> Histogram:
    histogram = Histogram()
    histogram.record(np.full(100, value_ns))
    return histogram


def told(health: Health, plan: LoadPlan = PLAN, *, latency_ns: int = 10 * MS, cores: int = 8) -> list[str]:
    tally = Tally(sent=100)
    tally.response.histogram.record(np.full(100, latency_ns))
    return list(complaints(health, tally, plan, cores))


def test_a_generator_with_time_to_spare_is_fine() -> None:
    assert told(Health(cpu=0.5, lag=times(MS // 10), late=times(MS // 10))) == []


def test_a_generator_that_uses_up_its_core_may_be_the_bottleneck() -> None:
    assert "--processes 2" in told(Health(cpu=0.97))[0]
    assert "another machine" in told(Health(cpu=0.97), replace(PLAN, processes=8))[0]


def test_lag_matters_in_relation_to_what_is_measured() -> None:
    health = Health(lag=times(3 * MS))
    assert "late in the median" in told(health)[0]
    assert told(health, latency_ns=500 * MS) == []


def test_sending_late_matters_in_relation_to_what_is_measured() -> None:
    health = Health(late=times(5 * MS))
    assert "sent 5.0 ms late" in told(health, replace(PLAN, rate=10.0))[0]
    assert told(health, replace(PLAN, rate=10.0), latency_ns=500 * MS) == []


def test_a_rate_that_was_not_reached_is_told_with_what_to_do() -> None:
    tally = Tally(sent=50, due=100, unsent=50)
    (complaint,) = complaints(Health(), tally, replace(PLAN, rate=100.0), 8)
    assert "50 of 100" in complaint
    assert "-c 10" in complaint


def test_the_busiest_process_counts() -> None:
    health = Health(cpu=0.2, lag=times(1))
    health.add(Health(cpu=0.95, lag=times(3 * MS)))
    assert health.cpu == 0.95
    assert health.lag.total == 200
