"""A change that several endpoints share is measured on one of them: what that comes to on the others. Pure.

It saves the same nanoseconds wherever the same code runs, of a request that takes longer there. Nothing new
is measured, so nothing is added to the family of verdicts.
"""

from __future__ import annotations

import numpy as np

from wirespeed.experiment.stopping import ConfirmPlan, verdicts_of
from wirespeed.model.verdict import Decision, Estimate, Verdict
from wirespeed.stats import Interval

from .judging import Judged

LEAST_RATIO = 0.01
"""A credit that leaves less of a request was not saved there: the two requests differ in more than this."""


def credited(judged: Judged, measured_ns: float, user_ns: float, plan: ConfirmPlan) -> Judged:
    """The judgement of an arm whose request takes ``measured_ns``, for a request of ``user_ns``.

    Only what one request takes alone can be credited: with others in flight, other things decide.
    """
    estimate = judged.whole.estimate
    if estimate is None:
        return Judged(judged.whole)
    share = measured_ns / user_ns
    low, mean, high = (
        _scaled(ratio, share) for ratio in (estimate.interval[0], estimate.ratio, estimate.interval[1])
    )
    logs = Interval(*(np.log(np.array(ratio)) for ratio in (low, mean, high)))
    verdict = Verdict(str(verdicts_of(logs, plan.delta)))
    return Judged(Decision(verdict=verdict, estimate=Estimate(ratio=mean, interval=(low, high))))


def _scaled(ratio: float, share: float) -> float:
    return max(LEAST_RATIO, 1 - (1 - ratio) * share)
