"""Round 0: discover, call, find, screen. It decides what is measured, and is itself no evidence.

Every endpoint is on its own: one that fails, hangs or ends the process costs a note and perhaps a fresh
agent, never the others.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wirespeed.errors import SubjectHung, WirespeedError
from wirespeed.experiment.events import (
    Listed,
    Listener,
    ProbeFinished,
    ProbeStarted,
    ScreenFinished,
    ScreenStarted,
)
from wirespeed.model.advice import Finding
from wirespeed.model.plan import AdvicePlan, RequestPlan
from wirespeed.model.request import PlannedRequest, Route
from wirespeed.model.subject import Booted

from .agents import AgentHolder, RestartFailed
from .observation import Change, Failure, Hot, Observation, Screening
from .requests import plan_requests
from .rules import all_rules
from .selection import Candidate, is_worth_screening, promised_gain_ns, select

PROBE_CALLS = 6
FEWEST_PROBE_S = 0.05
MOST_PROBE_S = 1.5
SHARE_OF_BUDGET = 0.4
"""Round 0 takes at most about this share of the budget, booting apart."""

PROFILED_AT_MOST = 8
PROFILE_CALLS = 4
PROFILE_S = 0.4
WORTH_PROFILING_NS = 2_000_000
SCREEN_DEADLINE_S = 60.0


@dataclass
class Study:
    """One endpoint as round 0 left it."""

    planned: PlannedRequest
    route: Route | None
    seen: Observation
    findings: list[Finding] = field(default_factory=list)
    screening: Screening | None = None
    kept: list[Candidate] = field(default_factory=list)
    left: list[Candidate] = field(default_factory=list)
    hot: Hot | None = None
    note: str | None = None

    @property
    def is_measurable(self) -> bool:
        return self.seen.whole_ns is not None and self.seen.failed is None and not self.is_unsafe

    @property
    def is_unsafe(self) -> bool:
        return bool(self.seen.actions) and not self.planned.named

    def keep_best_only(self) -> None:
        """Give up all arms but the first, for want of time."""
        self.left += self.kept[1:]
        del self.kept[1:]

    @property
    def promised_ns(self) -> float:
        return 0.0 if self.screening is None else promised_gain_ns(self.seen, self.screening, self.kept)


@dataclass
class RoundZero:
    booted: Booted
    boot_s: float
    routes: list[Route]
    requests: RequestPlan
    unreachable: int
    studies: list[Study]
    notes: list[str] = field(default_factory=list)
    hangs_at_shutdown: bool = False
    interrupted: bool = False


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
    result = RoundZero(booted, holder.boot_s, routes, requests, unreachable, [])
    ends = started + holder.boot_s + SHARE_OF_BUDGET * max(0.0, plan.budget_s - holder.boot_s)
    try:
        for study in _probe_all(holder, result, plan, ends, listener):
            result.studies.append(study)
        _profile_slowest(holder, result.studies, plan)
        holder.close()
    except KeyboardInterrupt:
        result.interrupted = True
    except RestartFailed as failure:
        missing = len(requests.planned) - len(result.studies)
        result.notes.append(
            f"an endpoint took the app down, and it could not be started again: {failure.reason}"
            + (f" Not called for that: {missing} endpoints." if missing else "")
        )
    if holder.shutdown_problem is not None:
        result.notes.append(holder.shutdown_problem.message)
        result.hangs_at_shutdown = isinstance(holder.shutdown_problem, SubjectHung)
    result.boot_s = holder.boot_s
    return result


def _probe_all(
    holder: AgentHolder, zero: RoundZero, plan: AdvicePlan, ends: float, listener: Listener
) -> Iterator[Study]:
    by_id = {route.id: route for route in zero.routes}
    total = len(zero.requests.planned)
    for index, planned in enumerate(zero.requests.planned):
        listener(ProbeStarted(planned.request.name, index + 1, total))
        share_s = (ends - time.monotonic()) / (total - index)
        seconds = min(MOST_PROBE_S, max(FEWEST_PROBE_S, share_s))
        seen = _probe(holder, planned, index, seconds, plan)
        route = None if planned.route_id is None else by_id.get(planned.route_id)
        study = Study(planned, route, seen)
        study.note = why_no_cost(study)
        listener(ProbeFinished(planned.request.name, study.note))
        if study.note is None:
            _diagnose(holder, study, index, total, plan, listener)
        yield study


def _probe(
    holder: AgentHolder, planned: PlannedRequest, index: int, seconds: float, plan: AdvicePlan
) -> Observation:
    args = {
        "key": index,
        "request": planned.request.for_agent(),
        "watch": not planned.named,
        "calls": PROBE_CALLS,
        "seconds": seconds,
        "deadline_s": plan.deadline_s,
    }
    try:
        report = holder.call(
            "probe",
            args,
            deadline_s=2 * plan.deadline_s + seconds + 1,
            doing=f"calling {planned.request.name}",
        )
    except SubjectHung as error:
        return Observation(failed=Failure(kind="deadline", message=error.message), actions=[])
    except WirespeedError as error:
        return Observation(failed=Failure(kind="raised", message=error.message), actions=[])
    return Observation.model_validate(report)


def why_no_cost(study: Study) -> str | None:
    """Why this answer is no cost of the endpoint, to be read beside its status; None if it is one."""
    seen, request = study.seen, study.planned.request
    if seen.failed is not None:
        return seen.failed.message
    if seen.status is not None and not 200 <= seen.status < 300:
        return _what_would_help(seen.status, study)
    if study.is_unsafe:
        did = "; ".join(seen.actions[:3])
        option = _naming_option(request.method, request.path)
        return f"it {did}; --{option} measures it all the same"
    if len(set(seen.statuses)) > 1:
        return "answers with different statuses: " + ", ".join(str(status) for status in seen.statuses)
    return None


def _what_would_help(status: int, study: Study) -> str:
    request = study.planned.request
    if status in (401, 403):
        return "give credentials with --header 'Authorization: …'"
    if 300 <= status < 400:
        return "a redirect has nothing to serialize"
    if status in (400, 404, 410, 422):
        return f"name a request that works with --{_naming_option(request.method, _template(study))}"
    return "an error is not the cost of an endpoint"


def _template(study: Study) -> str:
    """The path to fill in: the route's, converters left out."""
    if study.route is None:
        return study.planned.request.path
    return re.sub(r"\{(\w+):\w+\}", r"{\1}", study.route.path)


