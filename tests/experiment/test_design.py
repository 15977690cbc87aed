import json
import math
import random
from statistics import stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.experiment.design import (
    ARM_BUDGET_NS,
    CallTimes,
    Schedule,
    blocks_within,
    rest_of_request_ns,
    round_log_ratios,
    round_ns,
    rounds_within,
    run_length,
    schedule_round,
    whole_log_ratio,
)

MICROSECOND, MILLISECOND, SECOND = 1_000, 1_000_000, 1_000_000_000
latencies = st.floats(MICROSECOND, 10 * SECOND)


@pytest.mark.parametrize("call_ns", [20 * MICROSECOND, 100 * MICROSECOND, 140 * MICROSECOND])
def test_ordinary_requests_run_25_at_a_time_after_three_dropped(call_ns: float) -> None:
    assert run_length(call_ns) == (25, 3)


def test_slower_requests_run_fewer_at_a_time_so_that_a_block_meets_one_machine() -> None:
    run = run_length(250 * MICROSECOND)
    assert run == (14, 2)
    assert blocks_within(run, 250 * MICROSECOND) == 37


def test_blocks_during_which_the_machine_changed_its_speed_decide_nothing() -> None:
    steady = np.array([[100.0, 110.0]] * 9)
    changed = np.array([[200.0, 110.0], [100.0, 220.0], [100.0, 220.0]])
    (x,) = round_log_ratios(np.concatenate([steady, changed]))
    assert x == pytest.approx(math.log(1.1))


def test_very_slow_requests_still_run_five_at_a_time_in_one_block() -> None:
    run = run_length(SECOND)
    assert run == (5, 2)
    assert blocks_within(run, SECOND) == 1


@given(latencies)
def test_a_run_is_never_under_five_nor_over_25_and_always_drops_its_first_answers(call_ns: float) -> None:
    run = run_length(call_ns)
    assert 5 <= run.length <= 25
    assert run.dropped in (2, 3)


@given(latencies, st.integers(1, 6))
def test_an_arm_keeps_within_its_budget_wherever_a_shortest_run_does(call_ns: float, arms: int) -> None:
    schedule = schedule_round(arms, call_ns, random.Random(1))
    assert 1 <= len(schedule.orders) <= 40
    if 7 * call_ns <= ARM_BUDGET_NS:
        assert schedule.requests_per_arm * call_ns <= ARM_BUDGET_NS
    if 2 * 7 * call_ns <= ARM_BUDGET_NS * 0.999:
        assert len(schedule.orders) >= 2


@given(st.integers(1, 8))
def test_every_block_runs_every_arm_once(arms: int) -> None:
    schedule = schedule_round(arms, MILLISECOND, random.Random(arms))
    assert all(sorted(order) == list(range(arms)) for order in schedule.orders)


def test_the_order_of_arms_is_random_and_the_seed_repeats_it() -> None:
    schedules = [schedule_round(3, 100 * MICROSECOND, random.Random(f"7/{r}")) for r in range(20)]
    assert schedules[0] == schedule_round(3, 100 * MICROSECOND, random.Random("7/0"))
    orders = [order for schedule in schedules for order in schedule.orders]
    assert len(set(orders)) == 6
    first = [order[0] for order in orders]
    assert all(0.2 < first.count(arm) / len(first) < 0.5 for arm in range(3))


def test_a_schedule_travels_as_json() -> None:
    schedule = schedule_round(2, MILLISECOND, random.Random(1))
    sent = json.loads(schedule.model_dump_json())
    assert set(sent) == {"orders", "length", "dropped"}
    assert Schedule.model_validate(sent) == schedule


@pytest.mark.parametrize(("budget_s", "rounds"), [(60, 12), (24, 12), (16, 8), (11, 5), (1, 5)])
def test_the_budget_fixes_five_to_twelve_rounds(budget_s: float, rounds: int) -> None:
    assert rounds_within(budget_s, round_cost_s=2.0) == rounds


def test_a_round_is_the_mean_over_blocks_of_the_log_ratio_to_the_baseline() -> None:
    blocks = np.array([[100.0, 50.0, 110.0], [200.0, 50.0, 220.0]])
    assert round_log_ratios(blocks) == pytest.approx([math.log(0.5 * 0.25) / 2, math.log(1.1)])


