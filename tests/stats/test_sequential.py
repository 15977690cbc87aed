from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from wirespeed.stats import LOOKS, looks_within, mean_interval, sequential_bounds
from wirespeed.stats.sequential import spent_alpha, z_bounds

increasing_looks = st.lists(st.integers(2, 60), min_size=1, max_size=6, unique=True).map(sorted).map(tuple)


def test_the_standard_looks_have_the_published_bounds() -> None:
    bounds = sequential_bounds()
    assert [look.rounds for look in bounds] == [8, 14, 20, 26, 32, 40]
    assert [round(look.z, 2) for look in bounds] == [4.38, 3.31, 2.79, 2.48, 2.28, 2.07]
    assert [round(look.t, 2) for look in bounds] == [10.95, 4.27, 3.15, 2.67, 2.40, 2.14]


def test_the_recursion_gives_the_five_look_bounds_found_in_textbooks() -> None:
    """One-sided 0.025 with O'Brien-Fleming-type spending, mirrored; as tabled for Lan and DeMets' method."""
    fifths = np.arange(1, 6) / 5
    bounds = z_bounds(fifths, 2 * spent_alpha(fifths, 0.025))
    assert bounds == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=6e-4)


def test_random_walks_cross_at_each_look_as_often_as_was_granted() -> None:
    looks = (5, 7, 16, 20)
    alpha = 0.2
    walks = np.random.default_rng(1).standard_normal((200_000, 20)).cumsum(axis=1)
    inside = np.ones(len(walks), dtype=bool)
    crossed = []
    for look in sequential_bounds(looks, alpha):
        inside &= np.abs(walks[:, look.rounds - 1]) < look.z * look.rounds**0.5
        crossed.append(1 - inside.mean())
    assert crossed == pytest.approx(spent_alpha(np.array(looks) / 20, alpha), abs=0.003)


def test_a_single_look_is_the_ordinary_t_interval() -> None:
    (look,) = sequential_bounds((10,), 0.05)
    assert look.t == pytest.approx(scipy_stats.t.isf(0.025, 9))
    assert look.level == pytest.approx(0.05)


@given(looks=increasing_looks, alpha=st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=40, deadline=None)
def test_looking_more_often_never_makes_a_look_cheaper(looks: tuple[int, ...], alpha: float) -> None:
    once = scipy_stats.norm.isf(alpha / 2)
    bounds = sequential_bounds(looks, alpha)
    assert all(look.z >= once - 1e-9 for look in bounds)
    assert all(look.t >= look.z for look in bounds)
    assert sum(look.level for look in bounds) >= alpha - 1e-9


def test_a_look_granted_no_error_excludes_nothing() -> None:
    first = sequential_bounds((2, 200))[0]
    assert (first.z, first.t) == (np.inf, np.inf)
    interval = mean_interval(np.array([5.0, 5.1]), first.t)
    assert interval.low == -np.inf
    assert interval.high == np.inf


@pytest.mark.parametrize("looks", [(), (1, 8), (8, 8), (14, 8)])
def test_looks_that_do_not_increase_from_two_rounds_are_refused(looks: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="looks must increase"):
        sequential_bounds(looks)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_an_alpha_that_is_no_probability_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        sequential_bounds(LOOKS, alpha)


def test_twelve_rounds_are_looked_at_after_six_nine_and_twelve() -> None:
    assert looks_within(12) == (6, 9, 12)


def test_a_budget_for_forty_rounds_or_more_gets_the_standard_looks() -> None:
    assert looks_within(40) == LOOKS
    assert looks_within(400) == LOOKS


@pytest.mark.parametrize("rounds", range(2, 40))
def test_every_smaller_budget_is_used_up_by_its_last_look(rounds: int) -> None:
    looks = looks_within(rounds)
    assert looks[-1] == rounds
    assert len(looks) == 1 or looks[0] >= 6
    assert all(later - earlier >= 3 for earlier, later in pairwise(looks))
    assert sequential_bounds(looks)[-1].level > 0.03


def test_one_round_is_never_looked_at() -> None:
    with pytest.raises(ValueError, match="no spread"):
        looks_within(1)
