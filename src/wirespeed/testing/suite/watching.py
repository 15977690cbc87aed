"""Watching the tests' requests at FastAPI's own seams, without changing what any of them sees.

Three places: the app's door (``FastAPI.__call__``) for the time of the whole request, the route's door
(``APIRoute.handle``) for the answer, and ``run_endpoint_function`` for the value; the marks between are the
agent's (``wirespeed_agent.seams``). Whatever goes wrong in here is nobody's business but ours: the request
goes on as if nothing were watched.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from wirespeed_agent.asgi import Receive, Scope, Send
from wirespeed_agent.gcmeter import clock_ns
from wirespeed_agent.live import header
from wirespeed_agent.ticket import CURRENT, SCOPE_KEY, Ticket

from .capturing import capture_of, describe_route, is_success, key_of_request, length_of
from .kept import MOST_CAPTURE_BYTES, Call, Endpoint, Kept
from .loaded import is_response, is_stream
from .snapshots import NotKept, Snapshot, snapshot

Message = MutableMapping[str, Any]


class Entry:
    """A request on its way through the outermost app."""

    __slots__ = ("entered_ns", "last_sent_ns", "root_path", "visit")

    def __init__(self, root_path: str) -> None:
        self.root_path = root_path
        self.visit: Visit | None = None
        self.last_sent_ns = 0
        self.entered_ns = clock_ns()

    def noting(self, send: Send) -> Send:
        async def note_and_send(message: Message) -> None:
            await send(message)
            if message.get("type") == "http.response.body" and not message.get("more_body", False):
                self.last_sent_ns = clock_ns()

        return note_and_send


_ENTRY: contextvars.ContextVar[Entry | None] = contextvars.ContextVar("wirespeed_entry", default=None)


class Visit(Ticket):
    """A request at the route that answers it."""

    def __init__(self, endpoint: Endpoint, scope: Scope) -> None:
        super().__init__()
        self.endpoint = endpoint
        self.scope = scope
        self.snapshot: Snapshot | None = None
        self.hand_built: type | None = None
        self.keeping_ns = 0
        """What keeping the value took, and no user waits for outside the tests."""
        self.body_bytes = 0

    @property
    def wants_answer(self) -> bool:
        return self.snapshot is not None or self.hand_built is not None

    def noting(self, send: Send) -> Send:
        record = self.record

        async def note_and_send(message: Message) -> None:
            # A message that is none is not ours to complain of.
            with contextlib.suppress(Exception):
                self._note(message)
            await send(message)
            record.last_sent_ns = clock_ns()

        return note_and_send

    def _note(self, message: Message) -> None:
        record = self.record
        if message["type"] == "http.response.start":
            record.first_send_ns = record.first_send_ns or clock_ns()
            record.status = message["status"]
            pairs = message.get("headers", ())
            record.headers = [(bytes(name).lower(), bytes(value)) for name, value in pairs]
        elif message["type"] == "http.response.body":
            body = message.get("body", b"")
            self.body_bytes += len(body)
            if self.wants_answer and self.body_bytes <= MOST_CAPTURE_BYTES:
                record.chunks.append(bytes(body))


class Watch:
    """One suite's watching. ``test`` is the test that runs now."""

    def __init__(self) -> None:
        self.kept = Kept()
        self.test: str | None = None
        self.unwatched = 0
        """Requests that could not be watched, for reasons of our own."""
        self.failure: str | None = None
        """Why nothing could be watched at all."""

    # -- what stands in the places of FastAPI's own ----------------------------------------------

    def app_door(self, original: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        @functools.wraps(original)
        async def __call__(app: Any, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: N807
            if scope["type"] != "http" or _ENTRY.get() is not None:
                await original(app, scope, receive, send)
                return
            entry = Entry(getattr(app, "root_path", "") or scope.get("root_path", ""))
            token = _ENTRY.set(entry)
            try:
                await original(app, scope, receive, entry.noting(send))
            finally:
                _reset(_ENTRY, token)
            if entry.visit is not None:
                self._note(entry.visit, entry.entered_ns, entry.last_sent_ns)

        return __call__

    def route_door(self, original: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        @functools.wraps(original)
        async def handle(route: Any, scope: Scope, receive: Receive, send: Send) -> None:
            entry = _ENTRY.get()
            visit = self._visit(route, scope, entry)
            if visit is None:
                await original(route, scope, receive, send)
                return
            # A request that the endpoint makes to its own app is one of its own.
            outside, token = _ENTRY.set(None), CURRENT.set(visit)
            entered_ns = clock_ns()
            try:
                await original(route, scope, receive, visit.noting(send))
            finally:
                _reset(CURRENT, token)
                _reset(_ENTRY, outside)
            if entry is not None:
                entry.visit = visit
            else:
                self._note(visit, entered_ns, visit.record.last_sent_ns)

        return handle

    def endpoint_seam(self, original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @functools.wraps(original)
        async def run_endpoint_function(**arguments: Any) -> Any:
            value = await original(**arguments)
            visit = CURRENT.get()
            if isinstance(visit, Visit):
                self._take(visit, value)
            return value

        return run_endpoint_function

    # -- what is noted --------------------------------------------------------------------------

    def _visit(self, route: Any, scope: Scope, entry: Entry | None) -> Visit | None:
        if SCOPE_KEY in scope:
            # An assertion of the test watches this request, and needs the marks for itself.
            return None
        try:
            key, effective = key_of_request(route, scope, "" if entry is None else entry.root_path)
            endpoint = self.kept.endpoint(key) or self.kept.add(describe_route(key, route, effective))
            if endpoint is None:
                return None
            self.kept.count(endpoint, self.test)
            return Visit(endpoint, scope)
        # Routes are the user's own classes, and may raise what they like.
        except Exception:
            self.unwatched += 1
            return None

    def _take(self, visit: Visit, value: Any) -> None:
        """Keep what the endpoint returned, where it is its turn."""
        began_ns = clock_ns()
        # The agent's marks hold the value itself and what dependencies gave: sessions, connections.
        visit.record.value = visit.record.solved = None
        try:
            self._keep_value(visit, value)
        except NotKept as refusal:
            visit.endpoint.not_kept = refusal.reason
        except Exception as error:
            visit.endpoint.not_kept = f"looking at it raises {type(error).__name__}"
        visit.keeping_ns = clock_ns() - began_ns
        visit.record.endpoint_end_ns += visit.keeping_ns

    def _keep_value(self, visit: Visit, value: Any) -> None:
        endpoint = visit.endpoint
        kind = type(value)
        hand_built = is_response(kind)
        if hand_built and is_stream(kind):
            endpoint.stream = f"it answers with a {kind.__name__}, which has no value to serialize"
        if not (hand_built or endpoint.may_be_slow) or endpoint.stream or endpoint.own_handler:
            return
        if not self.kept.is_due(endpoint, length_of(value)):
            return
        if hand_built:
            visit.hand_built = kind
        else:
            visit.snapshot = snapshot(value, MOST_CAPTURE_BYTES)

    def _note(self, visit: Visit, entered_ns: int, last_sent_ns: int) -> None:
        """The answer is sent, and the app has returned."""
        record = visit.record
        if not (record.called and is_success(record.status)):
            return
        total_ns = max(0, (last_sent_ns or record.last_sent_ns) - entered_ns - visit.keeping_ns)
        call = Call(visit.body_bytes, total_ns, record.response_path_ns)
        self.kept.succeed(
            visit.endpoint,
            call,
            status=record.status,
            content_type=header(record.headers, b"content-type"),
            fast_path=record.used_dump_json,
        )
        if not visit.wants_answer:
            return
        if visit.body_bytes > MOST_CAPTURE_BYTES:
            visit.endpoint.not_kept = f"its answer is larger than {MOST_CAPTURE_BYTES // 1_000_000} MB"
            return
        try:
            self.kept.keep(visit.endpoint, capture_of(visit))
        except Exception as error:
            visit.endpoint.not_kept = f"looking at it raises {type(error).__name__}"


def _reset(variable: contextvars.ContextVar[Any], token: contextvars.Token[Any]) -> None:
    """A request that nobody finished is closed by the garbage collector, in another context."""
    with contextlib.suppress(ValueError):
        variable.reset(token)
