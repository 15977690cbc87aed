"""``advise``: which endpoints answer slower than they need to, what would help, and what it gains here."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import wirespeed
from wirespeed.errors import MeasurementInvalid
from wirespeed.experiment.confirm import Evidence, Item, RoundsPlan, measure_rounds, plan_rounds
from wirespeed.experiment.events import Listener, ignore
from wirespeed.experiment.stopping import ConfirmPlan
from wirespeed.model.advice import Advice, Arm, Endpoint, Plan, SubjectFacts
from wirespeed.model.plan import AdvicePlan, RequestListing
from wirespeed.model.verdict import Decision
from wirespeed.subject.machine import CpuTicks, cpu_ticks, environment

from .agents import AgentHolder, booted_agent
from .conclude import (
    Confirmed,
    arm_of,
    conclusion_of,
    confirmed_arms,
    decide_all,
    endpoint_of,
    figures_of,
    noise_of,
    note_of,
    recommended,
    why_not_measured,
    why_not_recommended,
)
from .observation import Round
from .screening import RoundZero, Study, list_routes, round_zero

RESERVE_S = 0.5
"""Kept back from the budget for shutting down and writing the report."""


@dataclass(frozen=True)
class Outcome:
    """The document, the raw numbers behind it, and whether Ctrl-C ended it early."""

    advice: Advice
    evidence: dict[str, Any]
    interrupted: bool


def list_requests(plan: AdvicePlan, listener: Listener = ignore) -> RequestListing:
    """What ``advise`` would call, without calling it: the app is imported and started, no more."""
    with AgentHolder(plan.subject, listener) as holder:
        routes, requests, _ = list_routes(holder, plan)
    return RequestListing(routes=tuple(routes), requests=requests)


def advise(plan: AdvicePlan, listener: Listener = ignore) -> Outcome:
    """Advise on one app, within the plan's budget.

    Raises SubjectError when the app does not import or start, and MeasurementInvalid when not one endpoint
    could be measured. Ctrl-C after the start gives what is known so far.
    """
    started = time.monotonic()
    ticks = cpu_ticks()
    with AgentHolder(plan.subject, listener) as holder:
        zero = round_zero(holder, plan, started, listener)
    studies = [study for study in zero.studies if study.kept]
    items = [item_of(study) for study in studies]
    rounds_plan = _plan_rounds(plan, zero, studies, items, started)
    evidence = Evidence()
    if items and not zero.interrupted:
        evidence = measure_rounds(
            partial(booted_agent, plan.subject),
            items,
            rounds_plan,
            ends=started + plan.budget_s - RESERVE_S,
            listener=listener,
        )
    return _outcome(plan, zero, studies, rounds_plan, evidence, ticks, started)


def item_of(study: Study) -> Item:
    """The endpoint's arms, as the rounds need them."""
    assert study.screening is not None and study.screening.baseline_ns is not None
    slowest_ns = max(study.screening.baseline_ns, *(each.replay_ns for each in study.kept))
    changes = [each.change.for_agent() for each in study.kept]
    return Item(study.planned.request, changes, float(slowest_ns), float(study.seen.whole_ns or 0))


def _plan_rounds(
    plan: AdvicePlan, zero: RoundZero, studies: Sequence[Study], items: Sequence[Item], started: float
) -> RoundsPlan:
    left_s = plan.budget_s - RESERVE_S - (time.monotonic() - started)
    return plan_rounds(
        items,
        [study.promised_ns for study in studies],
        zero.boot_s,
        left_s,
        rounds=plan.rounds,
        live_calls=plan.live_calls,
        seed=plan.seed,
        deadline_s=plan.deadline_s,
    )


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
    rounds = [
        [Round.model_validate(each[number]) for each in evidence.rounds if number in each]
        for number in range(len(studies))
    ]
    confirmed = [confirmed_arms(r, len(study.kept)) for study, r in zip(studies, rounds, strict=True)]
    flat = iter(decide_all([arm for arms in confirmed for arm in arms], plan))
    decisions = [[next(flat) for _ in arms] for arms in confirmed]
    return _Table(confirmed, decisions, rounds, plan)


def _outcome(
    plan: AdvicePlan,
    zero: RoundZero,
    measured: Sequence[Study],
    rounds_plan: RoundsPlan,
    evidence: Evidence,
    ticks: CpuTicks | None,
    started: float,
) -> Outcome:
    table = _table(measured, evidence, ConfirmPlan(alpha=plan.alpha, margin=plan.margin))
    numbers = {id(study): number for number, study in enumerate(measured)}
    endpoints = [
        _endpoint(study, numbers.get(id(study)), table, evidence, plan.margin) for study in zero.studies
    ]
    if not any(endpoint.whole_ns is not None for endpoint in endpoints) and not zero.interrupted:
        raise nothing_measured(zero)
    interrupted = zero.interrupted or "interrupted" in (evidence.ended_early or "")
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
        notes=tuple(_notes(zero, evidence, measured, rounds_plan)),
        endpoints=tuple(endpoints),
        skipped=zero.requests.skipped,
    )
    return Outcome(advice, _evidence(evidence, measured), interrupted)


def _endpoint(study: Study, number: int | None, table: _Table, evidence: Evidence, margin: float) -> Endpoint:
    decisions = [] if number is None else table.decisions[number]
    confirmed = [] if number is None else table.confirmed[number]
    rounds = [] if number is None else table.rounds[number]
    best = recommended(study.kept, decisions, margin) if decisions else None
    arms = _arms(study, decisions, confirmed, best, table, margin)
    conclusion = conclusion_of(study, best is not None, bool(rounds))
    note = note_of(study, conclusion, None if number is None else evidence.failures.get(number))
    figures = [figures_of(each) for each in rounds if each.invalid is None]
    return endpoint_of(study, arms, figures, conclusion, note)


def _arms(
    study: Study,
    decisions: Sequence[Decision],
    confirmed: Sequence[Confirmed],
    best: int | None,
    table: _Table,
    margin: float,
) -> list[Arm]:
    measured = [
        arm_of(
            candidate,
            decision,
            arm,
            table.plan,
            table.candidates,
            is_recommended=number == best,
            reason=None if number == best else why_not_recommended(candidate, decision, margin),
        )
        for number, (candidate, decision, arm) in enumerate(
            zip(study.kept, decisions, confirmed, strict=True)
        )
    ]
    return measured + [
        arm_of(
            each,
            None,
            None,
            table.plan,
            table.candidates,
            is_recommended=False,
            reason=why_not_measured(each),
        )
        for each in study.left
    ]


def _notes(
    zero: RoundZero, evidence: Evidence, measured: Sequence[Study], rounds_plan: RoundsPlan
) -> list[str]:
    notes = [*zero.booted.notes, *zero.notes]
    if zero.unreachable:
        notes.append(
            f"{zero.unreachable} endpoint functions exist in memory that no walk through the app reaches; "
            "they are not covered"
        )
    if evidence.ended_early:
        notes.append(evidence.ended_early)
    left_out = len(measured) - len(rounds_plan.included)
    if left_out > 0:
        notes.append(
            f"the budget left {left_out} endpoints with remedies unmeasured; --budget gives more time"
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
    reasons = [f"{study.planned.request.name}: {study.note}" for study in zero.studies[:5] if study.note]
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
