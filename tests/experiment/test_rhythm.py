"""How long arms are driven before others have their turn."""

from __future__ import annotations

import random

import pytest

from wirespeed.experiment.design import Run
from wirespeed.experiment.rhythm import Rhythm, Slice, rhythm_of_runs, rhythm_of_slices, round_s


def run_of(call_ns: list[float], start_s: float = 0.5) -> Run:
    first, *others = rhythm_of_runs(call_ns, start_s).turns
    assert isinstance(first, Run)
    assert all(turn == first for turn in others)
    return first


def test_a_usual_arm_gets_runs_of_25() -> None:
    assert run_of([100_000, 120_000]) == Run(length=25, dropped=10)


def test_slow_arms_get_shorter_runs_but_never_less_than_five() -> None:
    assert run_of([20e6, 20e6]).length < 25
    assert run_of([2e9, 2e9]) == Run(length=5, dropped=2)


def test_very_fast_arms_drop_more_answers_for_caches_take_time_to_fill() -> None:
    assert run_of([50_000, 50_000]).dropped == 20
    assert run_of([50_000, 7_000_000]).dropped == 20
    assert run_of([1_000, 1_000]).dropped == 25


def test_the_dearer_starting_is_the_longer_a_round_measures() -> None:
    cheap, dear = (rhythm_of_runs([1e6, 1e6], start_s) for start_s in (0.3, 4.0))
    assert dear.blocks > cheap.blocks
    assert rhythm_of_runs([1e6, 1e6], 1000.0) == rhythm_of_runs([1e6, 1e6], 100.0)


def test_the_more_blocks_spread_the_longer_a_round_measures_but_never_beyond_twice_its_start() -> None:
    usual = rhythm_of_runs([1e6, 1e6], 2.0)
    calm, noisy, wild = (rhythm_of_runs([1e6, 1e6], 2.0, spread) for spread in (0.01, 0.05, 5.0))
    assert calm == usual
    assert usual.blocks < noisy.blocks < wild.blocks
    assert round_s(wild, [1e6, 1e6]) <= 2 * 2.0 + wild.warm_up * 2e-3


def test_slices_are_long_enough_for_ten_answers_on_every_connection() -> None:
    assert rhythm_of_slices([5e6, 50e6]) == Rhythm(3, (Slice(0.2), Slice(0.5)), 2)
    assert rhythm_of_slices([5e6, 700e6]) == Rhythm(1, (Slice(0.2), Slice(7.0)), 2)


def test_every_block_has_every_arm_once_in_an_order_of_its_own() -> None:
    rhythm = rhythm_of_runs([1e6, 1e6], 4.0)
    orders = rhythm.orders([0, 2, 5], random.Random(1))
    assert len(orders) == rhythm.blocks
    assert all(sorted(order) == [0, 2, 5] for order in orders)
    assert len(set(map(tuple, orders))) > 1
    assert orders == rhythm.orders([0, 2, 5], random.Random(1))


def test_what_a_round_takes_is_told_before_it_is_made() -> None:
    rhythm = rhythm_of_slices([10e6, 10e6])
    assert round_s(rhythm, [10e6, 10e6]) == pytest.approx(10 * 0.02 + 3 * (0.4 + 0.02))
    slow = rhythm_of_runs([1e9, 1e9], 0.5)
    assert round_s(slow, [1e9, 1e9]) == pytest.approx((2 + 7) * 2)
