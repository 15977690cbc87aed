"""Before anything is measured: what do base and head offer, and do they answer alike?

Every request goes to base, to its twin in a process of its own, and to head. What differs between the first
two tells nothing of the third.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from wirespeed.diagnosis import route_patterns
from wirespeed.diagnosis.observation import Observation
from wirespeed.diagnosis.probing import why_no_cost
from wirespeed.diagnosis.requests import plan_requests, route_of
from wirespeed.diagnosis.study import Study
from wirespeed.errors import AgentFailed, SubjectDied, SubjectHung
from wirespeed.experiment.events import Listed, Listener, ProbeFinished, ProbeStarted
from wirespeed.model.advice import Difference
from wirespeed.model.guard import BehaviourChange
from wirespeed.model.guard_plan import GuardPlan
from wirespeed.model.request import PlannedRequest, Route, Skipped
from wirespeed.model.subject import AppSubject, Booted

from .behaviour import (
    Witnessed,
    answer_change,
    is_allowed,
    is_success,
    lost_change,
    removed_change,
    status_change,
)
from .trio import BASE, HEAD, HOSTS, TWIN, Asked, HostFailed, Trio, three_of

ANSWERS = 2
"""Of each process."""
MORE_ANSWERS = 4
"""Before a difference is believed: a body may change from call to call, and two calls happen to agree."""
_UNCALLABLE = ("mount",)


@dataclass(frozen=True)
class Endpoint:
    """A request that is measured."""

    asked: Asked
    route: Route | None
    """Base's."""
    source: str | None
    """Where head has it."""
    is_allowed_to_differ: bool = False


@dataclass
class Rehearsal:
    base: Booted | None = None
    head: Booted | None = None
    base_routes: list[Route] = field(default_factory=list)
    head_routes: list[Route] = field(default_factory=list)
    endpoints: list[Endpoint] = field(default_factory=list)
    changes: list[BehaviourChange] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    start_s: float = 0.0
    """What starting three processes took, the longest time."""
    hangs_at_shutdown: bool = False


def rehearse(subjects: Sequence[AppSubject], plan: GuardPlan, listener: Listener) -> Rehearsal:
    """Start all, list their routes, and compare their answers; ``subjects`` by host.

    Raises HostFailed where one does not start.
    """
    result = Rehearsal()
    rng = random.Random(f"{plan.seed}/rehearsal")
    waiting: list[PlannedRequest] | None = None
    total = 0
    while waiting is None or waiting:
        began = time.monotonic()
        with three_of(subjects, rng, (), plan.deadline_s) as trio:
            result.start_s = max(result.start_s, time.monotonic() - began)
            if waiting is None:
                waiting = _list_routes(trio, plan, result)
                listener(Listed(len(waiting), len(result.skipped)))
                total = len(waiting)
            _look_at_all(trio, waiting, total, plan, result, listener)
        result.hangs_at_shutdown |= any(
            isinstance(trio.agent(host).shutdown_problem, SubjectHung) for host in HOSTS
        )
    return result


def _list_routes(trio: Trio, plan: GuardPlan, result: Rehearsal) -> list[PlannedRequest]:
    result.base, result.head = trio.agent(BASE).booted, trio.agent(HEAD).booted
    result.base_routes, result.head_routes = (_routes(trio, host) for host in (BASE, HEAD))
    requests = plan_requests(result.base_routes, plan.wishes)
    result.skipped += requests.skipped
    if not plan.wishes.only:
        result.changes += [removed_change(name) for name in _missing(result.base_routes, result.head_routes)]
        result.added += _missing(result.head_routes, result.base_routes)
    return [each for each in requests.planned if not _is_removed(each, result)]


def _routes(trio: Trio, host: int) -> list[Route]:
    report = trio.ask(host, "routes", {}, "its routes")
    return [Route.model_validate(each) for each in report["routes"]]


def _missing(routes: Sequence[Route], others: Sequence[Route]) -> list[str]:
    """Methods and path templates of ``routes`` that no route of ``others`` has, each once."""
    known = {key for route in others for key in _keys(route)}
    missing = [
        f"{method} {route.path}"
        for route in routes
        for method, shape in _keys(route)
        if (method, shape) not in known
    ]
    return list(dict.fromkeys(missing))


def _keys(route: Route) -> list[tuple[str, str]]:
    if route.kind in _UNCALLABLE:
        return []
    methods = route.methods or ["WEBSOCKET" if route.kind == "websocket" else "ANY"]
    # Starlette adds HEAD to GET by itself, in some versions.
    methods = [method for method in methods if method != "HEAD" or "GET" not in methods]
    return [(method, route_patterns.shape(route.path)) for method in methods]


def _is_removed(planned: PlannedRequest, result: Rehearsal) -> bool:
    """Whether the list of what head lacks has it already."""
    route = _route(result.base_routes, planned)
    name = "" if route is None else f"{planned.request.method} {route.path}"
    return any(each.request == name for each in result.changes)


def _route(routes: Sequence[Route], planned: PlannedRequest) -> Route | None:
    return next((route for route in routes if route.id == planned.route_id), None)


