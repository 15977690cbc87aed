"""From everything that was seen and measured to the ``advice`` document and its evidence."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import wirespeed
from wirespeed.errors import MeasurementInvalid
from wirespeed.experiment.confirm import Evidence
from wirespeed.experiment.stopping import ConfirmPlan, estimate_of
from wirespeed.model.advice import Advice, Arm, Endpoint, Plan, SubjectFacts
from wirespeed.model.plan import AdvicePlan
from wirespeed.model.verdict import Decision
from wirespeed.subject.machine import CpuTicks, environment

from .conclude import (
    Confirmed,
    as_answered,
    conclusion_of,
    confirmed_arms,
    decide_all,
    endpoint_of,
    figures_of,
    measured_arm,
    noise_of,
    note_of,
    recommended,
    unmeasured_arm,
    why_not_measured,
    why_not_recommended,
)
from .edits import WrittenChanges
from .observation import Round
from .screening import RoundZero, Study

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
    written: Mapping[int, WrittenChanges],
    measured: Sequence[Study],
    left_out: int,
    evidence: Evidence,
    ticks: CpuTicks | None,
    started: float,
) -> Outcome:
    """The document on all endpoints of round 0, ``measured`` in the confirming rounds or not.

    Raises MeasurementInvalid where not one endpoint gave a usable answer.
    """
    table = _table(
        measured, evidence, ConfirmPlan(alpha=plan.alpha, margin=plan.margin, pairings=plan.pairings)
    )
    numbers = {id(study): number for number, study in enumerate(measured)}
    endpoints = [
        _endpoint(study, written[id(study)], numbers.get(id(study)), table, evidence, plan.margin)
        for study in zero.studies
    ]
    if not any(endpoint.whole_ns is not None for endpoint in endpoints) and not zero.interrupted:
        raise nothing_measured(zero)
    interrupted = zero.interrupted or evidence.interrupted
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
            rounds=len(evidence.rounds),
            live_calls=plan.live_calls,
        ),
        noise=noise_of([arm for arms in table.confirmed for arm in arms], table.plan),
        elapsed_s=time.monotonic() - started,
        complete=evidence.ended_early is None and not interrupted,
        notes=tuple(_notes(zero, evidence, left_out)),
        endpoints=tuple(endpoints),
        skipped=zero.requests.skipped,
    )
    return Outcome(advice, _evidence(evidence, measured), interrupted)


@dataclass(frozen=True)
class _Table:
    """All arms of all measured endpoints: one family of verdicts."""

    confirmed: list[list[Confirmed]]
    decisions: list[list[Decision]]
    rounds: list[list[Round]]
    plan: ConfirmPlan

    @property
    def candidates(self) -> int:
        return sum(len(arms) for arms in self.confirmed)


def _table(studies: Sequence[Study], evidence: Evidence, plan: ConfirmPlan) -> _Table:
    given_up = {*evidence.failures, *evidence.dropped}
    rounds = [
        [Round.model_validate(each[number]) for each in evidence.rounds if number in each]
        if number not in given_up
        else []
        for number in range(len(studies))
    ]
    # Endpoints that failed or ran out of time are no part of the family: neither looks at ratios.
    confirmed = [
        confirmed_arms(r, len(study.kept)) if r else [] for study, r in zip(studies, rounds, strict=True)
    ]
    flat = iter(decide_all([arm for arms in confirmed for arm in arms], plan))
    decisions = [[next(flat) for _ in arms] for arms in confirmed]
    return _Table(confirmed, decisions, rounds, plan)


def _endpoint(
    study: Study,
    written: WrittenChanges,
    number: int | None,
    table: _Table,
    evidence: Evidence,
    margin: float,
) -> Endpoint:
    rounds = [] if number is None else table.rounds[number]
    failure = None if number is None else evidence.failures.get(number)
    study = replace(study, note=study.note or failure, kept=as_answered(study.kept, rounds))
    decisions: list[Decision] = []
    best: int | None = None
    why_unmeasured: str | None = None
    if number is None or not rounds:
        why_unmeasured = failure or _why_no_rounds(evidence)
        arms = [unmeasured_arm(each, written[each.change.name].text, why_unmeasured) for each in study.kept]
    else:
        decisions = table.decisions[number]
        best = recommended(study.kept, decisions, margin)
        arms = _measured_arms(study, written, number, best, table)
    arms += [
        unmeasured_arm(each, written[each.change.name].text, why_not_measured(each)) for each in study.left
    ]
    conclusion = conclusion_of(study, decisions, has_recommendation=best is not None)
    note = note_of(study, conclusion, why_unmeasured)
    figures = [figures_of(each) for each in rounds if each.invalid is None]
    return endpoint_of(study, arms, figures, conclusion, note)


def _why_no_rounds(evidence: Evidence) -> str:
    if evidence.ended_early is not None and not evidence.rounds:
        return evidence.ended_early
    return NO_TIME


def _measured_arms(
    study: Study, written: WrittenChanges, number: int, best: int | None, table: _Table
) -> list[Arm]:
    judged = zip(study.kept, table.decisions[number], table.confirmed[number], strict=True)
    return [
        measured_arm(
            candidate,
            written[candidate.change.name].text,
            decision,
            None if confirmed.invalid else estimate_of(confirmed.response_path, table.plan, table.candidates),
            is_recommended=position == best,
            reason=written[candidate.change.name].remark
            if position == best
            else why_not_recommended(candidate, decision, table.plan.margin),
        )
        for position, (candidate, decision, confirmed) in enumerate(judged)
    ]


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
