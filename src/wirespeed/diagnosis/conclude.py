"""From what round 0 saw and the rounds measured to the document. Pure: same evidence, same advice."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from wirespeed.experiment.design import (
    CallTimes,
    rest_of_request_ns,
    round_log_ratios,
    round_ns,
    whole_log_ratio,
)
from wirespeed.experiment.stopping import ConfirmPlan, clears_margin, decide_candidates
from wirespeed.model.advice import Arm, Conclusion, Endpoint, HotFrame, Noise
from wirespeed.model.verdict import Decision, Estimate, Verdict
from wirespeed.stats import pair_rounds, smallest_effect

from .observation import Round, Screened, Seen
from .screening import Study
from .selection import NEARLY_AS_FAST, WORTH_A_LOOK, Candidate, risk

MOSTLY = 0.5


@dataclass(frozen=True)
class Confirmed:
    """One arm after all rounds: log ratios of its valid rounds, and why others were not."""

    whole: tuple[float, ...]
    response_path: tuple[float, ...]
    invalid: str | None


@dataclass(frozen=True)
class RoundFigures:
    """One round of one endpoint, reduced: nanoseconds of the baseline, log ratios of the arms."""

    baseline_ns: float
    live_ns: float
    whole: tuple[float | None, ...]
    response_path: tuple[float, ...]


def figures_of(measured: Round) -> RoundFigures:
    """The round's numbers from its blocks: the block's number is the median of the run."""
    medians = np.array([[block[0] for block in arm] for arm in measured.runs], dtype=float).T
    path = tuple(float(x) for x in round_log_ratios(medians))
    baseline_ns = float(round_ns(medians)[0])
    rest_ns = rest_of_request_ns(
        [CallTimes(*call) for call in measured.live], [CallTimes(*call) for call in measured.replayed]
    )
    whole = tuple(whole_log_ratio(baseline_ns, baseline_ns * float(np.exp(x)), rest_ns) for x in path)
    live_ns = statistics.median(total for total, _ in measured.live)
    return RoundFigures(baseline_ns, live_ns, whole, path)


def confirmed_arms(rounds: Sequence[Round], arms: int) -> list[Confirmed]:
    """What all rounds of one endpoint say of each of its arms.

    A round that failed makes an arm invalid; it is never dropped. Replay that seems to take longer than the
    live request it stands for is the noise of a few live calls in one round, and then the rest of the request
    is taken as nothing; in most rounds it means that the two disagree.
    """
    invalid = next((r.invalid for r in rounds if r.invalid is not None), None)
    errors = [sum(counts) for counts in zip(*(r.errors for r in rounds if r.errors), strict=True)]
    if errors and errors[0]:
        invalid = invalid or "the unchanged route failed during replay"
    figures = [figures_of(r) for r in rounds if r.invalid is None]
    result = []
    for number in range(arms):
        whole = [f.whole[number] for f in figures]
        reason = invalid
        path = tuple(f.response_path[number] for f in figures)
        if reason is None and errors and errors[number + 1]:
            reason = f"{errors[number + 1]} replayed answers failed"
        if reason is None and sum(x is None for x in whole) > len(whole) / 2:
            reason = "replay and live calls disagree: replaying takes longer than the whole request"
        finite = tuple(p if x is None else x for x, p in zip(whole, path, strict=True))
        result.append(Confirmed(finite, path, reason))
    return result


def as_answered(candidates: Sequence[Candidate], rounds: Sequence[Round]) -> list[Candidate]:
    """The candidates with the worst that was seen of their answers, in round 0 and in all rounds."""
    return [_worst(each, [r.answers[n] for r in rounds if r.answers]) for n, each in enumerate(candidates)]


def _worst(candidate: Candidate, answers: Sequence[Seen]) -> Candidate:
    worst = max(answers, key=_severity, default=None)
    if worst is None or _severity(worst) <= _severity(candidate.screened):
        return candidate
    update = {"fidelity": worst.fidelity, "differences": worst.differences}
    return replace(candidate, screened=candidate.screened.model_copy(update=update))


def _severity(seen: Seen | Screened) -> int:
    return ("identical", "equal", "different").index(seen.fidelity or "different")


def decide_all(confirmed: Sequence[Confirmed], plan: ConfirmPlan) -> list[Decision]:
    """Verdicts on the whole request for every arm of the table, as one family."""
    usable = [each.whole if each.invalid is None else () for each in confirmed]
    decisions = decide_candidates(usable, plan)
    return [
        decision
        if each.invalid is None
        else Decision(verdict=Verdict.INVALID, estimate=None, note=each.invalid)
        for decision, each in zip(decisions, confirmed, strict=True)
    ]


def recommended(candidates: Sequence[Candidate], decisions: Sequence[Decision], margin: float) -> int | None:
    """Which arm to recommend: proven faster beyond the margin, with the bytes kept.

    Among those nearly as fast as the fastest: one whose type fixes the bytes, then one that filters nothing.
    """
    able = [
        (number, decision.estimate.ratio)
        for number, (each, decision) in enumerate(zip(candidates, decisions, strict=True))
        if each.keeps_bytes and _is_proven(decision, margin) and decision.estimate is not None
    ]
    if not able:
        return None
    fastest = min(ratio for _, ratio in able)
    close = [(number, ratio) for number, ratio in able if ratio <= fastest * NEARLY_AS_FAST]
    return min(close, key=lambda pair: (*risk(candidates[pair[0]]), pair[1]))[0]


def _is_proven(decision: Decision, margin: float) -> bool:
    return (
        decision.verdict is Verdict.FASTER
        and decision.estimate is not None
        and clears_margin(decision.estimate, margin)
    )


def measured_arm(
    candidate: Candidate,
    edit: str | None,
    decision: Decision,
    response_path: Estimate | None,
    *,
    is_recommended: bool,
    reason: str | None,
) -> Arm:
    """The document's arm, with what the confirming rounds say of it."""
    return _arm(candidate, edit).model_copy(
        update={
            "whole": decision.estimate,
            "response_path": response_path,
            "verdict": decision.verdict,
            "confirmed_by": None if decision.estimate is None else "variant",
            "recommended": is_recommended,
            "reason": reason,
        }
    )