def _look_at_all(
    trio: Trio,
    waiting: list[PlannedRequest],
    total: int,
    plan: GuardPlan,
    result: Rehearsal,
    listener: Listener,
) -> None:
    """As many of the waiting requests as all three processes survive."""
    while waiting:
        planned = waiting.pop(0)
        listener(ProbeStarted(planned.request.name, total - len(waiting), total))
        look = _Look(trio, planned, plan, result)
        try:
            look.take()
        except HostFailed as failure:
            if isinstance(failure.error, AgentFailed):
                raise failure.error from failure
            look.note_loss(failure)
            if isinstance(failure.error, SubjectHung | SubjectDied):
                return
        finally:
            listener(ProbeFinished(planned.request.name))


class _Look:
    """One request at all three."""

    def __init__(self, trio: Trio, planned: PlannedRequest, plan: GuardPlan, result: Rehearsal) -> None:
        self._trio = trio
        self._planned = planned
        self._plan = plan
        self._result = result
        self._route = _route(result.base_routes, planned)
        self._seen = {host: Witnessed() for host in HOSTS}

    def take(self) -> None:
        base, head = self._seen[BASE], self._seen[HEAD]
        self._call(BASE)
        if base.actions and not self._planned.named:
            # It is called this once, and neither in the twin nor in head.
            self._skip(base)
            return
        self._call(TWIN)
        self._call(HEAD)
        if head.actions and not self._planned.named:
            self._skip(head, "in head ")
        elif not (base.kinds == self._seen[TWIN].kinds == head.kinds):
            self._different_outcomes()
        elif is_success(base.status):
            self._same_outcomes()
        else:
            self._skip(base)

    def note_loss(self, failure: HostFailed) -> None:
        """It took a process down, or hung in it."""
        if failure.host == HEAD:
            name, status = self._planned.request.name, self._seen[BASE].status
            self._result.changes.append(lost_change(name, status, failure.error.message))
        else:
            self._skip_for(failure.error.message)

    def _call(self, host: int, times: int = 1) -> None:
        name = self._planned.request.name
        args = {"request": self._planned.request.for_agent(), "deadline_s": self._plan.deadline_s}
        for _ in range(times):
            self._seen[host].add(self._trio.ask(host, "witness", args, name))

    def _call_all(self, times: int) -> None:
        for host in HOSTS:
            self._call(host, times)

    def _different_outcomes(self) -> None:
        self._call_all(1)
        both = self._both_bases()
        if len(both.kinds) > 1:
            told = ", ".join(str(each) for each in both.outcomes)
            self._skip_for(f"base itself answers differently from call to call: {told}")
        else:
            change = status_change(self._planned.request.name, both, self._seen[HEAD])
            self._result.changes.append(change)

    def _same_outcomes(self) -> None:
        self._call_all(ANSWERS - 1)
        differences = self._differences()
        if differences:
            self._call_all(MORE_ANSWERS)
            differences = self._differences()
        if not all(is_success(each.status) for each in self._seen.values()):
            self._different_outcomes()
            return
        template = None if self._route is None else self._route.path
        path = self._planned.request.path
        change = answer_change(
            self._planned.request.name,
            differences,
            is_allowed=is_allowed(path, template, self._plan.allowed_paths),
        )
        if change is not None:
            self._result.changes.append(change)
        if change is None or change.allowed:
            self._measure_later(differs=change is not None and change.change == "body")

    def _differences(self) -> list[Difference]:
        """Where head's answers differ from those of base and its twin, but for what these change themselves.

        The comparison is an agent's, for they know codings and JSON; any of them could make it.
        """
        args = {"reference": self._both_bases().answers, "answers": self._seen[HEAD].answers}
        report = self._trio.ask(BASE, "compare", args, f"both sides of {self._planned.request.name}")
        if report["fidelity"] != "different":
            return []
        return [Difference.model_validate(each) for each in report["differences"]]

    def _both_bases(self) -> Witnessed:
        base, twin = self._seen[BASE], self._seen[TWIN]
        return Witnessed([*base.answers, *twin.answers], [*base.failures, *twin.failures])

    def _measure_later(self, *, differs: bool) -> None:
        request, status = self._planned.request, self._seen[BASE].status
        assert status is not None
        call_ns = max(self._trio.call_ns(host, request, status) for host in (BASE, HEAD))
        in_head = route_of(self._result.head_routes, request.method, request.path)
        source = None if in_head is None else in_head.source
        endpoint = Endpoint(Asked(request, status, call_ns), self._route, source, differs)
        self._result.endpoints.append(endpoint)

    def _skip(self, seen: Witnessed, where: str = "") -> None:
        """For what it answers, or does, on both sides."""
        status = seen.status
        observation = Observation(failed=None, actions=seen.actions, status=status)
        why = why_no_cost(Study(self._planned, self._route, observation))
        if status is None and seen.failures:
            why = f"it fails on both sides: {seen.failures[0]}"
        answered = "" if status is None or is_success(status) else f"both sides answer {status}: "
        self._skip_for(f"{where}{answered}{why}")

    def _skip_for(self, reason: str) -> None:
        path = self._planned.request.path if self._route is None else self._route.path
        method = self._planned.request.method
        self._result.skipped.append(Skipped(method=method, path=path, reason=reason, option=None))