@given(st.lists(st.tuples(*[st.floats(1e3, 1e9)] * 2), min_size=1, max_size=8))
def test_swapping_arm_and_baseline_only_turns_the_sign(blocks: list[tuple[float, float]]) -> None:
    times = np.array(blocks)
    assert round_log_ratios(times) == pytest.approx(-round_log_ratios(times[:, ::-1]))


def test_many_rounds_give_what_each_gives_alone() -> None:
    blocks = np.random.default_rng(1).uniform(1, 2, (7, 3, 4))
    assert round_log_ratios(blocks) == pytest.approx(np.stack([round_log_ratios(one) for one in blocks]))


@pytest.mark.parametrize("time", [0.0, -1.0, math.nan, math.inf])
def test_a_block_without_a_time_is_refused(time: float) -> None:
    with pytest.raises(ValueError, match="positive and finite"):
        round_log_ratios(np.array([[100.0, time]]))


def test_the_rest_of_a_request_is_what_its_live_calls_spend_elsewhere() -> None:
    live = [CallTimes(1_000, 800), CallTimes(5_000, 4_750), CallTimes(900, 720)]
    replayed = [CallTimes(830, 810), CallTimes(840, 820), CallTimes(2_000, 1_100)]
    assert rest_of_request_ns(live, replayed) == 200 - 20


def test_the_rest_of_a_request_takes_calls_to_know() -> None:
    with pytest.raises(ValueError, match="at least one"):
        rest_of_request_ns([], [CallTimes(1, 1)])


def test_the_whole_request_gains_what_the_response_path_saves() -> None:
    gained = whole_log_ratio(baseline_ns=9_400, remedy_ns=600, rest_ns=42_600)
    assert gained == pytest.approx(math.log(1 - (9_400 - 600) / 52_000))


def test_with_nothing_around_it_the_response_path_is_the_whole_request() -> None:
    blocks = np.array([[100.0, 60.0], [130.0, 55.0]])
    baseline_ns, remedy_ns = round_ns(blocks)
    assert whole_log_ratio(baseline_ns, remedy_ns, 0.0) == pytest.approx(round_log_ratios(blocks)[0])


def test_a_rest_below_nothing_is_noise_and_taken_as_none() -> None:
    assert whole_log_ratio(baseline_ns=1000, remedy_ns=10, rest_ns=-20) == pytest.approx(math.log(0.01))


def test_a_replay_much_longer_than_the_live_request_gives_no_figure() -> None:
    assert whole_log_ratio(baseline_ns=1000, remedy_ns=10, rest_ns=-501) is None


def test_pairing_rest_and_response_path_in_one_live_call_keeps_a_large_gain_measurable() -> None:
    """A remedy that removes 95 % of a request, all times at 2 % noise: measured apart, the request and its
    replay leave the ratio several times as uncertain, and some rounds without any."""
    rng = np.random.default_rng(1)

    def noisy(time_ns: float, size: int) -> np.ndarray:
        return time_ns * (1 + 0.02 * rng.standard_normal(size))

    path_ns, rest_ns, after_ns, overhead_ns, rounds = 980_000, 20_000, 30_000, 5_000, 4_000
    baseline, remedy = noisy(path_ns + overhead_ns, rounds), noisy(after_ns + overhead_ns, rounds)
    paired, apart = [], []
    for b, v in zip(baseline, remedy, strict=True):
        paths, replays = noisy(path_ns, 3), noisy(path_ns, 3)
        live = [CallTimes(p + r, p) for p, r in zip(paths, noisy(rest_ns, 3), strict=True)]
        replayed = [CallTimes(p + o, p) for p, o in zip(replays, noisy(overhead_ns, 3), strict=True)]
        paired.append(whole_log_ratio(b, v, rest_of_request_ns(live, replayed)))
        independent_live_ns = float(np.median([call.total_ns for call in live]))
        with_remedy_ns = v + independent_live_ns - b
        apart.append(math.log(with_remedy_ns / independent_live_ns) if with_remedy_ns > 0 else None)

    composed = [x for x in paired if x is not None]
    assert len(composed) == rounds
    assert float(np.mean(composed)) == pytest.approx(math.log(0.05), abs=0.01)
    assert stdev(x for x in apart if x is not None) > 10 * stdev(composed)
