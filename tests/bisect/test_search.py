"""What a bisection asks next, and what it concludes, where the numbers leave no doubt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from wirespeed.bisect.changes import Change, Evidence, Standard, comparisons_of
from wirespeed.bisect.conclusion import conclude
from wirespeed.bisect.judging import is_settled, likeness, rule
from wirespeed.bisect.search import Compare, Compared, Search, TryOut
from wirespeed.model.bisection import Kind, Likeness, Outcome, Place, Side

DOUBT = 0.004
DELTA = math.log(1.02)


def change(mean: float, doubt: float = DOUBT) -> Change:
    return Change(mean - doubt, mean, mean + doubt)


def answered(task: Compare, levels: Sequence[float]) -> Compared:
    order = sorted(task.arms)
    pairs = pairwise(order)
    return Compared(task, tuple(change(levels[b] - levels[a]) for a, b in pairs), 8)


def searched(levels: Sequence[float], broken: Sequence[int] = ()) -> Search:
    search = Search.of(Standard(len(levels), 0.05, 0.02))
    while (task := search.task()) is not None:
        left = search.comparisons_left
        match task:
            case TryOut(release):
                search = search.after_trying(release, works=release not in broken)
            case Compare():
                search = search.after(answered(task, levels))
                assert search.comparisons_left < left
    return search


def step_at(release: int, releases: int, size: float = 1.0) -> list[float]:
    return [size * (number >= release) for number in range(releases)]


@pytest.mark.parametrize("releases", [2, 3, 4, 5, 9, 10, 33, 64])
def test_the_release_is_found_wherever_it_is_with_no_more_comparisons_than_were_allowed_for(
    releases: int,
) -> None:
    for at in range(1, releases):
        search = searched(step_at(at, releases))
        conclusion = conclude(search)

        assert conclusion.outcome is Outcome.RELEASE
        assert conclusion.found is not None
        assert (conclusion.found.earlier, conclusion.found.later) == (at - 1, at)
        assert len(search.compared) <= search.standard.comparisons


def test_the_error_is_shared_by_the_ends_the_halvings_and_the_last_comparison() -> None:
    assert [comparisons_of(between) for between in (0, 1, 2, 3, 4, 7, 8, 62)] == [1, 3, 4, 4, 5, 5, 6, 8]
    assert Standard(64, 0.05, 0.02).alpha_each == 0.05 / 8


def test_the_release_found_is_measured_beside_the_one_before_it() -> None:
    last = searched(step_at(11, 40)).compared[-1]
    assert (last.task.kind, last.task.arms) == (Kind.STEP, (10, 11))


def test_neighbours_are_not_measured_twice() -> None:
    search = searched(step_at(1, 2))
    assert [each.task.kind for each in search.compared] == [Kind.ENDS]
    found = conclude(search).found
    assert found is not None
    assert found.share == (1.0, 1.0)


def test_ends_that_do_not_differ_end_the_search() -> None:
    search = searched([0.001 * (number % 3) for number in range(20)])
    assert conclude(search).outcome is Outcome.NONE
    assert len(search.compared) == 1
    assert search.tried == (0, 19)


def test_ends_of_which_nothing_is_proven_name_no_release() -> None:
    search = searched(step_at(5, 20, size=DELTA))
    assert conclude(search).outcome is Outcome.INCONCLUSIVE
    assert conclude(search).found is None


@pytest.mark.parametrize("broken", [{9}, {10}, {11}, {9, 10, 11}, set(range(1, 39)), set(range(12, 39))])
def test_releases_that_do_not_work_are_named_with_the_one_that_may_have_changed(broken: set[int]) -> None:
    search = searched(step_at(11, 40), sorted(broken))
    conclusion = conclude(search)

    assert conclusion.outcome is Outcome.RELEASE
    assert conclusion.found is not None
    between = set(range(conclusion.found.earlier + 1, conclusion.found.later))
    assert 11 in between | {conclusion.found.later}
    assert between <= set(search.skipped) <= broken
    assert len(search.compared) <= search.standard.comparisons


def test_more_than_one_change_is_told_and_the_largest_is_followed() -> None:
    levels = [0.3 * (number >= 4) + 0.7 * (number >= 22) for number in range(32)]
    conclusion = conclude(searched(levels))

    assert conclusion.outcome is Outcome.SEVERAL
    assert conclusion.steps[0] == conclusion.found
    assert conclusion.found is not None
    assert conclusion.found.later == 22
    assert conclusion.found.share.low > 0.6


def test_a_change_in_small_steps_is_gradual() -> None:
    conclusion = conclude(searched([0.05 * number for number in range(33)]))
    assert conclusion.outcome is Outcome.GRADUAL
    assert conclusion.found is not None
    assert conclusion.found.share.high <= 0.5
    assert sum(step.change.mean for step in conclusion.steps) == pytest.approx(1.6)


def test_a_search_that_is_broken_off_gives_the_range_that_is_proven() -> None:
    levels, search = step_at(11, 40), Search.of(Standard(40, 0.05, 0.02))
    for _ in range(6):
        task = search.task()
        match task:
            case TryOut(release):
                search = search.after_trying(release, works=True)
            case Compare():
                search = search.after(answered(task, levels))
    conclusion = conclude(search)

    assert conclusion.outcome is Outcome.INCONCLUSIVE
    assert conclusion.found is not None
    assert 0 <= conclusion.found.earlier < 11 <= conclusion.found.later < 39


def test_a_middle_that_proves_nothing_ends_the_search_at_what_is_proven() -> None:
    search = Search.of(Standard(40, 0.05, 0.02))
    while (task := search.task()) is not None:
        match task:
            case TryOut(release):
                search = search.after_trying(release, works=True)
            case Compare(kind=Kind.ENDS):
                search = search.after(Compared(task, (change(0.1),), 8))
            case Compare():
                search = search.after(Compared(task, (change(0.05, 0.06), change(0.05, 0.06)), 26))
    found = conclude(search).found
    assert conclude(search).outcome is Outcome.INCONCLUSIVE
    assert found is not None
    assert (found.earlier, found.later) == (0, 39)


def test_every_release_is_placed_against_the_first() -> None:
    levels = [0.3 * (number >= 4) + 0.7 * (number >= 22) for number in range(32)]
    for release, level in conclude(searched(levels)).levels:
        assert level.low <= levels[release] <= level.high


def test_equal_means_wholly_within_the_margin_and_different_wholly_beyond_it() -> None:
    assert likeness(change(0.01), DELTA) is Likeness.SAME
    assert likeness(change(-0.03), DELTA) is Likeness.DIFFERENT
    assert likeness(change(0.018), DELTA) is None


@pytest.mark.parametrize(
    ("before", "after", "place", "larger"),
    [
        (change(0.0), change(0.1), Place.EARLIER, Side.AFTER),
        (change(-0.1), change(0.0), Place.LATER, Side.BEFORE),
        (change(0.03), change(0.07), Place.NEITHER, Side.AFTER),
        (change(0.05), change(0.05), Place.NEITHER, None),
        (change(0.3), change(-0.2), Place.NEITHER, Side.BEFORE),
        (change(0.02), change(0.08), None, Side.AFTER),
        (change(0.05, 0.06), change(0.05, 0.06), None, None),
    ],
)
def test_a_middle_belongs_with_the_end_it_is_near_to_and_the_larger_change_is_on_the_other_side(
    before: Change, after: Change, place: Place | None, larger: Side | None
) -> None:
    ruling = rule(before, after, DELTA, near=DELTA)
    assert (ruling.place, ruling.larger) == (place, larger)


def test_two_changes_of_about_the_same_size_need_no_more_rounds() -> None:
    before, after = change(0.051), change(0.05)
    assert is_settled(rule(before, after, DELTA, DELTA), before, after, DELTA)
    vague = change(0.06, 0.03)
    assert not is_settled(rule(vague, vague, DELTA, DELTA), vague, vague, DELTA)


def test_between_two_looks_nothing_new_is_seen() -> None:

    standard, looks = Standard(2, 0.05, 0.02), (6, 12)
    series = np.random.default_rng(1).normal(0.1, 0.01, 12)
    at_first = Evidence((series[:6],)).changes(standard, looks)
    assert Evidence((series[:11],)).changes(standard, looks) == at_first
    assert Evidence((series[:5],)).changes(standard, looks) is None
    assert Evidence((series,)).changes(standard, looks) != at_first
