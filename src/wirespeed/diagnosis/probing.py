"""Calling every endpoint a few times: what it answers, why that is no cost of it, and where its time goes.

Every endpoint is on its own: one that fails, hangs or ends the process costs a note and perhaps a fresh
agent, never the others.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from wirespeed.errors import MeasurementInvalid, SubjectHung, WirespeedError
from wirespeed.experiment.events import Listener, ProbeFinished, ProbeStarted
from wirespeed.model.plan import AdvicePlan

from .agents import AgentHolder
from .observation import Failure, Hot, Observation
from .study import RoundZero, Study

PROBE_CALLS = 12
FEWEST_PROBE_S = 0.05
MOST_PROBE_S = 1.5

PROFILED_AT_MOST = 8
PROFILE_CALLS = 4
PROFILE_S = 0.4
WORTH_PROFILING_NS = 2_000_000


def probe_all(
    holder: AgentHolder, zero: RoundZero, plan: AdvicePlan, ends: float, listener: Listener
) -> None:
    """A study of every planned request that has none yet; the time until ``ends`` is shared out."""
    by_id = {route.id: route for route in zero.routes}
    total = len(zero.requests.planned)
    for index, planned in list(enumerate(zero.requests.planned))[len(zero.studies) :]:
        listener(ProbeStarted(planned.request.name, index + 1, total))
        share_s = (ends - time.monotonic()) / (total - index)
        route = None if planned.route_id is None else by_id.get(planned.route_id)
        study = Study(planned, route, Observation(failed=None, actions=[]))
        study.seen = probe(holder, study, index, min(MOST_PROBE_S, max(FEWEST_PROBE_S, share_s)), plan)
        study.note = why_no_cost(study)
        zero.studies.append(study)
        listener(ProbeFinished(planned.request.name, study.note))


def probe(holder: AgentHolder, study: Study, key: int, seconds: float, plan: AdvicePlan) -> Observation:
    """Call one request up to six times; the agent keeps what it saw under ``key``."""
    planned = study.planned
    args = {
        "key": key,
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
            deadline_s=4 * plan.deadline_s + 2 * seconds + 1,
            doing=f"calling {planned.request.name}",
        )
    except SubjectHung as error:
        return Observation(failed=Failure(kind="deadline", message=error.message), actions=[])
    except WirespeedError as error:
        return Observation(failed=Failure(kind="raised", message=error.message), actions=[])
    study.process = holder.process
    return Observation.model_validate(report)


def reprobe(holder: AgentHolder, study: Study, key: int, plan: AdvicePlan) -> None:
    """Have the agent see the answer again, where it no longer knows it. Raises WirespeedError if it fails."""
    seen = probe(holder, study, key, FEWEST_PROBE_S, plan)
    if seen.failed is not None:
        raise MeasurementInvalid(f"called again, it failed: {seen.failed.message}")
    if seen.whole_ns is None:
        raise MeasurementInvalid(f"called again, it answered {seen.status}")


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


def profile_slowest(holder: AgentHolder, studies: Sequence[Study], plan: AdvicePlan) -> None:
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
