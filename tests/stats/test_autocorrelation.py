import numpy as np
import pytest
from simulation import autocorrelated_log_ratios

from wirespeed.stats import FloatArray, lag1_autocorrelation, pair_rounds, pairings_needed


def remembering(rho: float, rounds: int = 4_000) -> FloatArray:
    return autocorrelated_log_ratios(rho, seed=8, experiments=1, rounds=rounds)[0]


@pytest.mark.parametrize("rho", [0.0, 0.3, -0.4])
def test_the_memory_of_rounds_is_found_again(rho: float) -> None:
    assert lag1_autocorrelation(remembering(rho)) == pytest.approx(rho, abs=0.04)


def test_alternating_rounds_have_negative_autocorrelation() -> None:
    assert lag1_autocorrelation(np.tile([1.0, -1.0], 50)) == pytest.approx(-0.99)


def test_pairs_remember_less_than_rounds_by_the_stated_formula() -> None:
    assert lag1_autocorrelation(pair_rounds(remembering(0.3, 20_000))) == pytest.approx(
        0.3 * 1.3 / 2, abs=0.03
    )


def test_independent_rounds_are_left_as_they_are() -> None:
    assert pairings_needed(remembering(0.0)) == 0


def test_rounds_are_paired_until_what_is_left_is_tolerated() -> None:
    assert pairings_needed(remembering(0.15)) == 1
    assert pairings_needed(remembering(0.25)) == 2


def test_hopeless_rounds_are_not_paired_away() -> None:
    assert pairings_needed(remembering(0.9)) == 2


def test_autocorrelation_is_not_judged_from_few_rounds() -> None:
    with pytest.raises(ValueError, match="199 rounds do not show autocorrelation; 200 do"):
        pairings_needed(remembering(0.0, 199))


@pytest.mark.parametrize("rounds", [[], [0.1, 0.2], [0.1, 0.1, 0.1]])
def test_rounds_without_spread_have_no_autocorrelation(rounds: list[float]) -> None:
    with pytest.raises(ValueError, match="no autocorrelation"):
        lag1_autocorrelation(np.array(rounds))


def test_an_odd_last_round_waits_for_its_partner() -> None:
    assert pair_rounds(np.array([1.0, 3.0, 5.0, 7.0, 100.0])).tolist() == [2.0, 6.0]


def test_pairs_of_pairs_are_means_of_four() -> None:
    assert pair_rounds(np.arange(8.0), times=2).tolist() == [1.5, 5.5]


def test_rounds_may_be_left_unpaired() -> None:
    assert pair_rounds(np.array([1.0, 2.0, 4.0]), times=0).tolist() == [1.0, 2.0, 4.0]
