"""One arm as the document has it, and the sentence that says why it is not recommended. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from wirespeed.model.advice import Arm, ParallelEstimate
from wirespeed.model.verdict import Decision, Verdict

from .judging import Judged
from .observation import Screened, Seen
from .screening import PARALLEL
from .selection import Candidate

SEVERITY = ("identical", "equal", "different")


def as_answered(candidate: Candidate, answers: Sequence[Seen]) -> Candidate:
    """The candidate with the worst that was seen of its answers, in round 0 and in all rounds."""
    worst = max(answers, key=_severity, default=None)
    if worst is None or (
        candidate.screened.fidelity is not None and _severity(worst) <= _severity(candidate.screened)
    ):
        return candidate
    update = {"fidelity": worst.fidelity, "differences": worst.differences}
    return replace(candidate, screened=candidate.screened.model_copy(update=update))


def _severity(seen: Seen | Screened) -> int:
    return SEVERITY.index(seen.fidelity or "different")


def measured_arm(candidate: Candidate, judged: Judged, *, is_recommended: bool, reason: str | None) -> Arm:
    """The document's arm, with what the confirming rounds say of it."""
    return _arm(candidate).model_copy(
        update={
            "whole": judged.whole.estimate,
            "response_path": judged.response_path,
            "parallel": parallel_estimate(judged.parallel),
            "verdict": judged.verdict,
            "confirmed_by": None if judged.whole.estimate is None else "variant",
            "recommended": is_recommended,
            "reason": reason,
        }
    )


def parallel_estimate(decision: Decision | None) -> ParallelEstimate | None:
    """As the document has it."""
    if decision is None or decision.estimate is None:
        return None
    return ParallelEstimate(n=PARALLEL, ratio=decision.estimate.ratio, interval=decision.estimate.interval)


def unmeasured_arm(candidate: Candidate, reason: str) -> Arm:
    """The document's arm for a change that got no confirming rounds: no figures, and why."""
    return _arm(candidate).model_copy(update={"reason": reason})


def _arm(candidate: Candidate) -> Arm:
    change, screened = candidate.change, candidate.screened
    return Arm(
        name=change.name,
        code=change.code,
        kind=change.kind,
        edit=candidate.proposal.text,
        whole=None,
        response_path=None,
        parallel=None,
        verdict=Verdict.INVALID,
        fidelity=screened.fidelity or "different",
        safe_by=_safe_by(candidate),
        differences=tuple(screened.differences),
        openapi=screened.openapi,
        confirmed_by=None,
        recommended=False,
        reason=None,
    )


def _safe_by(candidate: Candidate) -> Literal["type", "values"] | None:
    if not candidate.keeps_bytes:
        return None
    annotation = candidate.change.annotation
    return "type" if annotation is not None and annotation.by_type else "values"


def why_not_recommended(candidate: Candidate, judged: Judged, margin: float) -> str | None:
    """One sentence, or None where nothing but a better arm stands against it."""
    change = candidate.change
    if judged.verdict is Verdict.INVALID:
        return judged.note
    if change.bypass is not None:
        return "the most that a rewrite of it can gain: what it does for the answer is missing"
    if candidate.screened.fidelity == "different":
        return "clients would see different values"
    if candidate.screened.fidelity == "equal":
        return "equal JSON, but other bytes"
    if change.never_recommended is not None:
        return change.never_recommended
    return _why_unproven(candidate, judged, margin)


def _why_unproven(candidate: Candidate, judged: Judged, margin: float) -> str | None:
    harm = judged.harm(margin)
    if harm is not None and len(judged.estimates) > 1:
        where = "alone" if harm is judged.whole.estimate else f"with {PARALLEL} requests at once"
        return f"slower {where}" if harm.interval[0] > 1 + margin else f"it may be slower {where}"
    if candidate.change.in_parallel and judged.parallel is None:
        return f"not measured with {PARALLEL} requests at once, where it may do harm"
    if judged.verdict is Verdict.FASTER and not judged.is_proven(margin):
        return f"the gain may be smaller than the margin of {margin:.3g}"
    if judged.verdict is Verdict.INCONCLUSIVE:
        needed = "" if judged.rounds_needed is None else f"; about {judged.rounds_needed} rounds would decide"
        return f"these rounds cannot tell{needed}"
    return judged.note


def why_not_measured(candidate: Candidate) -> str:
    """Why a change got no arm in the confirming rounds."""
    screened = candidate.screened
    if screened.error is not None:
        return screened.error
    if screened.fidelity == "different":
        return "not measured: clients would see different values"
    if screened.fidelity == "equal":
        return "not measured: equal JSON, but other bytes, and another remedy is as fast"
    if candidate.is_live:
        return "not measured: no gain at first look, or another stands for it"
    return "not measured: another was faster at first look"
