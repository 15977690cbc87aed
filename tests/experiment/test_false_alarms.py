"""Simulations of the whole rule, from block times to verdict; benchmarks/simulation.py prints all figures."""

import pytest
import simulation
from simulation import NOISES, NORMAL, Figure

from wirespeed.stats import looks_within

pytestmark = pytest.mark.slow


def held(*figures: Figure) -> bool:
    """Whether all figures keep their limits; shown by ``pytest -s``."""
    print(*figures, sep="\n")
    return all(figure.holds for figure in figures)


@pytest.mark.parametrize("noise", NOISES)
def test_equals_are_called_different_no_more_often_than_promised(noise: str) -> None:
    assert held(*simulation.sequential(noise))


@pytest.mark.parametrize("rounds", [9, 12, 20, 30])
def test_smaller_budgets_are_no_less_honest(rounds: int) -> None:
    assert held(*simulation.sequential(NORMAL, looks_within(rounds)))


@pytest.mark.parametrize("ratio", [0.9, 0.985, 1.02])
@pytest.mark.parametrize("noise", NOISES)
def test_the_interval_at_the_stop_holds_the_true_ratio(noise: str, ratio: float) -> None:
    assert held(simulation.sequential_coverage(noise, ratio))


@pytest.mark.parametrize("rounds", [5, 8, 12])
@pytest.mark.parametrize("noise", NOISES)
def test_a_whole_table_of_candidates_is_rarely_wrong_anywhere(noise: str, rounds: int) -> None:
    assert held(*simulation.whole_table(noise, rounds))


def test_naive_peeking_would_be_caught_by_these_simulations() -> None:
    peeking = simulation.naive_peeking(NORMAL)
    assert held(peeking)
    assert peeking.share > simulation.FALSE_AT_MOST


def test_rounds_that_remember_the_last_one_break_the_bounds_and_pairing_repairs_most_of_it() -> None:
    promised = 0.05
    as_they_are, in_pairs, in_fours = (simulation.autocorrelation(0.3, p).share - promised for p in (0, 1, 2))
    assert as_they_are > 0.10
    assert in_pairs < 0.6 * as_they_are
    assert in_fours < 0.3 * as_they_are


@pytest.mark.parametrize("rounds", [5, 8, 12])
def test_the_smallest_effect_is_shown_in_four_of_five_experiments(rounds: int) -> None:
    assert held(simulation.power(rounds))
