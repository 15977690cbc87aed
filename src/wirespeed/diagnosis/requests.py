"""Which requests to send: routes and the user's wishes to a plan.

Only GET and HEAD run by themselves, and not even those whose name says that they act. Everything left alone
is listed with the option that would change that. Nothing is sent from here, and nothing is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirespeed.diagnosis import route_patterns
from wirespeed.diagnosis.action_words import acting_word
from wirespeed.diagnosis.request_building import (
    Draft,
    Headers,
    body_type,
    draft_request,
    merge_headers,
    quoted,
)
from wirespeed.model.plan import RequestPlan, RequestWishes
from wirespeed.model.request import PlannedRequest, Request, Route, Skipped

SAFE_METHODS = ("GET", "HEAD")

_WITHOUT_METHODS = {"websocket": "WEBSOCKET", "mount": "MOUNT"}
"""How the list of skipped routes calls those that have no methods; any other then takes them all."""

_REASONS = {
    "OPTIONS": "only GET and HEAD run by themselves",
    "TRACE": "only GET and HEAD run by themselves",
}
_MAY_CHANGE = "may change something"


def plan_requests(routes: Sequence[Route], wishes: RequestWishes) -> RequestPlan:
    """What to send: the named requests first, then one request for each other route that is safe to call.

    ``routes`` stand in the order in which the app tries them. With ``wishes.only`` nothing but the named
    requests is planned, and no route counts as skipped.
    """
    named = [_named(request, routes, wishes.headers) for request in dict.fromkeys(wishes.named)]
    if wishes.only:
        return RequestPlan(planned=tuple(named), skipped=())
    covered = {(planned.route_id, planned.request.method) for planned in named}
    decided = [decision for route in routes for decision in _decide(route, routes, wishes.headers, covered)]
    return RequestPlan(
        planned=(*named, *(decision for decision in decided if isinstance(decision, PlannedRequest))),
        skipped=tuple(decision for decision in decided if isinstance(decision, Skipped)),
    )


def route_of(routes: Sequence[Route], method: str, target: str) -> Route | None:
    """The first route that takes this method and request target, as Starlette would choose it."""
    return next((route for route in routes if _takes(route, method, target)), None)


def _takes(route: Route, method: str, target: str) -> bool:
    if route.kind in _WITHOUT_METHODS or (route.methods and method not in route.methods):
        return False
    return route_patterns.matches(route.path, target)


def _named(request: Request, routes: Sequence[Route], headers: Headers) -> PlannedRequest:
    route = route_of(routes, request.method, request.path)
    merged = merge_headers(headers, request.headers)
    if request.body and not any(name.lower() == "content-type" for name, _ in merged):
        content_type = body_type(route, request.body)
        merged = (*merged, ("content-type", content_type)) if content_type else merged
    complete = request.model_copy(update={"headers": merged})
    return PlannedRequest(request=complete, route_id=None if route is None else route.id, named=True)


def _decide(
    route: Route, routes: Sequence[Route], given: Headers, covered: set[tuple[int | None, str]]
) -> Iterator[PlannedRequest | Skipped]:
    """One decision for each method of the route that no named request covers."""
    if route.kind != "api":
        if not any(route.id == route_id for route_id, _ in covered):
            yield _not_advisable(route)
        return
    for method in _distinct_methods(route):
        if (route.id, method) not in covered:
            yield _decide_method(route, method, routes, given)


def _distinct_methods(route: Route) -> list[str]:
    """Without HEAD where the route answers GET too: the same answer, without its body."""
    return [
        method for method in dict.fromkeys(route.methods) if method != "HEAD" or "GET" not in route.methods
    ]


def _decide_method(
    route: Route, method: str, routes: Sequence[Route], given: Headers
) -> PlannedRequest | Skipped:
    draft = draft_request(route, method, given)
    shadow = route_of(routes, method, draft.target)
    if shadow is not None and shadow.id != route.id:
        return _shadowed(route, draft, shadow)
    if reason := _reason_to_skip(route, draft, routes):
        return Skipped(method=method, path=route.path, reason=reason, option=draft.option())
    return PlannedRequest(request=draft.request(), route_id=route.id, named=False)


def _reason_to_skip(route: Route, draft: Draft, routes: Sequence[Route]) -> str | None:
    if draft.method not in SAFE_METHODS:
        return _REASONS.get(draft.method, _MAY_CHANGE)
    if word := acting_word(route.path):
        return f"its name says that it acts ({word})"
    if draft.method == "HEAD" and route_of(routes, "GET", draft.target) is not None:
        return "the GET of the same path is measured"
    if draft.missing:
        return f"no value is known for {', '.join(map(str, draft.missing))}"
    return None


def _shadowed(route: Route, draft: Draft, shadow: Route) -> Skipped:
    """Another route answers first: always, where both take the same paths or this one takes a single path."""
    reachable = "{" in route.path and route_patterns.shape(route.path) != route_patterns.shape(shadow.path)
    template = f"{draft.method} {route.path}"
    naming = f"--get {quoted(route.path)}" if draft.method == "GET" else f"--request {quoted(template)}"
    return Skipped(
        method=draft.method,
        path=route.path,
        reason=f"{draft.method} {shadow.path} comes first and answers {draft.target}",
        option=naming if reachable else None,
    )


def _not_advisable(route: Route) -> Skipped:
    method = route.methods[0] if route.methods else _WITHOUT_METHODS.get(route.kind, "ANY")
    reason = route.reason or f"a {route.kind} route cannot be advised"
    return Skipped(method=method, path=route.path, reason=reason, option=None)
