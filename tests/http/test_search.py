"""Objectives, and the search for the highest rate that meets one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from wirespeed.errors import UsageError
from wirespeed.http.engine import Measured
from wirespeed.http.objective import Objective, judge, parse_objective
from wirespeed.http.outcomes import Failure, Tally
from wirespeed.http.plan import LoadPlan
from wirespeed.http.search import PRECISION, best_of, search

P99 = parse_objective("p99<50ms")
PLAN = LoadPlan(connections=10, requests=None, duration_s=5.0)
MS = 1_000_000


def tally_of(latency_ns: int, number: int = 2000) -> Tally:
    tally = Tally(sent=number)
    tally.status[200] = number
    tally.response.record(np.full(number, latency_ns))
    return tally


def server_with(limit: float) -> Callable[[LoadPlan], Measured]:
    """Fast up to a rate, slow above it."""
    return lambda plan: Measured(tally_of(MS if (plan.rate or 0) <= limit else 900 * MS))


@pytest.mark.parametrize(
    ("text", "share", "limit_ns"),
    [
        ("p99<50ms", 0.99, 50e6),
        (" p99.9 <= 0.2s ", 0.999, 200e6),
        ("p50<900us", 0.5, 900e3),
        ("p50<1µs", 0.5, 1e3),
    ],
)
def test_an_objective_is_a_percentile_and_a_time(text: str, share: float, limit_ns: float) -> None:
    objective = parse_objective(text)
    assert (objective.share, objective.limit_ns) == (pytest.approx(share), pytest.approx(limit_ns))


@pytest.mark.parametrize("text", ["", "p99", "p99<50", "p100<1s", "p0<1s", "p99<0ms", "mean<1s", "p99>50ms"])
def test_what_is_no_objective_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_objective(text)


@pytest.mark.parametrize("limit", [100.0, 317.0, 1234.0, 1999.0])
def test_the_search_finds_the_highest_rate_that_meets_the_objective(limit: float) -> None:
    trials = search(PLAN, 100, 2000, P99, server_with(limit))
    best = best_of(trials)
    assert best.finding.met
    assert limit / PRECISION <= (best.plan.rate or 0) <= limit
    assert len(trials) < 10


def test_the_search_ends_at_once_when_the_whole_range_meets_it_or_none_does() -> None:
    above = search(PLAN, 100, 2000, P99, server_with(5000))
    assert [trial.plan.rate for trial in above] == [100, 2000]
    assert best_of(above).plan.rate == 2000
    below = search(PLAN, 100, 2000, P99, server_with(50))
    assert [trial.plan.rate for trial in below] == [100]
    assert not best_of(below).finding.met


def test_trials_last_long_enough_for_the_percentile() -> None:
    trials = search(PLAN, 10, 10, parse_objective("p99.9<50ms"), server_with(50))
    assert (trials[0].plan.duration_s or 0) * 10 >= 10_000


def test_stopping_a_trial_stops_the_search() -> None:
    trials = search(PLAN, 100, 2000, P99, lambda plan: Measured(tally_of(MS), stopped_early=True))
    assert len(trials) == 1


def reason(tally: Tally, objective: Objective = P99) -> str:
    finding = judge(tally, objective)
    assert not finding.met
    return finding.reason or ""


def test_an_objective_is_not_met_by_too_few_requests_to_tell() -> None:
    assert "too few" in reason(tally_of(MS, 999))
    assert judge(tally_of(MS, 1000), P99).met


def test_an_objective_is_not_met_by_refusing_requests() -> None:
    refusing = tally_of(MS)
    refusing.status[503] = 10
    assert "10 of 2000" in reason(refusing)
    failing = tally_of(MS)
    failing.errors[Failure.RESET] = 10
    assert "10 of 2000" in reason(failing)


def test_an_objective_is_not_met_by_lower_bounds() -> None:
    unfinished = tally_of(MS)
    unfinished.response.record_censored(np.full(100, 2 * MS))
    assert "no answer" in reason(unfinished)
