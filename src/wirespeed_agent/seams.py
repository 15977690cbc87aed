"""The few places in FastAPI where a call can be watched, and the shadow on each route that reads our ticket.

FastAPI keeps three functions as module globals, ``solve_dependencies``, ``run_endpoint_function`` and
``serialize_response``, and looks them up on every request; they have been there, with these keyword
arguments, in every version from 0.100 on. They are replaced only while ``watching()`` is active, so timed
runs see FastAPI as it is.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Awaitable, Callable, Dict, Iterable, Iterator, List, MutableMapping, Optional, Tuple

from .asgi import ASGIApp, Receive, Scope, Send
from .gcmeter import clock_ns
from .holds import held
from .routes import FoundRoute, classify
from .ticket import CURRENT, SCOPE_KEY, Ticket

# -- the shadow on a route -----------------------------------------------------------------------------------


def shadow_routes(found: Iterable[FoundRoute]) -> None:
    """Let every route look for a ticket before it answers. Everything above it stays the user's own."""
    for route in {id(f.route): f.route for f in found if f.kind in ("api", "streaming")}.values():
        if "_wirespeed_shadowed" not in vars(route):
            route._wirespeed_shadowed = True
            route.handle = _ticket_reader(route, route.handle)


@contextlib.contextmanager
def every_route_shadowed() -> Iterator[None]:
    """While active, all API routes of this process look for a ticket, wherever they are.

    For a process that is not ours, where nothing may stay behind, and apps may not be found by looking.
    """
    from fastapi.routing import APIRoute

    inherited, original = "handle" not in vars(APIRoute), APIRoute.handle

    async def handle(route: Any, scope: Scope, receive: Receive, send: Send) -> None:
        await _ticket_reader(route, functools.partial(original, route))(scope, receive, send)

    APIRoute.handle = handle  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        if inherited:
            del APIRoute.handle
        else:
            APIRoute.handle = original  # type: ignore[method-assign]


def reached_route(scope: Scope) -> Optional[FoundRoute]:
    """The API route that a request came to, from the scope as the route saw it."""
    from fastapi.routing import APIRoute

    route = scope.get("route")
    if not issubclass(type(route), APIRoute):
        return None
    context = _contexts()(scope)
    effective: Any = context if _is_context_of(route, context) else route
    return FoundRoute(effective.path, route, effective, *classify(route, effective))


def _contexts() -> Callable[[Scope], Any]:
    """From a scope to the settings in force, which are the route's own before FastAPI 0.137."""
    from fastapi import routing

    return getattr(routing, "_get_scope_effective_route_context", lambda scope: None)


def _is_context_of(route: Any, context: Any) -> bool:
    return context is not None and getattr(context, "original_route", None) is route


def _ticket_reader(route: Any, original: ASGIApp) -> ASGIApp:
    context_of = _contexts()

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        ticket = scope.get(SCOPE_KEY)
        if ticket is None:
            await _unobserved(original, scope, receive, send)
            return
        context = context_of(scope)
        ticket.answered_by = (id(route), id(context if _is_context_of(route, context) else route))
        chosen = original
        if ticket.variant is not None and ticket.answered_by == ticket.route:
            ticket.hits += 1
            chosen = ticket.variant
        if ticket.keeps_record:
            await observe(ticket, chosen, scope, receive, send)
        else:
            await chosen(scope, receive, send)

    return handle


