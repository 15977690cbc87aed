"""When requests are due."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice

import numpy as np
import pytest

from wirespeed.http.plan import LoadPlan
from wirespeed.http.schedule import due_times

PLAN = LoadPlan(connections=1, requests=None, duration_s=10.0, rate=300.0)


def test_even_arrivals_meet_the_rate_exactly_however_long_it_lasts() -> None:
    hour = replace(PLAN, duration_s=3600.0, rate=7.0)
    moments = list(due_times(hour))
    assert len(moments) == 7 * 3600
    assert moments[-1] == round((7 * 3600 - 1) * 1e9 / 7)


def test_random_arrivals_have_exponential_gaps_of_the_rate() -> None:
    moments = np.array(list(due_times(replace(PLAN, poisson=True, duration_s=100.0))))
    gaps = np.diff(moments)
    assert len(moments) == pytest.approx(30_000, rel=0.03)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.05)
    assert moments[-1] < 100e9


def test_the_seed_fixes_random_arrivals() -> None:
    first, again, other = (
        list(islice(due_times(replace(PLAN, poisson=True, seed=seed)), 100)) for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize("poisson", [False, True])
def test_processes_take_turns_in_one_schedule(poisson: bool) -> None:
    plan = replace(PLAN, poisson=poisson, processes=3)
    shares = [list(due_times(plan, process)) for process in range(3)]
    whole = list(due_times(replace(plan, processes=1)))
    assert sorted(chain.from_iterable(shares)) == whole
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_a_number_of_requests_ends_the_schedule() -> None:
    assert len(list(due_times(replace(PLAN, duration_s=None, requests=7)))) == 7


@pytest.mark.parametrize("processes", [1, 2, 3, 7])
def test_the_shares_of_processes_add_up(processes: int) -> None:
    plan = LoadPlan(connections=10, requests=101, duration_s=None, processes=processes)
    shares = [plan.share(index) for index in range(processes)]
    assert sum(share.connections for share in shares) == 10
    assert sum(share.requests or 0 for share in shares) == 101
