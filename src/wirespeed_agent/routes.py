"""Finding the API routes of an app: through outer ASGI wrappers, mounts, and nested routers.

``find_routes(app)`` walks what the app can reach. Since FastAPI 0.137 ``include_router`` keeps a tree, so
that one route object may be reached several times with different settings: what serves a request then is the
pair of the route and its *effective context*. Nothing here calls the app.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
import re
import types
from typing import Any, Dict, Iterator, List, Mapping, Optional, Set, Tuple

from .ticket import RouteKey

WRAPPED_APP_NAMES = ("app", "other_asgi_app", "asgi_app", "_app", "wrapped", "wrapped_app", "application")
"""Where ASGI middleware keeps the app below it, by the habits of published packages."""

MAX_DEPTH = 20


class FoundRoute:
    """A route as it is served; ``effective`` has the settings in force, and is the route or its context."""

    def __init__(self, path: str, route: Any, effective: Any, kind: str, reason: Optional[str]) -> None:
        self.path = path
        self.route = route
        self.effective = effective
        self.kind = kind
        self.reason = reason

    @property
    def key(self) -> RouteKey:
        return (id(self.route), id(self.effective))

    @property
    def methods(self) -> List[str]:
        return sorted(getattr(self.effective, "methods", None) or getattr(self.route, "methods", None) or ())

    @property
    def endpoint(self) -> Any:
        return getattr(self.route, "endpoint", None)


class Discovery:
    """All routes reachable from one app, and the Starlette applications passed on the way."""

    def __init__(self, app: Any) -> None:
        self.routes: List[FoundRoute] = []
        self.apps: List[Any] = []
        """Each once, however often it is mounted."""
        self._seen: Set[int] = set()
        top = unwrap(app)
        if top is not None:
            self._walk_app(top, "", 0)

    def unreachable_endpoints(self) -> int:
        """How many endpoint functions of APIRoutes alive in the heap this discovery missed."""
        from fastapi.routing import APIRoute

        # issubclass of the type: isinstance would trip over lazy proxies that answer __class__.
        alive = {
            _identity(route.endpoint)
            for route in gc.get_objects()
            if issubclass(type(route), APIRoute) and hasattr(route, "endpoint")
        }
        return len(alive - {_identity(found.endpoint) for found in self.routes})

    def _walk_app(self, app: Any, prefix: str, depth: int) -> None:
        if id(app) in self._seen or depth > MAX_DEPTH:
            return
        self._seen.add(id(app))
        router = getattr(app, "router", app)
        if router is not app and not any(app is known for known in self.apps):
            self.apps.append(app)
        for route, context in _with_contexts(getattr(router, "routes", None) or []):
            self._visit(route, context, prefix, depth)
        self._seen.discard(id(app))

    def _visit(self, route: Any, context: Any, prefix: str, depth: int) -> None:
        from starlette.routing import Host, Mount

        if context is not None and getattr(context, "starlette_route", None) is not None:
            route, context = context.starlette_route, None
        if issubclass(type(route), (Mount, Host)):
            self._visit_mount(route, prefix + (getattr(route, "path", "") or ""), depth)
            return
        effective = route if context is None else context
        path = getattr(effective, "path", None)
        if path is None or _belongs_to_fastapi(route):
            return
        kind, reason = classify(route, effective)
        self.routes.append(FoundRoute(prefix + path, route, effective, kind, reason))

    def _visit_mount(self, mount: Any, path: str, depth: int) -> None:
        inner = unwrap(mount.app)
        if inner is None:
            name = type(mount.app).__name__
            reason = f"{name} is mounted here; only FastAPI routes can be advised"
            self.routes.append(FoundRoute(path or "/", mount, mount, "mount", reason))
        else:
            self._walk_app(inner, path, depth + 1)


def unwrap(app: Any) -> Any:
    """The Starlette application or router inside ``app``, or None if there is none to be found."""
    seen: Set[int] = set()
    frontier = [app]
    for _ in range(MAX_DEPTH):
        following: List[Any] = []
        for candidate in frontier:
            if _is_router(candidate):
                return candidate
            if id(candidate) not in seen:
                seen.add(id(candidate))
                following.extend(_inside(candidate))
        frontier = following
    return None


def _is_router(app: Any) -> bool:
    from starlette.applications import Starlette
    from starlette.routing import Router

    return issubclass(type(app), (Starlette, Router))


def _inside(wrapper: Any) -> Iterator[Any]:
    """What an ASGI wrapper may hold: the usual attribute first, then any, then arguments and closures."""
    attributes = attributes_of(wrapper)
    named = [attributes[name] for name in WRAPPED_APP_NAMES if name in attributes]
    others = [value for name, value in attributes.items() if name not in WRAPPED_APP_NAMES]
    bound_to = getattr(wrapper, "__self__", None)
    for held in (*named, bound_to, *others, *_arguments(wrapper), *closed_over(wrapper)):
        if callable(held) and not inspect.isclass(held):
            yield held


def attributes_of(thing: Any) -> Mapping[str, Any]:
    """What an object holds itself, in its dictionary or its slots; no property or ``__getattr__`` runs."""
    attributes = getattr(thing, "__dict__", None)
    found: Dict[str, Any] = dict(attributes) if isinstance(attributes, dict) else {}
    for kind in type(thing).__mro__:
        for name, slot in vars(kind).items():
            if isinstance(slot, types.MemberDescriptorType) and hasattr(thing, name):
                found[name] = getattr(thing, name)
    return found


def _arguments(wrapper: Any) -> Iterator[Any]:
    if isinstance(wrapper, functools.partial):
        yield from (wrapper.func, *wrapper.args, *wrapper.keywords.values())


def closed_over(wrapper: Any) -> Iterator[Any]:
    """What a function keeps of the functions around it."""
    for cell in getattr(wrapper, "__closure__", None) or ():
        # A cell is empty while the function that fills it has not got there.
        with contextlib.suppress(ValueError):
            yield cell.cell_contents


def _with_contexts(routes: Any) -> Iterator[Tuple[Any, Any]]:
    import fastapi.routing

    expand = getattr(fastapi.routing, "_iter_routes_with_context", None)
    if expand is not None:
        yield from expand(routes)
    else:
        for route in routes:
            yield route, None


def _belongs_to_fastapi(route: Any) -> bool:
    """FastAPI's own pages (/docs, /openapi.json) are closures of ``FastAPI.setup``."""
    endpoint = getattr(route, "endpoint", None)
    return getattr(endpoint, "__module__", None) == "fastapi.applications"