def unmeasured_arm(candidate: Candidate, edit: str | None, reason: str) -> Arm:
    """The document's arm for a change that got no confirming rounds: no figures, and why."""
    return _arm(candidate, edit).model_copy(update={"reason": reason})


def _arm(candidate: Candidate, edit: str | None) -> Arm:
    change, screened = candidate.change, candidate.screened
    return Arm(
        name=change.name,
        code=change.code,
        kind=change.kind,
        edit=edit,
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


def why_not_recommended(candidate: Candidate, decision: Decision, margin: float) -> str | None:
    """One sentence, or None where nothing but a better arm stands against it."""
    if decision.verdict is Verdict.INVALID:
        return decision.note
    if candidate.screened.fidelity == "different":
        return "clients would see different values"
    if candidate.screened.fidelity == "equal":
        return "equal JSON, but other bytes"
    if decision.verdict is Verdict.FASTER and not _is_proven(decision, margin):
        return f"the gain may be smaller than the margin of {margin:.3g}"
    if decision.verdict is Verdict.INCONCLUSIVE:
        needed = (
            "" if decision.rounds_needed is None else f"; about {decision.rounds_needed} rounds would decide"
        )
        return f"these rounds cannot tell{needed}"
    return decision.note


def why_not_measured(candidate: Candidate) -> str:
    """Why a change got no arm in the confirming rounds."""
    screened = candidate.screened
    if screened.error is not None:
        return screened.error
    if screened.fidelity == "different":
        return "not measured: clients would see different values"
    if screened.fidelity == "equal":
        return "not measured: equal JSON, but other bytes, and another remedy is as fast"
    return "not measured: another was faster at first look"


def conclusion_of(study: Study, decisions: Sequence[Decision], *, has_recommendation: bool) -> Conclusion:
    """What to tell the reader about this endpoint, in one word; ``decisions`` are ``study.kept``'s."""
    if study.is_unsafe:
        return "unsafe"
    if not study.is_measurable or study.note is not None:
        return "failed"
    if has_recommendation:
        return "remedy"
    if study.kept and (not decisions or _is_open(study.kept, decisions)):
        return "undecided"
    if _time_is_elsewhere(study) or not study.seen.fast_path:
        return "elsewhere"
    return "fast"


def _is_open(kept: Sequence[Candidate], decisions: Sequence[Decision]) -> bool:
    """Whether a remedy that keeps the bytes may yet be one."""
    return any(
        candidate.keeps_bytes and decision.verdict is Verdict.INCONCLUSIVE
        for candidate, decision in zip(kept, decisions, strict=True)
    )


def _time_is_elsewhere(study: Study) -> bool:
    """Whether dependencies and endpoint take most of the request, and a frame in them can be named."""
    phases, whole_ns = study.seen.phases, study.seen.whole_ns
    if phases is None or not whole_ns or study.hot is None or study.hot.share is None:
        return False
    return phases.dependencies + phases.endpoint > MOSTLY * whole_ns


def note_of(study: Study, conclusion: Conclusion, why_unmeasured: str | None) -> str | None:
    """The sentence an endpoint's conclusion needs beside its figures.

    ``why_unmeasured``: why its remedies got no rounds, or None when they did.
    """
    if study.note is not None:
        return study.note
    if study.screening is not None and study.screening.invalid is not None:
        return f"its remedies cannot be measured by replay: {study.screening.invalid}"
    if conclusion == "undecided":
        return why_unmeasured or "these rounds cannot tell; --budget or --rounds give more"
    if study.seen.obstacle is not None:
        return study.seen.obstacle
    if conclusion == "elsewhere" and study.findings and not study.kept:
        return f"the response path is under {WORTH_A_LOOK:.0%} of the request: no remedy of it can matter"
    return None


def endpoint_of(
    study: Study,
    arms: Sequence[Arm],
    figures: Sequence[RoundFigures],
    conclusion: Conclusion,
    note: str | None,
) -> Endpoint:
    """The document's endpoint. Times come from the confirming rounds where it has any, else from round 0."""
    seen, request = study.seen, study.planned.request
    live_ns = statistics.median([f.live_ns for f in figures]) if figures else seen.whole_ns
    path_ns = statistics.median([f.baseline_ns for f in figures]) if figures else seen.response_path_ns
    hot = study.hot
    return Endpoint(
        method=request.method,
        path=study.route.path if study.route else request.path,
        request=request.name,
        source=study.route.source if study.route else None,
        status=seen.status,
        body_bytes=seen.body_bytes,
        fast_path=seen.fast_path,
        whole_ns=None if live_ns is None else round(live_ns),
        response_path_ns=None if path_ns is None else round(path_ns),
        floor_ns=None if study.screening is None else study.screening.floor_ns,
        gc_share=seen.gc_share,
        unstable=tuple(seen.unstable),
        phases_ns=seen.phases,
        hot_frame=None
        if hot is None or hot.share is None
        else HotFrame(share=hot.share, where=hot.where or ""),
        conclusion=conclusion,
        note=note,
        findings=tuple(study.findings),
        arms=tuple(arms),
    )


def noise_of(confirmed: Sequence[Confirmed], plan: ConfirmPlan) -> Noise:
    """Median spread of the arms' observations, and the smallest saving that so many of them show."""
    arms = [pair_rounds(np.array(each.response_path), plan.pairings) for each in confirmed]
    observed = [each for each in arms if each.size >= 2]
    if not observed:
        return Noise(round_sd=None, smallest_effect=None)
    spread = statistics.median(float(each.std(ddof=1)) for each in observed)
    fewest = min(each.size for each in observed)
    return Noise(round_sd=spread, smallest_effect=smallest_effect(spread, fewest, plan.alpha, len(confirmed)))
