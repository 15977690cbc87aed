"""What one process may say, and what it may not."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from wirespeed.testing.suite.estimating import (
    FEWEST_BLOCKS,
    best_possible,
    estimate,
    rest_of_request_ns,
    schedule,
)
from wirespeed.testing.suite.kept import Call

MS = 1_000_000


def runs(*arms: list[float]) -> list[list[list[float]]]:
    return [[[median, median, 0, 25] for median in arm] for arm in arms]


def test_the_gain_of_the_whole_request_counts_what_no_remedy_touches() -> None:
    seen = estimate(runs([6 * MS] * 8, [1 * MS] * 8), 1, rest_ns=4 * MS)

    assert seen.response_path.ratio == pytest.approx(1 / 6)
    assert seen.whole.ratio == pytest.approx(5 / 10)
    assert (seen.before_ns, seen.after_ns) == pytest.approx((6 * MS, 1 * MS))


def test_a_gain_that_is_hidden_by_the_rest_of_the_request_is_not_shown() -> None:
    blocks = runs([6 * MS] * 8, [1 * MS] * 8)

    assert estimate(blocks, 1, rest_ns=4 * MS).is_shown
    assert not estimate(blocks, 1, rest_ns=40 * MS).is_shown


def test_a_gain_that_a_quarter_of_the_blocks_does_not_show_is_not_shown() -> None:
    steady = runs([2.0] * 8, [1.0] * 8)
    shaky = runs([2.0] * 8, [1.0] * 5 + [1.6] * 3)

    assert estimate(steady, 1, rest_ns=0).is_shown
    assert not estimate(shaky, 1, rest_ns=0).is_shown


def test_one_disturbed_block_decides_nothing() -> None:
    calm = estimate(runs([2.0] * 8, [1.0] * 8), 1, rest_ns=0)
    disturbed = estimate(runs([2.0] * 8, [1.0] * 7 + [50.0]), 1, rest_ns=0)

    assert disturbed.whole.ratio == pytest.approx(calm.whole.ratio)


def test_the_rest_of_a_request_is_that_of_the_quickest_answer_of_its_size() -> None:
    calls = [Call(1000, 9 * MS, 1 * MS), Call(900, 5 * MS, 1 * MS), Call(10, 1 * MS, 0)]

    assert rest_of_request_ns(calls, 1000, replayed_outside_ns=MS) == 3 * MS
    assert rest_of_request_ns(calls, 1000, replayed_outside_ns=20 * MS) == 0
    assert rest_of_request_ns([], 1000, replayed_outside_ns=0) == 0


def test_what_ready_bytes_cannot_speed_up_enough_is_not_worth_trying() -> None:
    assert best_possible(10 * MS, 1 * MS, rest_ns=0) == pytest.approx(10)
    assert best_possible(10 * MS, 1 * MS, rest_ns=90 * MS) < 1.5
    assert best_possible(1 * MS, 2 * MS, rest_ns=0) == pytest.approx(1)


@pytest.mark.parametrize("slowest_ns", [50_000, 500_000, 5 * MS, 50 * MS, 2_000 * MS])
def test_arms_run_in_consecutive_calls_and_every_block_has_each_arm_once(slowest_ns: float) -> None:
    made = schedule(3, slowest_ns, random.Random(1))

    assert all(sorted(order) == [0, 1, 2] for order in made["orders"])
    assert len(made["orders"]) >= FEWEST_BLOCKS
    assert made["length"] >= 3
    assert made["dropped"] >= 1


def test_the_order_of_the_arms_changes_from_block_to_block() -> None:
    orders = schedule(3, 50_000, random.Random(1))["orders"]

    assert any(one != other for one, other in pairwise(orders))


def test_slow_arms_get_no_more_time_than_four_blocks_need() -> None:
    made = schedule(2, 100 * MS, random.Random(1))

    calls = len(made["orders"]) * (made["length"] + made["dropped"])
    assert calls == 4 * (3 + 1)