def classify(route: Any, effective: Any) -> Tuple[str, Optional[str]]:
    """(kind, reason): ``api`` with no reason, or why this route cannot be advised."""
    from fastapi.routing import APIRoute, APIWebSocketRoute
    from starlette.routing import WebSocketRoute

    if issubclass(type(route), (APIWebSocketRoute, WebSocketRoute)):
        return "websocket", "a WebSocket has no response to speed up"
    if not issubclass(type(route), APIRoute):
        return "starlette", "a plain Starlette route: it builds its own response"
    if _streams(route, effective):
        return "streaming", "a streamed answer has no single value to serialize"
    return "api", None


def _streams(route: Any, effective: Any) -> bool:
    from starlette.responses import FileResponse, StreamingResponse

    function = function_of(route.endpoint)
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return True
    chosen = response_class(effective)
    return inspect.isclass(chosen) and issubclass(chosen, (StreamingResponse, FileResponse))


def function_of(endpoint: Any) -> Any:
    """The function behind partials, decorators, methods and callable objects; None if it is not Python's."""
    for _ in range(MAX_DEPTH):
        if isinstance(endpoint, types.FunctionType) and not hasattr(endpoint, "__wrapped__"):
            return endpoint
        if isinstance(endpoint, functools.partial):
            endpoint = endpoint.func
        elif isinstance(endpoint, types.MethodType):
            endpoint = endpoint.__func__
        else:
            called = inspect.getattr_static(type(endpoint), "__call__", None)
            endpoint = getattr(endpoint, "__wrapped__", None) or called
    return None


def response_class(effective: Any) -> Any:
    """The response class in force, explicit or default."""
    chosen = getattr(effective, "response_class", None)
    return getattr(chosen, "value", chosen)


def has_explicit_response_class(effective: Any) -> bool:
    from fastapi.datastructures import DefaultPlaceholder

    return not isinstance(getattr(effective, "response_class", None), DefaultPlaceholder)


def _identity(endpoint: Any) -> int:
    return id(inspect.unwrap(endpoint) if callable(endpoint) else endpoint)


def source_of(endpoint: Any) -> Optional[Tuple[str, int]]:
    """(file, line of ``def``) of an endpoint."""
    import linecache

    code = getattr(function_of(endpoint), "__code__", None)
    if code is None:
        return None
    first: int = code.co_firstlineno
    # A decorated function's first line is that of its first decorator; the reader looks for the def.
    declaration = re.compile(rf"\s*(async\s+)?def\s+{re.escape(code.co_name)}\b")
    for line in range(first, first + 40):
        if declaration.match(linecache.getline(code.co_filename, line)):
            return code.co_filename, line
    return code.co_filename, first


def describe(found: FoundRoute, number: int, folder: str) -> Dict[str, Any]:
    """The route as the conductor's ``model.request.Route`` reads it."""
    from .parameters import operation

    source = source_of(found.endpoint) if found.endpoint is not None else None
    return {
        "id": number,
        "methods": found.methods,
        "path": found.path,
        "name": str(getattr(found.effective, "name", "") or getattr(found.route, "name", "") or ""),
        "kind": found.kind,
        "reason": found.reason,
        "source": None if source is None else f"{shorten(source[0], folder)}:{source[1]}",
        "operation": operation(found.effective) if found.kind == "api" else {},
    }


def shorten(filename: str, folder: str) -> str:
    """A file as a reader names it: relative to the app's folder, or to the library folder it lies in."""
    for root in (folder, *_library_roots()):
        if root and filename.startswith(root.rstrip("/") + "/"):
            return filename[len(root.rstrip("/")) + 1 :]
    return filename


def _library_roots() -> List[str]:
    import sysconfig

    paths = sysconfig.get_paths()
    return [paths["purelib"], paths["platlib"], paths["stdlib"]]
