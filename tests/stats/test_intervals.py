import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from wirespeed.stats import (
    mean_interval,
    rounds_to_reach,
    smallest_effect,
    t_bound,
    t_interval,
    welch_interval,
)
from wirespeed.stats.intervals import MOST_ROUNDS

ROUNDS = np.array([-0.021, -0.018, -0.025, -0.019, -0.023, -0.020])


def test_the_interval_is_the_textbook_one() -> None:
    low, mean, high = t_interval(ROUNDS, 0.05)
    expected = scipy_stats.t.interval(0.95, 5, ROUNDS.mean(), scipy_stats.sem(ROUNDS))
    assert (low, high) == pytest.approx(expected)
    assert mean == pytest.approx(-0.021)


def test_each_of_several_candidates_gets_its_share_of_alpha() -> None:
    assert t_bound(8, 0.05, candidates=10) == pytest.approx(scipy_stats.t.isf(0.0025, 7))


def test_many_experiments_get_the_intervals_each_would_get_alone() -> None:
    many = np.stack([ROUNDS, ROUNDS * 2, ROUNDS - 1])
    together = t_interval(many, 0.05, candidates=3)
    alone = [t_interval(one, 0.05, candidates=3) for one in many]
    assert together.low == pytest.approx([one.low for one in alone])
    assert together.high == pytest.approx([one.high for one in alone])


def test_the_interval_of_two_unpaired_series_is_welchs() -> None:
    other = np.array([0.01, 0.04, -0.02])
    low, mean, high = welch_interval(ROUNDS, other, 0.05)
    expected = scipy_stats.ttest_ind(ROUNDS, other, equal_var=False).confidence_interval(0.95)
    assert (low, high) == pytest.approx((expected.low, expected.high))
    assert mean == pytest.approx(ROUNDS.mean() - other.mean())


def test_series_that_do_not_vary_give_no_interval() -> None:
    with pytest.raises(ValueError, match="no spread"):
        welch_interval(np.array([1.0, 1.0]), np.array([2.0, 2.0]), 0.05)


def test_one_round_gives_no_interval() -> None:
    with pytest.raises(ValueError, match="no spread"):
        mean_interval(np.array([0.1]), 2.0)


def test_more_rounds_show_smaller_effects_and_more_candidates_hide_them() -> None:
    effects = [smallest_effect(0.01, rounds) for rounds in (2, 5, 8, 12, 40)]
    assert effects == sorted(effects, reverse=True)
    assert smallest_effect(0.01, 8, candidates=20) > smallest_effect(0.01, 8)


def test_even_the_wildest_spread_leaves_the_effect_a_share_of_the_baseline() -> None:
    assert 0.99 < smallest_effect(10.0, 2) <= 1.0


@given(effect=st.floats(0.001, 1.0), round_sd=st.floats(0.001, 0.2))
def test_the_rounds_said_to_suffice_do_and_one_fewer_does_not(effect: float, round_sd: float) -> None:
    rounds = rounds_to_reach(effect, round_sd, 0.05)
    assert -math.log1p(-smallest_effect(round_sd, rounds)) <= effect * (1 + 1e-9)
    if rounds > 2:
        assert -math.log1p(-smallest_effect(round_sd, rounds - 1)) > effect * (1 - 1e-9)


def test_the_search_for_enough_rounds_ends_where_nobody_would_run_them() -> None:
    assert rounds_to_reach(1e-9, 1.0, 0.05) == MOST_ROUNDS


def test_importing_the_statistics_does_not_load_scipy() -> None:
    look = "import sys, wirespeed.stats, wirespeed.experiment.stopping; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], check=False).returncode == 0
