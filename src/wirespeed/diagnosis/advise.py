"""``advise``: which endpoints answer slower than they need to, what would help, and what it gains here."""

from __future__ import annotations

import time
from functools import partial

from wirespeed.experiment.confirm import Evidence, measure_rounds
from wirespeed.experiment.events import Booting, Listener, ignore
from wirespeed.experiment.served_pairs import require_servable
from wirespeed.model.plan import AdvicePlan, RequestListing
from wirespeed.subject.machine import cpu_ticks

from .agents import AgentHolder, booted_agent
from .budgeting import RESERVE_S, fits, item_of, left_s, share_out
from .document import Outcome, outcome_of
from .edits import write_changes
from .screening import list_routes, round_zero
from .served_remedies import confirm_served, direct_part

__all__ = ["Outcome", "advise", "list_requests"]


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
    ticks = cpu_ticks()
    direct = direct_part(plan)
    if plan.server is not None:
        # A server that is not there should not be found out only after a minute.
        listener(Booting(f"{plan.subject.app} behind {plan.server.name}"))
        require_servable(plan.subject, plan.server)
    with AgentHolder(plan.subject, listener) as holder:
        zero = round_zero(holder, direct, started, listener)
    written = write_changes(zero, plan.subject.folder)
    candidates = [study for study in zero.studies if study.kept]
    if not fits(candidates, zero.boot_s, left_s(direct, started), direct):
        for study in candidates:
            study.keep_best_only()
    rounds_plan = share_out(candidates, zero.boot_s, left_s(direct, started), direct)
    studies = [candidates[number] for number in rounds_plan.included]
    evidence = Evidence()
    if studies and not zero.interrupted:
        evidence = measure_rounds(
            partial(booted_agent, plan.subject, hangs_at_shutdown=zero.hangs_at_shutdown),
            [item_of(study) for study in studies],
            rounds_plan,
            ends=started + direct.budget_s - RESERVE_S,
            listener=listener,
        )
    left_out = len(candidates) - len(studies) + len(evidence.dropped)
    outcome = outcome_of(plan, zero, written, studies, left_out, evidence, ticks, started)
    if plan.server is None or outcome.interrupted:
        return outcome
    return confirm_served(plan, plan.server, zero.studies, outcome, started, listener)
