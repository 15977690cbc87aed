"""What one measurement of a shared change says of other endpoints: as many nanoseconds of another request."""

from __future__ import annotations

import pytest

from wirespeed.diagnosis.crediting import credited
from wirespeed.diagnosis.judging import Judged
from wirespeed.experiment.stopping import ConfirmPlan
from wirespeed.model.verdict import Decision, Estimate, Verdict

PLAN = ConfirmPlan()
HALVED = Judged(
    Decision(verdict=Verdict.FASTER, estimate=Estimate(ratio=0.5, interval=(0.45, 0.55))),
    Decision(verdict=Verdict.FASTER, estimate=Estimate(ratio=0.4, interval=(0.3, 0.5))),
)


def test_a_request_that_takes_ten_times_as_long_gains_a_tenth_of_the_share() -> None:
    judged = credited(HALVED, measured_ns=100_000, user_ns=1_000_000, plan=PLAN)

    assert judged.whole.estimate is not None
    assert judged.whole.estimate.ratio == pytest.approx(0.95)
    assert judged.whole.estimate.interval == pytest.approx((0.945, 0.955))
    assert judged.verdict is Verdict.FASTER


def test_a_share_within_the_margin_is_no_gain() -> None:
    assert credited(HALVED, 100_000, 10_000_000, PLAN).verdict is Verdict.EQUIVALENT


def test_what_others_in_flight_do_is_not_credited() -> None:
    assert credited(HALVED, 100_000, 200_000, PLAN).parallel is None


def test_more_than_the_whole_request_cannot_be_saved() -> None:
    judged = credited(HALVED, 1_000_000, 100_000, PLAN)

    assert judged.whole.estimate is not None
    assert 0 < judged.whole.estimate.interval[0] <= judged.whole.estimate.interval[1]


def test_what_was_not_measured_gives_no_credit() -> None:
    invalid = Judged(Decision(verdict=Verdict.INVALID, estimate=None, note="it failed"))

    assert credited(invalid, 100, 200, PLAN) == invalid
