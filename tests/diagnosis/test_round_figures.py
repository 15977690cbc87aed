"""One number a round and arm, from what the agent measured; and what makes an arm's numbers no evidence."""

from __future__ import annotations

import math
from typing import Any

import pytest

from wirespeed.diagnosis.round_figures import figures_of, live_arms, replayed_arms

# -- one round -----------------------------------------------------------------------------------------------


def test_a_rounds_ratio_is_that_of_its_blocks_and_the_whole_keeps_the_rest(make: Any) -> None:
    figures = figures_of(make.round())

    assert figures.response_path[0] == pytest.approx(math.log(0.1), abs=1e-3)
    assert figures.baseline_ns == pytest.approx(1000, rel=1e-3)
    assert figures.live_ns == 10_000
    assert figures.whole[0] == pytest.approx(math.log((100 + 9000) / (1000 + 9000)), abs=1e-4)


def test_the_rest_of_one_noisy_round_is_taken_as_nothing(make: Any) -> None:
    (arm,) = replayed_arms([make.round(), make.round(rest_ns=-900), make.round()], 1)

    assert arm.invalid is None
    assert arm.whole[1] == arm.response_path[1]
    assert arm.whole[0] > arm.response_path[0]


def test_replay_and_live_that_disagree_in_most_rounds_are_invalid(make: Any) -> None:
    (arm,) = replayed_arms([make.round(), make.round(rest_ns=-900), make.round(rest_ns=-900)], 1)

    assert arm.invalid == "replay and live calls disagree: replaying takes longer than the whole request"


def test_one_failed_answer_in_any_round_makes_its_arm_invalid_and_no_other(make: Any) -> None:
    two_arms = {"arms": ((100.0,), (200.0,)), "baseline": (1000.0,)}
    first, second = replayed_arms([make.round(**two_arms), make.round(**two_arms, errors=[0, 0, 3])], 2)

    assert first.invalid is None
    assert second.invalid == "3 replayed answers failed"


def test_a_baseline_that_fails_makes_all_its_arms_invalid(make: Any) -> None:
    arms = replayed_arms([make.round(errors=[1, 0])], 1)

    assert [arm.invalid for arm in arms] == ["the unchanged route failed during replay"]


def test_a_round_that_cannot_be_replayed_is_never_dropped(make: Any) -> None:
    unusable = make.round(invalid="a replay gives other bytes", runs=[], replayed=[], errors=[], answers=[])
    (arm,) = replayed_arms([make.round(), unusable, make.round()], 1)

    assert arm.invalid == "a replay gives other bytes"


# -- whole requests ------------------------------------------------------------------------------------------

SLOW, FAST = (1000.0, 1010.0, 990.0), (500.0, 505.0, 495.0)


def test_a_live_arm_is_told_by_whole_requests_alone_and_in_parallel(make: Any) -> None:
    (arm,) = live_arms([make.live_round(SLOW, FAST, parallel=(FAST, SLOW))] * 2, 1)

    assert arm.whole == pytest.approx([math.log(0.5)] * 2)
    assert arm.parallel == pytest.approx([math.log(2)] * 2)
    assert arm.response_path == ()


def test_what_was_not_measured_in_parallel_has_no_figure_there(make: Any) -> None:
    (arm,) = live_arms([make.live_round(SLOW, FAST)], 1)

    assert (arm.invalid, arm.parallel) == (None, ())


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"live_gave_up": [None, "called 500 times"]}, "it was given up: called 500 times"),
        ({"live_gave_up": ["too slow", None]}, "the unchanged app was given up: too slow"),
        ({"live_errors": [0, 2]}, "2 answers of it failed"),
        ({"live_errors": [1, 0]}, "1 answers of the unchanged app failed"),
        ({"live_runs": []}, "a round has no figures of it"),
        ({"parallel_errors": [0, 3], "parallel_gave_up": [None, None]}, "3 answers of it failed"),
    ],
)
def test_an_arm_that_failed_in_one_round_is_no_evidence(
    make: Any, fields: dict[str, Any], reason: str
) -> None:
    good = make.live_round(SLOW, FAST, parallel=(SLOW, FAST))
    (arm,) = live_arms([good, make.live_round(SLOW, FAST, parallel=(SLOW, FAST), **fields)], 1)

    assert arm.invalid == reason


def test_one_live_arm_that_fails_takes_no_other_with_it(make: Any) -> None:
    failed, fine = live_arms([make.live_round(SLOW, FAST, FAST, live_errors=[0, 1, 0])], 2)

    assert failed.invalid is not None
    assert fine.invalid is None
