"""From a live route and request to copies that nothing of the app hangs on.

A route knows its app, an endpoint what it closes over, a scope the user, the session and the state. What is
kept of them is what a replay needs: declared settings, code and globals, headers and path.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Sized
from typing import TYPE_CHECKING, Any

from wirespeed_agent.asgi import Scope
from wirespeed_agent.fidelity import Answer
from wirespeed_agent.replay import Captured
from wirespeed_agent.routes import FoundRoute, classify, function_of, has_explicit_response_class
from wirespeed_agent.variants import copy_route, set_call
from wirespeed_agent.works import key_of

from .kept import Capture, Endpoint, EndpointKey
from .loaded import runs_own_handler

if TYPE_CHECKING:
    from .watching import Visit

_KEPT_OF_SCOPE = (
    *("type", "asgi", "http_version", "method", "scheme", "path", "raw_path", "root_path"),
    *("query_string", "headers", "client", "server"),
)


def key_of_request(route: Any, scope: Scope, outer_root_path: str) -> tuple[EndpointKey, Any]:
    """The endpoint that ``route`` stands for in this request, and the route's settings in force."""
    effective = _in_force(route, scope)
    mounted = str(scope.get("root_path", "")).removeprefix(outer_root_path)
    path = mounted + str(getattr(effective, "path", route.path))
    return EndpointKey(scope["method"], path, key_of(route.endpoint)), effective


def _in_force(route: Any, scope: Scope) -> Any:
    """The route itself, or since FastAPI 0.137 the context of the router that it was reached through."""
    context_of = vars(sys.modules["fastapi.routing"]).get("_get_scope_effective_route_context")
    context = None if context_of is None else context_of(scope)
    is_its_own = context is not None and getattr(context, "original_route", None) is route
    return context if is_its_own else route


def describe_route(key: EndpointKey, route: Any, effective: Any) -> Endpoint:
    kind, reason = classify(route, effective)
    typed = getattr(effective, "response_field", None) is not None
    return Endpoint(
        key=key,
        found=_detached(key.path, route, effective),
        own_handler=type(route).__name__ if runs_own_handler(type(route)) else None,
        stream=None if kind == "api" else reason,
        may_be_slow=not typed or has_explicit_response_class(effective),
    )


def _detached(path: str, route: Any, effective: Any) -> FoundRoute:
    """A copy of the route with the settings in force, whose endpoint closes over nothing."""
    clone = copy_route(FoundRoute(path, route, effective, "api", None))
    function = function_of(route.endpoint)
    endpoint = None if function is None else _emptied(function)
    set_call(clone, endpoint or _nothing, response_parameter=None)
    emptied = {"endpoint": endpoint, "app": None, "dependency_overrides_provider": None, "callbacks": None}
    for name, value in emptied.items():
        setattr(clone, name, value)
    clone.dependencies = []
    return FoundRoute(path, clone, clone, "api", None)


def _emptied(function: types.FunctionType) -> types.FunctionType:
    """The same code in the same module, with nothing in its closure, its defaults or its attributes."""
    cells = tuple(types.CellType() for _ in function.__code__.co_freevars)
    return types.FunctionType(function.__code__, function.__globals__, function.__name__, None, cells)


async def _nothing() -> None:
    """Stands for an endpoint that is no Python function: nobody calls it."""


def capture_of(visit: Visit) -> Capture:
    """The request's answer, to be given again."""
    record = visit.record
    value = None if visit.snapshot is None else visit.snapshot.value
    body = b"".join(record.chunks)
    record.value = value
    record.scope = _kept_of(visit.scope)
    captured = Captured(record, Answer(record.status, record.headers, body))
    size = len(body) + sum(len(name) + len(content) for name, content in record.headers)
    if visit.snapshot is not None:
        size += visit.snapshot.size_bytes
    return Capture(captured, visit.hand_built, size, len(body))


def _kept_of(scope: Scope) -> dict[str, Any]:
    """FastAPI asks for the stacks of its own that it finds in a scope; replays get empty ones."""
    kept = {name: scope[name] for name in _KEPT_OF_SCOPE if name in scope}
    stacks = {
        name: contextlib.AsyncExitStack()
        for name, value in scope.items()
        if isinstance(value, contextlib.AsyncExitStack)
    }
    return {**kept, **stacks, "path_params": {}, "state": {}}


def length_of(value: Any) -> int:
    """How long a value looks from outside: of a page around its rows, the rows."""
    kind = type(value)
    if kind is dict:
        inside = [len(each) for each in value.values() if type(each) in (list, tuple)]
        return max([len(value), *inside])
    return len(value) if kind in (list, tuple, set) and isinstance(value, Sized) else 1


def is_success(status: int) -> bool:
    return 200 <= status < 300
