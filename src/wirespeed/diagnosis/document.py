"""From everything that was seen and measured to the ``advice`` document and its evidence."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import wirespeed
from wirespeed.errors import MeasurementInvalid
from wirespeed.experiment.confirm import Evidence
from wirespeed.model.advice import Advice, Arm, Endpoint, Plan, SubjectFacts
from wirespeed.model.plan import AdvicePlan
from wirespeed.model.verdict import Verdict
from wirespeed.subject.machine import CpuTicks, environment

from .arms import measured_arm, unmeasured_arm, why_not_measured, why_not_recommended
from .conclude import conclusion_of, endpoint_of, noise_of, note_of
from .judging import Judged
from .known import marked
from .selection import Candidate
from .study import RoundZero, Study
from .table import Credit, Row, Table
from .together import Together

NO_TIME = "the budget left no time to measure its remedies; --budget gives more"


@dataclass(frozen=True)
class Outcome:
    """The document, the raw numbers behind it, and whether Ctrl-C ended it early."""

    advice: Advice
    evidence: dict[str, Any]
    interrupted: bool


def outcome_of(
    plan: AdvicePlan,
    zero: RoundZero,
    table: Table,
    together: Together,
    measured: Sequence[Study],
    left_out: int,
    evidence: Evidence,
    ticks: CpuTicks | None,
    started: float,
) -> Outcome:
    """The document on all endpoints of round 0, ``measured`` in the confirming rounds or not.

    Raises MeasurementInvalid where not one endpoint gave a usable answer.
    """
    endpoints = [_endpoint(row, together, plan.margin) for row in table.rows]
    if not any(endpoint.whole_ns is not None for endpoint in endpoints) and not zero.interrupted:
        raise nothing_measured(zero)
    interrupted = zero.interrupted or evidence.interrupted or together.interrupted
    advice = Advice(
        created=datetime.now(UTC),
        wirespeed=wirespeed.__version__,
        subject=SubjectFacts(app=zero.booted.app, python=zero.booted.python, packages=zero.booted.packages),
        environment=environment(zero.booted.event_loop, ticks),
        plan=Plan(
            budget_s=plan.budget_s,
            margin=plan.margin,
            alpha=plan.alpha,
            seed=plan.seed,
            rounds=len(evidence.rounds) or table.rounds,
            live_calls=plan.live_calls,
        ),
        noise=noise_of(table.confirmed, table.plan),
        elapsed_s=time.monotonic() - started,
        complete=evidence.ended_early is None and not interrupted,
        notes=(*_notes(zero, evidence, left_out), *dict.fromkeys(together.notes)),
        diff=together.diff,
        endpoints=tuple(endpoints),
        skipped=zero.requests.skipped,
    )
    if plan.baseline is not None:
        advice = marked(advice, plan.baseline, rules=plan.rules, ignored_rules=plan.ignored_rules)
    return Outcome(advice, {**_evidence(evidence, measured), "beside": together.evidence}, interrupted)


def _endpoint(row: Row, together: Together, margin: float) -> Endpoint:
    arms = [*_measured_arms(row, together, margin), *_credited_arms(row, together, margin)]
    arms += [unmeasured_arm(each, why_not_measured(each)) for each in row.study.left]
    conclusion = conclusion_of(row, has_recommendation=any(arm.recommended for arm in arms))
    return endpoint_of(row, arms, conclusion, note_of(row, conclusion))


def _measured_arms(row: Row, together: Together, margin: float) -> Iterator[Arm]:
    if not row.judged:
        for each in row.candidates:
            yield unmeasured_arm(each, row.why_unmeasured or NO_TIME)
        return
    for number, (candidate, judged) in enumerate(zip(row.candidates, row.judged, strict=True)):
        yield _arm(candidate, judged, together, margin, is_recommended=number in row.chosen)


def _credited_arms(row: Row, together: Together, margin: float) -> Iterator[Arm]:
    for credit in row.credits:
        arm = _arm(credit.candidate, credit.judged, together, margin, is_recommended=credit.is_recommended)
        yield arm.model_copy(update={"reason": _with_credit(credit, arm.reason)})


def _with_credit(credit: Credit, reason: str | None) -> str:
    told = f"measured on {credit.measured_on}, and credited here"
    return told if reason is None else f"{told}; {reason}"


def _arm(
    candidate: Candidate, judged: Judged, together: Together, margin: float, *, is_recommended: bool
) -> Arm:
    if not is_recommended:
        reason = why_not_recommended(candidate, judged, margin)
        return measured_arm(candidate, judged, is_recommended=False, reason=reason)
    standing = together.standing(candidate.proposal)
    reasons = [standing.reason, candidate.proposal.remark]
    arm = measured_arm(
        candidate,
        judged,
        is_recommended=not standing.is_invalid,
        reason="; ".join(filter(None, reasons)) or None,
    )
    if standing.is_invalid:
        return arm.model_copy(
            update={"verdict": Verdict.INVALID, "confirmed_by": None, "reason": standing.reason}
        )
    return arm.model_copy(update={"confirmed_by": "edit"}) if standing.is_confirmed else arm


def _notes(zero: RoundZero, evidence: Evidence, left_out: int) -> list[str]:
    notes = [*zero.booted.notes, *zero.notes]
    if zero.unreachable:
        notes.append(
            f"no walk through the app reaches {zero.unreachable} of the endpoint functions in memory; "
            "what they serve, if anything, is not covered"
        )
    if evidence.ended_early:
        notes.append(evidence.ended_early)
    if left_out:
        notes.append(
            f"endpoints whose remedies the budget left unmeasured: {left_out}; --budget gives more time"
        )
    return notes


def _evidence(evidence: Evidence, measured: Sequence[Study]) -> dict[str, Any]:
    return {
        "requests": [study.planned.request.name for study in measured],
        "arms": [[each.change.name for each in study.kept] for study in measured],
        "rounds": [{str(number): figures for number, figures in each.items()} for each in evidence.rounds],
    }


def nothing_measured(zero: RoundZero) -> MeasurementInvalid:
    """The error for an app of which no endpoint gave a usable answer; says why, with examples."""
    reasons = [_failure(study) for study in zero.studies[:5] if study.note]
    if not zero.studies:
        return MeasurementInvalid(
            f"no endpoint of {zero.booted.app} can be called by itself "
            f"({len(zero.requests.skipped)} skipped; --dry-run lists them)",
            advice="name requests with --get '/path' or --request 'POST /path' --body @file",
        )
    return MeasurementInvalid(
        "no endpoint could be measured:\n  " + "\n  ".join(reasons),
        advice="name requests that work with --get, or give credentials with --header",
    )


def _failure(study: Study) -> str:
    answered = "" if study.seen.status is None else f"answered {study.seen.status}: "
    return f"{study.planned.request.name}: {answered}{study.note}"
