"""Routes that an app adds with its first request: found once something was called, and called then."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from wirespeed.model.plan import AdvicePlan, RequestPlan
from wirespeed.model.request import PlannedRequest, Request, Route

from .agents import AgentHolder
from .observation import Observation
from .probing import FEWEST_PROBE_S, probe
from .requests import plan_requests
from .study import RoundZero, Study

NO_STUDY = -1
"""The agent's key for an answer that nobody asks for again."""


def knock(holder: AgentHolder, plan: AdvicePlan) -> None:
    """One request to an app that shows no route to be called: it may load itself with the first one."""
    planned = PlannedRequest(request=Request(method="GET", path="/"), route_id=None, named=False)
    study = Study(planned, None, Observation(failed=None, actions=[]))
    probe(holder, study, NO_STUDY, FEWEST_PROBE_S, plan)


def take_in(zero: RoundZero, found: Sequence[Route], plan: AdvicePlan) -> bool:
    """Add the routes of ``found`` that were not there before, and what is to be called of them.

    Whether there are any. What was seen until now has to be seen again then: FastAPI makes the contexts of
    all routes anew.
    """
    routes = list(numbered(zero.routes, found))
    old = {route.id for route in zero.routes}
    if all(route.id in old for route in routes):
        return False
    requests = plan_requests(routes, plan.wishes)
    late = [each for each in requests.planned if not each.named and each.route_id not in old]
    zero.requests = RequestPlan(planned=(*zero.requests.planned, *late), skipped=requests.skipped)
    zero.routes = routes
    _name_routes(zero, requests.planned)
    return True


def numbered(known: Sequence[Route], found: Sequence[Route]) -> Iterator[Route]:
    """``found``, in its order, with the numbers of those that are known and new ones for the others."""
    ids: dict[object, list[int]] = defaultdict(list)
    for route in known:
        ids[_identity(route)].append(route.id)
    following = max((route.id for route in known), default=-1) + 1
    for route in found:
        same = ids[_identity(route)]
        number = same.pop(0) if same else following
        following += number == following
        yield route.model_copy(update={"id": number})


def _identity(route: Route) -> object:
    return route.path, tuple(route.methods), route.source, route.kind


def _name_routes(zero: RoundZero, planned: Sequence[PlannedRequest]) -> None:
    """Requests that the user named stand first, and may have had no route when they were called."""
    by_id = {route.id: route for route in zero.routes}
    for study, again in zip(zero.studies, planned, strict=False):
        if study.route is None and again.named and again.route_id is not None:
            study.planned = study.planned.model_copy(update={"route_id": again.route_id})
            study.route = by_id[again.route_id]
    for study in zero.studies:
        study.process = 0
