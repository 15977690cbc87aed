"""Finding the API routes of an app: through outer ASGI wrappers, mounts, and nested routers.

``find_routes(app)`` walks what the app can reach. Since FastAPI 0.137 ``include_router`` keeps a tree, so
that one route object may be reached several times with different settings: what serves a request then is the
pair of the route and its *effective context*. Nothing here calls the app.
"""

from __future__ import annotations

import gc
import inspect
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from .ticket import RouteKey

WRAPPED_APP_NAMES = ("app", "other_asgi_app", "asgi_app", "_app", "wrapped", "wrapped_app", "application")
"""Where ASGI middleware keeps the app below it, by the habits of published packages."""

MAX_DEPTH = 20


class FoundRoute:
    """A route as it is served: ``effective`` holds the settings in force (the route itself, or its
    context).
    """

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
        if router is not app:
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
    """What an ASGI wrapper may hold: the usual attribute first, then any, then a closure's cells."""
    attributes = getattr(wrapper, "__dict__", None)
    attributes = attributes if isinstance(attributes, dict) else {}
    for name in WRAPPED_APP_NAMES:
        if callable(attributes.get(name)):
            yield attributes[name]
    bound_to = getattr(wrapper, "__self__", None)
    if bound_to is not None and not inspect.ismodule(bound_to):
        yield bound_to
    for name, value in attributes.items():
        if name not in WRAPPED_APP_NAMES and callable(value) and not inspect.isclass(value):
            yield value
    for cell in getattr(wrapper, "__closure__", None) or ():
        try:
            content = cell.cell_contents
        except ValueError:
            continue
        if callable(content) and not inspect.isclass(content):
            yield content


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

    call = inspect.unwrap(impartial(route.endpoint))
    if inspect.isgeneratorfunction(call) or inspect.isasyncgenfunction(call):
        return True
    chosen = response_class(effective)
    return inspect.isclass(chosen) and issubclass(chosen, (StreamingResponse, FileResponse))


def impartial(call: Any) -> Any:
    """The function inside any number of ``functools.partial``."""
    while hasattr(call, "func") and hasattr(call, "keywords"):
        call = call.func
    return call


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
    """(file, line of ``def``) of an endpoint, through decorators, partials and callable objects."""
    import linecache

    function = inspect.unwrap(impartial(endpoint)) if callable(endpoint) else endpoint
    function = getattr(function, "__func__", function)
    if not hasattr(function, "__code__"):
        function = type(function).__call__ if callable(function) else None
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    line: int = code.co_firstlineno
    # co_firstlineno is the first decorator's line; the reader looks for the def.
    for candidate in range(line, line + 40):
        text = linecache.getline(code.co_filename, candidate).lstrip()
        if text.startswith(("def ", "async def ")):
            return code.co_filename, candidate
    return code.co_filename, line


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
