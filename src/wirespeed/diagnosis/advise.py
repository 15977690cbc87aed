"""``advise``: which endpoints answer slower than they need to, what would help, and what it gains here."""

from __future__ import annotations

import time
from functools import partial

from wirespeed.experiment.confirm import Evidence, measure_rounds
from wirespeed.experiment.events import Listener, ignore
from wirespeed.model.plan import AdvicePlan, RequestListing
from wirespeed.subject.machine import cpu_ticks

from .agents import AgentHolder, booted_agent
from .budgeting import RESERVE_S, fits, item_of, left_s, share_out
from .document import Outcome, outcome_of
from .edits import write_changes
from .screening import list_routes, round_zero

__all__ = ["Outcome", "advise", "list_requests"]


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
    written = write_changes(zero, plan.subject.folder)
    candidates = [study for study in zero.studies if study.kept]
    if not fits(candidates, zero.boot_s, left_s(plan, started), plan):
        for study in candidates:
            study.keep_best_only()
    rounds_plan = share_out(candidates, zero.boot_s, left_s(plan, started), plan)
    studies = [candidates[number] for number in rounds_plan.included]
    evidence = Evidence()
    if studies and not zero.interrupted:
        evidence = measure_rounds(
            partial(booted_agent, plan.subject, hangs_at_shutdown=zero.hangs_at_shutdown),
            [item_of(study) for study in studies],
            rounds_plan,
            ends=started + plan.budget_s - RESERVE_S,
            listener=listener,
        )
    left_out = len(candidates) - len(studies) + len(evidence.dropped)
    return outcome_of(plan, zero, written, studies, left_out, evidence, ticks, started)
