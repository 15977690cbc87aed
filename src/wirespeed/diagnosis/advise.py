"""``advise``: which endpoints answer slower than they need to, what would help, and what it gains here."""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass
from functools import partial
from threading import Thread

from wirespeed.experiment.confirm import Evidence, measure_rounds
from wirespeed.experiment.events import Booting, Listener, ignore
from wirespeed.experiment.served_pairs import require_servable
from wirespeed.experiment.stopping import ConfirmPlan
from wirespeed.model.plan import AdvicePlan, RequestListing
from wirespeed.subject.machine import cpu_ticks

from .agents import AgentHolder, booted_agent
from .budgeting import Clock, fit_arms, has_arms_in_process, item_of, share_out
from .document import NO_TIME, Outcome, outcome_of
from .own_process import measure_own
from .round_zero import list_routes, round_zero
from .served_remedies import confirm_served, direct_part
from .study import RoundZero, Study
from .table import Table, table_of
from .together import Together, confirm_together

__all__ = ["Advised", "Outcome", "advise", "list_requests", "study_app"]


@dataclass(frozen=True)
class Advised:
    """The document, and what it was made from."""

    outcome: Outcome
    zero: RoundZero
    table: Table
    together: Together


def list_requests(plan: AdvicePlan, listener: Listener = ignore) -> RequestListing:
    """What ``advise`` would call, without calling it: the app is imported and started, no more."""
    with AgentHolder(plan.subject, listener) as holder:
        routes, requests, _ = list_routes(holder, plan)
    return RequestListing(routes=tuple(routes), requests=requests)


def advise(plan: AdvicePlan, listener: Listener = ignore) -> Outcome:
    """Advise on one app, within the plan's budget.

    Raises SubjectError when the app does not import or start, UsageError when its server is not installed,
    and MeasurementInvalid when not one endpoint could be measured. Ctrl-C after the start gives what is known
    so far.
    """
    started = time.monotonic()
    if plan.server is not None:
        # A server that is not there should not be found out only after a minute.
        listener(Booting(f"{plan.subject.app} behind {plan.server.name}"))
        require_servable(plan.subject, plan.server)
    advised = study_app(plan, listener, started)
    if plan.server is None or advised.outcome.interrupted:
        return advised.outcome
    return confirm_served(plan, plan.server, advised.zero.studies, advised.outcome, started, listener)


def study_app(plan: AdvicePlan, listener: Listener, started: float) -> Advised:
    """Look around, measure, judge, and try what is recommended as one edited app."""
    ticks = cpu_ticks()
    direct = direct_part(plan)
    Thread(target=_load_ahead, daemon=True).start()
    with AgentHolder(plan.subject, listener) as holder:
        zero = round_zero(holder, direct, started, listener)
    clock = Clock(direct, started, zero)
    measured, left_out, evidence = _rounds(zero, direct, clock, listener)
    stopped = zero.interrupted or evidence.interrupted
    own = {} if stopped else measure_own(zero, direct, clock, listener)
    confirm = ConfirmPlan(alpha=plan.alpha, margin=plan.margin, pairings=plan.pairings)
    no_rounds = _why_no_rounds(zero, evidence)
    table = table_of(
        zero, measured, evidence, own, confirm, no_rounds=no_rounds, allow_equal=plan.allow_equal
    )
    together = Together() if stopped else confirm_together(table, zero, direct, clock, listener)
    outcome = outcome_of(plan, zero, table, together, measured, left_out, evidence, ticks, started)
    return Advised(outcome, zero, table, together)


def _load_ahead() -> None:
    """What the edits and the statistics will need takes a second to load; the app takes as long to start."""
    for module in ("wirespeed.source.edits", "scipy.special"):
        importlib.import_module(module)


def _why_no_rounds(zero: RoundZero, evidence: Evidence) -> str:
    if zero.interrupted:
        return "interrupted before its remedies were measured"
    return evidence.ended_early if evidence.ended_early and not evidence.rounds else NO_TIME


def _rounds(
    zero: RoundZero, plan: AdvicePlan, clock: Clock, listener: Listener
) -> tuple[list[Study], int, Evidence]:
    """The endpoints that were measured, how many were left out for want of time, and what the rounds gave."""
    candidates = [study for study in zero.studies if has_arms_in_process(study)]
    fit_arms(candidates, zero.boot_s, clock.for_rounds_s, plan)
    rounds_plan = share_out(candidates, zero.shared, zero.boot_s, clock.for_rounds_s, plan)
    measured = [candidates[number] for number in rounds_plan.included]
    if not measured or zero.interrupted:
        return measured, len(candidates) - len(measured), Evidence()
    evidence = measure_rounds(
        partial(booted_agent, plan.subject, hangs_at_shutdown=zero.hangs_at_shutdown),
        [item_of(study) for study in measured],
        rounds_plan,
        ends=clock.rounds_end,
        listener=listener,
    )
    return measured, len(candidates) - len(measured) + len(evidence.dropped), evidence
