from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.stats import sign_flip_p, smallest_p
from wirespeed.stats.sign_flip import EXACT_UP_TO

log_ratios = st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=8)


def by_hand(x: list[float]) -> float:
    far = abs(sum(x)) - 1e-12 * sum(map(abs, x))
    flips = list(product((1, -1), repeat=len(x)))
    return sum(abs(sum(s * v for s, v in zip(f, x, strict=True))) >= far for f in flips) / len(flips)


@given(log_ratios)
def test_few_rounds_are_tested_by_every_flip_of_their_signs(x: list[float]) -> None:
    assert sign_flip_p(x) == pytest.approx(by_hand(x))


@given(log_ratios)
def test_faster_and_slower_are_judged_alike(x: list[float]) -> None:
    assert sign_flip_p(x) == sign_flip_p([-value for value in x])


def test_eight_rounds_on_one_side_reach_the_smallest_p_eight_rounds_have() -> None:
    assert sign_flip_p([0.01, 0.02, 0.03, 0.01, 0.02, 0.04, 0.01, 0.02]) == smallest_p(8) == 2 / 256


def test_drawn_flips_agree_with_all_flips() -> None:
    """A round of 0 changes no sum, but makes the rounds too many to count every flip."""
    x = np.random.default_rng(3).normal(0.004, 0.01, EXACT_UP_TO)
    drawn = sign_flip_p([*x, 0.0])
    assert drawn == pytest.approx(sign_flip_p(x), abs=0.005)


def test_the_same_seed_gives_the_same_answer() -> None:
    x = np.random.default_rng(4).normal(0.003, 0.01, 40)
    assert sign_flip_p(x, seed=1) == sign_flip_p(x, seed=1) != sign_flip_p(x, seed=2)


def test_drawn_flips_never_make_anything_certain() -> None:
    assert 0 < sign_flip_p(np.ones(40)) < 0.001


def test_no_rounds_cannot_be_flipped() -> None:
    with pytest.raises(ValueError, match="no rounds"):
        sign_flip_p([])