async def _unobserved(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """An endpoint may call its own app; that inner call must not write into the outer one's record."""
    token = CURRENT.set(None)
    try:
        await app(scope, receive, send)
    finally:
        CURRENT.reset(token)


async def observe(ticket: Ticket, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Let ``app`` answer at the route; the ticket's record tells what it sent, and when it did what."""
    record = ticket.record
    record.scope = dict(scope)

    async def noting_send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            record.first_send_ns = clock_ns()
            record.status = message["status"]
            record.headers = [
                (bytes(name).lower(), bytes(value)) for name, value in message.get("headers", ())
            ]
        elif message["type"] == "http.response.body":
            record.chunks.append(message.get("body", b""))
        await send(message)
        record.last_sent_ns = clock_ns()

    token = CURRENT.set(ticket)
    try:
        answering = app(scope, receive, noting_send)
        await (answering if record.examined is None else held(answering, record.examined.holds))
    finally:
        record.left_ns = clock_ns()
        CURRENT.reset(token)


# -- the seams inside a route --------------------------------------------------------------------------------


@contextlib.contextmanager
def watching() -> Iterator[None]:
    """While active, every call with a ticket has its phases timed, and its value kept in the record."""
    from fastapi import routing

    saved = {name: getattr(routing, name) for name in WATCHERS}
    undo_fields = _watch_dump_methods()
    for name, watcher in WATCHERS.items():
        setattr(routing, name, watcher(saved[name]))
    try:
        yield
    finally:
        for name, original in saved.items():
            setattr(routing, name, original)
        undo_fields()


def _watch_dependencies(original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def solve_dependencies(**arguments: Any) -> Any:
        ticket = CURRENT.get()
        if ticket is None:
            return await original(**arguments)
        start = clock_ns()
        solved = await original(**arguments)
        ticket.record.dependencies_ns = clock_ns() - start
        ticket.record.solved = solved
        return solved

    return solve_dependencies


def _watch_endpoint(original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def run_endpoint_function(**arguments: Any) -> Any:
        ticket = CURRENT.get()
        if ticket is None:
            return await original(**arguments)
        record = ticket.record
        start = clock_ns()
        value = await original(**arguments)
        record.endpoint_end_ns = clock_ns()
        record.endpoint_ns = record.endpoint_end_ns - start
        record.called = True
        record.value = value
        record.is_coroutine = arguments["is_coroutine"]
        answer = _injected_response(record.solved)
        if answer is not None:
            # Copied now: FastAPI hands these very lists to the response, and middleware may change them.
            record.extra_headers = list(answer.headers.raw)
            record.extra_status = answer.status_code
        return value

    return run_endpoint_function


def _injected_response(solved: Any) -> Any:
    """The Response that dependencies and endpoint may set headers on; a tuple's fourth item before 0.112."""
    if isinstance(solved, tuple):
        return solved[3] if len(solved) > 3 else None
    return getattr(solved, "response", None)


def _watch_serialization(original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def serialize_response(**arguments: Any) -> Any:
        ticket = CURRENT.get()
        if ticket is None:
            return await original(**arguments)
        ticket.record.serialize_start_ns = clock_ns()
        try:
            return await original(**arguments)
        finally:
            ticket.record.serialize_end_ns = clock_ns()

    return serialize_response


WATCHERS: Dict[str, Callable[[Callable[..., Awaitable[Any]]], Callable[..., Awaitable[Any]]]] = {
    "solve_dependencies": _watch_dependencies,
    "run_endpoint_function": _watch_endpoint,
    "serialize_response": _watch_serialization,
}


def _watch_dump_methods() -> Callable[[], None]:
    """Note when a response field starts to dump, and whether it dumps straight to JSON bytes."""
    from fastapi import _compat

    field_class = _compat.ModelField
    saved: List[Tuple[str, Any]] = []
    for name in ("serialize", "serialize_json"):
        original = vars(field_class).get(name)
        if original is not None:
            saved.append((name, original))
            setattr(field_class, name, _noting_dump(original, name == "serialize_json"))

    def undo() -> None:
        for name, original in saved:
            setattr(field_class, name, original)

    return undo


def dumps_to_bytes() -> bool:
    """Whether this FastAPI has a fast path: response fields that dump straight to JSON bytes, since 0.130."""
    from fastapi import _compat

    return hasattr(_compat.ModelField, "serialize_json")


def _noting_dump(original: Callable[..., Any], is_json: bool) -> Callable[..., Any]:
    def dump(field: Any, *args: Any, **kwargs: Any) -> Any:
        ticket = CURRENT.get()
        if ticket is not None:
            ticket.record.dump_start_ns = clock_ns()
            ticket.record.used_dump_json = is_json
        dumped = original(field, *args, **kwargs)
        if ticket is not None and is_json:
            ticket.record.dumped_json = dumped
        return dumped

    return dump
