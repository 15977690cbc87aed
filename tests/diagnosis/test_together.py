"""When the edited app contradicts its arms, and when it does not."""

from __future__ import annotations

import math

import pytest

from wirespeed.diagnosis.beside import Beside
from wirespeed.diagnosis.fix import not_faster
from wirespeed.diagnosis.judging import Judged
from wirespeed.diagnosis.together import disagreement
from wirespeed.experiment.stopping import ConfirmPlan
from wirespeed.model.verdict import Decision, Estimate, Verdict

PLAN = ConfirmPlan()


def arm(ratio: float, *, parallel: float | None = None) -> Judged:
    return Judged(_faster(ratio), None if parallel is None else _faster(parallel))


def _faster(ratio: float) -> Decision:
    interval = (ratio * 0.98, ratio * 1.02)
    return Decision(verdict=Verdict.FASTER, estimate=Estimate(ratio=ratio, interval=interval))


def edited(ratio: float, parallel: float | None = None) -> Beside:
    """Four rounds, one per cent apart."""
    return Beside(whole=_rounds(ratio), parallel=() if parallel is None else _rounds(parallel))


def _rounds(ratio: float) -> tuple[float, ...]:
    return tuple(math.log(ratio) + noise for noise in (-0.01, -0.005, 0.005, 0.01))


def test_an_edited_app_as_fast_as_its_arm_agrees() -> None:
    assert disagreement([arm(0.5)], edited(0.5), PLAN) is None
    assert disagreement([arm(0.5)], edited(0.52), PLAN) is None


@pytest.mark.parametrize("ratio", [0.7, 1.0, 0.3])
def test_one_remedy_must_take_what_its_arm_took_neither_more_nor_less(ratio: float) -> None:
    told = disagreement([arm(0.5)], edited(ratio), PLAN)

    assert told is not None
    assert told.startswith(f"its time is {ratio:.3g} of the original's")


def test_two_remedies_save_at_least_what_the_better_one_saves() -> None:
    both = [arm(0.5), arm(0.8)]

    assert disagreement(both, edited(0.3), PLAN) is None
    assert disagreement(both, edited(0.5), PLAN) is None
    assert disagreement(both, edited(0.6), PLAN) is not None


def test_remedies_that_help_each_other_contradict_nothing() -> None:
    assert disagreement([arm(0.9), arm(0.9)], edited(0.3), PLAN) is None


def test_a_remedy_that_shows_in_parallel_must_show_there() -> None:
    blocking = [arm(1.0, parallel=0.1)]

    assert disagreement(blocking, edited(1.0, 0.1), PLAN) is None
    assert "with others in flight" in (disagreement(blocking, edited(1.0, 0.9), PLAN) or "")


def test_an_endpoint_without_remedies_or_times_contradicts_nothing() -> None:
    assert disagreement([], edited(3.0), PLAN) is None
    assert disagreement([arm(0.5)], Beside(), PLAN) is None


# -- once it is written --------------------------------------------------------------------------------------


def test_what_was_written_stays_only_where_it_is_proven_faster() -> None:
    assert not_faster(edited(0.9), PLAN) is None
    assert not_faster(edited(1.0, 0.1), PLAN) is None
    assert "not proven faster" in (not_faster(edited(1.0), PLAN) or "")
    assert not_faster(Beside(), PLAN) == "there was no time to time it; --budget gives more"


def test_what_harms_once_written_does_not_stay_however_it_helps_elsewhere() -> None:
    assert "takes 1.5 of the time" in (not_faster(edited(1.5, 0.1), PLAN) or "")
