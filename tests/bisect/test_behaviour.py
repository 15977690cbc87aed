from __future__ import annotations

import pytest

from wirespeed.bisect.behaviour import narrowed


@pytest.mark.parametrize("changed", range(1, 20))
def test_the_release_from_which_on_the_answer_differs_is_found(changed: int) -> None:
    looked_at: list[int] = []

    def answers_as_first(release: int) -> bool:
        looked_at.append(release)
        return release < changed

    assert narrowed(19, answers_as_first) == (changed - 1, changed)
    assert len(looked_at) <= 5


def test_releases_that_do_not_answer_may_lie_between() -> None:
    def answers_as_first(release: int) -> bool | None:
        return None if release in (6, 7) else release < 7

    assert narrowed(19, answers_as_first) == (5, 8)