def _naming_option(method: str, path: str) -> str:
    return f"get '{path}'" if method == "GET" else f"request '{method} {path}'"


def _diagnose(
    holder: AgentHolder, study: Study, index: int, total: int, plan: AdvicePlan, listener: Listener
) -> None:
    changes: list[Change] = []
    for rule in all_rules().values():
        evidence = rule.evidence(study.seen)
        if evidence is not None:
            study.findings.append(Finding(code=rule.code, problem=rule.problem, evidence=evidence))
            changes.extend(rule.remedies(study.seen))
    if not changes or not is_worth_screening(study.seen):
        return
    listener(ScreenStarted(study.planned.request.name, index + 1, total))
    study.screening = _screen(holder, study, index, changes, plan)
    if study.screening is not None and study.screening.invalid is None:
        study.kept, study.left = select(changes, study.screening)
    listener(ScreenFinished(study.planned.request.name, len(study.kept)))


def _screen(
    holder: AgentHolder, study: Study, index: int, changes: Sequence[Change], plan: AdvicePlan
) -> Screening | None:
    args = {
        "key": index,
        "changes": [change.for_agent() for change in changes],
        "deadline_s": plan.deadline_s,
    }
    try:
        report = holder.call(
            "screen",
            args,
            deadline_s=SCREEN_DEADLINE_S + len(changes) * plan.deadline_s,
            doing=f"screening {study.planned.request.name}",
        )
    except WirespeedError as error:
        study.note = f"its remedies could not be screened: {error.message}"
        return None
    return Screening.model_validate(report)


def _profile_slowest(holder: AgentHolder, studies: Sequence[Study], plan: AdvicePlan) -> None:
    """Name the frame where the time goes, for the slowest of those that no remedy could help much."""
    slow = [
        s
        for s in studies
        if s.is_measurable and s.note is None and (s.seen.whole_ns or 0) > WORTH_PROFILING_NS
    ]
    slow.sort(key=lambda study: study.promised_ns - (study.seen.whole_ns or 0))
    for study in slow[:PROFILED_AT_MOST]:
        args = {
            "request": study.planned.request.for_agent(),
            "calls": PROFILE_CALLS,
            "seconds": PROFILE_S,
            "deadline_s": plan.deadline_s,
        }
        try:
            report = holder.call(
                "profile",
                args,
                deadline_s=2 * plan.deadline_s + PROFILE_S,
                doing=f"profiling {study.planned.request.name}",
            )
        except WirespeedError:
            # It answered before and the report has its figures; only the frame stays unnamed.
            continue
        study.hot = Hot.model_validate(report)
