"""Bisections of simulated histories, by the code that decides: what is concluded is wrong at most 5 %."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from wirespeed.bisect.changes import Evidence, Standard
from wirespeed.bisect.conclusion import Conclusion, conclude
from wirespeed.bisect.search import Compare, Compared, Search, TryOut
from wirespeed.model.bisection import Outcome
from wirespeed.stats import LOOKS

PROCESS_SD = 0.012
"""Of a process's log time; measured on a noisy machine with several processes."""
ALPHA = 0.05


def searched(
    levels: Sequence[float], rng: np.random.Generator, *, broken: Sequence[int] = (), sd: float = PROCESS_SD
) -> Search:
    """``levels`` are the log times of the releases."""
    search = Search.of(Standard(len(levels), ALPHA, margin=0.02))
    while (task := search.task()) is not None:
        match task:
            case TryOut(release):
                search = search.after_trying(release, works=release not in broken)
            case Compare():
                search = search.after(compared(task, levels, rng, sd))
    return search


def compared(task: Compare, levels: Sequence[float], rng: np.random.Generator, sd: float) -> Compared:
    arms = np.array([levels[arm] for arm in task.arms])
    times = arms + rng.normal(0.0, sd, size=(LOOKS[-1], len(arms)))
    series = [times[:, arm] - times[:, 0] for arm in range(1, len(arms))]
    for look in LOOKS:
        changes = task.changes(Evidence(tuple(each[:look] for each in series)), LOOKS)
        if changes is not None and task.is_settled(changes):
            break
    return Compared(task, changes, look)


def conclusions(histories: Sequence[Sequence[float]], seed: int, **more: float) -> list[Conclusion]:
    rng = np.random.default_rng(seed)
    return [conclude(searched(levels, rng, **more)) for levels in histories]


def one_step(rng: np.random.Generator, ratio: float) -> tuple[list[float], int]:
    """Up to 64 releases, and the number of the one that changed."""
    releases = int(rng.integers(2, 65))
    at = int(rng.integers(1, releases))
    return [0.0 if number < at else math.log(ratio) for number in range(releases)], at


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [3.0, 1 / 1.5, 1.1, 1.05])
def test_the_one_release_that_changed_is_hardly_ever_missed_for_another(ratio: float) -> None:
    rng = np.random.default_rng(1)
    cases = [one_step(rng, ratio) for _ in range(500)]
    found = conclusions([levels for levels, _ in cases], seed=2)

    wrong, right = 0, 0
    for (_, at), conclusion in zip(cases, found, strict=True):
        named = None if conclusion.found is None else conclusion.found.later
        is_right = conclusion.outcome is Outcome.RELEASE and named == at
        right += is_right
        wrong += not is_right and conclusion.outcome is not Outcome.INCONCLUSIVE
    assert wrong <= ALPHA * len(cases)
    if ratio != 1.05:
        assert right >= 0.95 * len(cases)


@pytest.mark.slow
def test_even_where_little_is_proven_the_range_that_is_left_holds_the_release() -> None:
    rng = np.random.default_rng(3)
    cases = [one_step(rng, 1.04) for _ in range(300)]
    outside = 0
    for (_, at), conclusion in zip(cases, conclusions([c[0] for c in cases], 4, sd=0.02), strict=True):
        found = conclusion.found
        outside += found is not None and not found.earlier < at <= found.later
    assert outside <= ALPHA * len(cases)


@pytest.mark.slow
def test_no_change_is_never_given_a_release() -> None:
    found = conclusions([[0.0] * 40] * 500, seed=5)
    outcomes = Counter(each.outcome for each in found)
    assert outcomes[Outcome.NONE] + outcomes[Outcome.INCONCLUSIVE] >= (1 - ALPHA) * len(found)
    assert outcomes[Outcome.NONE] >= 0.9 * len(found)


@pytest.mark.slow
def test_a_change_spread_over_all_releases_is_called_gradual_and_never_one_of_them() -> None:
    levels = [math.log(2) * number / 40 for number in range(41)]
    outcomes = Counter(each.outcome for each in conclusions([levels] * 300, seed=6))
    assert outcomes[Outcome.RELEASE] + outcomes[Outcome.SEVERAL] <= ALPHA * 300
    assert outcomes[Outcome.GRADUAL] >= 0.95 * 300


@pytest.mark.slow
def test_of_two_steps_the_larger_is_found_and_the_other_is_not_denied() -> None:
    rng = np.random.default_rng(7)
    cases = []
    for _ in range(400):
        small, large = (int(each) for each in rng.choice(np.arange(1, 32), size=2, replace=False))
        cases.append(([0.3 * (n >= small) + 0.7 * (n >= large) for n in range(32)], small, large))
    found = conclusions([levels for levels, *_ in cases], seed=8)

    wrong, seen = 0, 0
    for (_, small, large), conclusion in zip(cases, found, strict=True):
        assert conclusion.found is not None
        wrong += conclusion.outcome is Outcome.GRADUAL or conclusion.found.later != large
        # Neighbours look like one release where nothing lies between them to be tried.
        seen += conclusion.outcome is Outcome.SEVERAL or abs(small - large) == 1
    assert wrong <= ALPHA * len(cases)
    assert seen >= 0.95 * len(cases)
