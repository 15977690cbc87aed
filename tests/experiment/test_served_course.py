"""How pairs are measured through a server: what becomes less where time is short, and in which order."""

from __future__ import annotations

from wirespeed.experiment.rhythm import Slice
from wirespeed.experiment.served_course import FEWEST_ROUNDS, Costs, Course, course_of

QUICK = Costs(alone_ns=(500_000, 300_000), loaded_ns=(400_000, 200_000))
SLOW = Costs(alone_ns=(20_000_000, 1_000_000), loaded_ns=(20_000_000, 1_000_000))


def course(
    *costs: Costs, left_s: float, rounds: int | None = None, pairings: int = 0, start_s: float = 1.0
) -> Course:
    return course_of(dict(enumerate(costs)), start_s, left_s, rounds=rounds, pairings=pairings)


def test_with_time_to_spare_every_pair_gets_its_rounds_and_all_the_effort() -> None:
    planned = course(QUICK, QUICK, left_s=120)
    assert set(planned.rhythms) == {0, 1}
    assert planned.rounds == 12
    assert planned.rhythms[0].loaded.blocks == 3


def test_where_time_is_short_a_round_takes_less_before_rounds_become_fewer() -> None:
    planned = course(SLOW, left_s=70)
    (rhythm,) = planned.rhythms.values()
    assert rhythm.loaded.blocks == 1
    assert planned.rounds >= 8


def test_what_no_few_rounds_have_time_for_is_left_out_the_last_first() -> None:
    planned = course(QUICK, SLOW, SLOW, left_s=30)
    assert set(planned.rhythms) == {0, 1}
    assert planned.rounds >= FEWEST_ROUNDS
    assert not course(SLOW, left_s=1).rhythms


def test_rounds_that_are_asked_for_are_made_however_long_they_take() -> None:
    planned = course(SLOW, left_s=1, rounds=2)
    assert planned.rounds == 2
    assert set(planned.rhythms) == {0}


def test_rounds_that_count_in_pairs_are_twice_as_many() -> None:
    assert course(QUICK, left_s=6).rhythms
    assert not course(QUICK, left_s=6, pairings=1).rhythms
    assert course(QUICK, left_s=12, pairings=1).rounds >= 2 * FEWEST_ROUNDS


def test_a_slice_is_long_enough_for_several_answers_on_every_connection() -> None:
    planned = course(SLOW, left_s=1000)
    slow, quick = planned.rhythms[0].loaded.turns
    assert isinstance(slow, Slice) and isinstance(quick, Slice)
    assert slow.seconds >= 10 * 50 * 0.02 > quick.seconds


def test_no_pairs_take_no_rounds() -> None:
    assert not course(left_s=60).rhythms
