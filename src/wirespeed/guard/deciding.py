"""From what was seen and measured to the guard's decision. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.model.guard import BehaviourChange, Certificate, GuardDecision

from .judging import Judgement, Procedure, twin_judgement
from .rounds import Evidence

NO_LOOK = "too few rounds to tell"


def certificate_of(evidence: Evidence, names: Sequence[str]) -> Certificate:
    """What base says of base: unfit where any figure differs from itself beyond what is asked about.

    Its error is shared as head's is, and spent on both directions; an unchanged base is called different as
    rarely as that, and an interval that merely excludes 1 says nothing yet.
    """
    procedure = evidence.procedure
    overall = None if procedure is None else _overall_twin(evidence, procedure)
    if procedure is None or overall is None:
        return Certificate(ratio=None, interval=None, fit=True, note=NO_LOOK)
    unfit = [names[number] for number in evidence.sound if _differs(evidence, number, procedure)]
    is_fit = not unfit and overall.decision is not GuardDecision.FAIL
    return Certificate(ratio=overall.ratio, interval=overall.interval, fit=is_fit, unfit=tuple(unfit))


def _overall_twin(evidence: Evidence, procedure: Procedure) -> Judgement | None:
    return twin_judgement(evidence.overall_twin_log_ratios(), procedure.alpha_overall, procedure)


def _differs(evidence: Evidence, number: int, procedure: Procedure) -> bool:
    judgement = twin_judgement(evidence.twin_log_ratios_of(number), procedure.alpha_endpoint, procedure)
    return judgement is not None and judgement.decision is GuardDecision.FAIL


def decision_of(
    changes: Sequence[BehaviourChange], certificate: Certificate, decisions: Sequence[GuardDecision | None]
) -> GuardDecision:
    """``decisions``: on the speed of overall and all endpoints, None where there is none.

    Behaviour decides first, and on any machine. Nothing is said of speed where base differs from itself.
    """
    if any(not change.allowed for change in changes):
        return GuardDecision.FAIL
    known = [decision for decision in decisions if decision is not None]
    if not certificate.fit or not known:
        return GuardDecision.INCONCLUSIVE
    if GuardDecision.FAIL in known:
        return GuardDecision.FAIL
    is_clear = all(decision is GuardDecision.PASS for decision in known)
    return GuardDecision.PASS if is_clear else GuardDecision.INCONCLUSIVE
