"""Round 0: discover, call, find, screen. It decides what is measured, and is itself no evidence."""

from __future__ import annotations

from wirespeed.errors import SubjectHung
from wirespeed.experiment.events import Listed, Listener
from wirespeed.model.plan import AdvicePlan, RequestPlan
from wirespeed.model.request import Route
from wirespeed.subject.booting import entry_folder

from .agents import AgentHolder, RestartFailed
from .edits import Writer
from .late_routes import knock, take_in
from .probing import probe_all, profile_slowest
from .requests import plan_requests
from .screening import diagnose, screen_all
from .study import RoundZero

CALLING_SHARE, TRYING_SHARE = 0.2, 0.2
"""Calling the endpoints and trying remedies take at most about these shares of the budget, booting apart."""


def list_routes(holder: AgentHolder, plan: AdvicePlan) -> tuple[list[Route], RequestPlan, int]:
    """Routes as the agent numbers them, what will be called, and how many endpoints could not be reached."""
    report = holder.call("routes", {}, deadline_s=60.0, doing="listing the routes")
    routes = [Route.model_validate(each) for each in report["routes"]]
    return routes, plan_requests(routes, plan.wishes), int(report["unreachable"])


def round_zero(holder: AgentHolder, plan: AdvicePlan, started: float, listener: Listener) -> RoundZero:
    """Everything that is known before the first confirming round. Ctrl-C keeps what was seen."""
    booted = holder.ready()
    routes, requests, unreachable = list_routes(holder, plan)
    listener(Listed(len(requests.planned), len(requests.skipped)))
    folder = entry_folder(plan.subject)
    result = RoundZero(booted, holder.boot_s, routes, requests, unreachable, Writer(folder, routes))
    after_boot, left_s = started + holder.boot_s, max(0.0, plan.budget_s - holder.boot_s)
    try:
        probe_all(holder, result, plan, after_boot + CALLING_SHARE * left_s, listener)
        if _late_routes(holder, result, plan):
            result.writer = Writer(folder, result.routes)
            probe_all(holder, result, plan, after_boot + CALLING_SHARE * left_s, listener)
        diagnose(result, plan)
        screen_all(holder, result, plan, after_boot + (CALLING_SHARE + TRYING_SHARE) * left_s, listener)
        profile_slowest(holder, result.studies, plan)
        holder.close()
    except KeyboardInterrupt:
        result.interrupted = True
        if not any(study.findings for study in result.studies):
            # What is known so far takes no more calls.
            diagnose(result, plan)
    except RestartFailed as failure:
        missing = len(result.requests.planned) - len(result.studies)
        result.notes.append(
            f"an endpoint took the app down, and it could not be started again: {failure.reason}"
            + (f" Not called for that: {missing} endpoints." if missing else "")
        )
    if holder.shutdown_problem is not None:
        result.notes.append(holder.shutdown_problem.message)
        result.hangs_at_shutdown = isinstance(holder.shutdown_problem, SubjectHung)
    result.boot_s = holder.boot_s
    return result


def _late_routes(holder: AgentHolder, zero: RoundZero, plan: AdvicePlan) -> bool:
    """Whether the app has routes now that it had not before it was called."""
    if not zero.requests.planned:
        knock(holder, plan)
    if not holder.is_running:
        # The last endpoint took the app down; a fresh one has had no request yet.
        return False
    routes, _, zero.unreachable = list_routes(holder, plan)
    return take_in(zero, routes, plan)
