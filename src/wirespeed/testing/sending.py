"""Sending one request to an app in this process, by a client or without one, and keeping what was answered.

What lives here: a tap around the app that sees each request and what is sent in answer, where to put it in
somebody's client, and the event loop for tests that have none. What it must never know: what is asserted.

The user's client is left as it is. A shallow twin of it shares its cookies, its authentication, its base URL
and its event loop, and differs only in that its transport calls the tap instead of the app.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from wirespeed.errors import UsageError

from .calls import Call, body_of, scope_of

if TYPE_CHECKING:
    from wirespeed_agent.asgi import ASGIApp, Receive, Scope, Send
    from wirespeed_agent.fidelity import Answer
    from wirespeed_agent.ticket import Ticket

T = TypeVar("T")

Observer: TypeAlias = "Callable[[ASGIApp, Ticket], ASGIApp]"
"""What stands between the tap and the app, made anew for every request."""


class Passed(NamedTuple):
    """A request that went through the outermost layer of an app: the answer as sent, and its ticket."""

    name: str
    answer: Answer
    ticket: Ticket


class Tap:
    """An ASGI app around another. ``passed``: every HTTP request that came through, the last one last."""

    def __init__(self, app: ASGIApp, observer: Observer | None, passed: list[Passed]) -> None:
        self._app = app
        self._observer = observer
        self._passed = passed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from wirespeed_agent.asgi import Sink
        from wirespeed_agent.fidelity import Answer
        from wirespeed_agent.ticket import SCOPE_KEY, Ticket

        sink, ticket = Sink(), Ticket()
        name = _name_of(scope)
        app = self._app if self._observer is None else self._observer(self._app, ticket)

        async def noting_send(message: MutableMapping[str, Any]) -> None:
            await sink.send(message)
            await send(message)

        scope[SCOPE_KEY] = ticket
        try:
            await app(scope, receive, noting_send)
        finally:
            # Also where the app raises: a client may be told to take the answer 500 for what it is.
            self._passed.append(Passed(name, Answer(sink.status, sink.headers, sink.body), ticket))


def _name_of(scope: Scope) -> str:
    query = scope["query_string"].decode("latin-1")
    return f"{scope['method']} {scope['path']}{'?' + query if query else ''}"


# -- sending -------------------------------------------------------------------------------------------------


def send(subject: object, call: Call, *, lifespan: bool = False, observer: Observer | None = None) -> Passed:
    """The answer to ``call``, from the event loop that a client has, or one in a thread of its own.

    Whatever the app raises is raised. Raises UsageError for what is neither an app nor a client of one, and
    inside a running event loop.
    """
    if is_client(subject) and not _is_async_client(subject):
        _refuse_lifespan(lifespan)
        twin, passed = _tapped(subject, observer)
        twin.request(call.method, call.url, **call.options)
        return _last(passed, call)
    return in_a_loop(lambda: send_async(subject, call, lifespan=lifespan, observer=observer))


async def send_async(
    subject: object, call: Call, *, lifespan: bool = False, observer: Observer | None = None
) -> Passed:
    """As ``send``, in the running event loop; a ``TestClient`` goes on using the loop that it has."""
    if is_client(subject):
        _refuse_lifespan(lifespan)
        twin, passed = _tapped(subject, observer)
        sent = twin.request(call.method, call.url, **call.options)
        if inspect.isawaitable(sent):
            await sent
        return _last(passed, call)
    app = as_app(subject)
    passed = []
    tap = Tap(app, observer, passed)
    if lifespan:
        from .lifespan import within_lifespan

        await within_lifespan(app, lambda state: exchange(tap, call, state))
    else:
        await exchange(tap, call, {})
    return _last(passed, call)


async def exchange(app: ASGIApp, call: Call, state: Mapping[str, Any]) -> None:
    """One request, as a server would hand it on; what is sent in answer is not kept."""
    body, content_type = body_of(call)
    wire = Wire(body)
    await app({**scope_of(call, body, content_type), "state": dict(state)}, wire.receive, wire.send)


class Wire:
    """The server's end of one request, on whichever event loop runs.

    ``receive`` gives the whole body once. Then it waits until the answer is complete, to say that the client
    is gone, as servers do. ``status`` is 0 until there is one.
    """

    def __init__(self, body: bytes) -> None:
        self.status = 0
        self._body: bytes | None = body
        self._is_complete = False
        self._waiting: Any = None

    async def receive(self) -> MutableMapping[str, Any]:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        if not self._is_complete:
            import anyio

            self._waiting = self._waiting or anyio.Event()
            await self._waiting.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            self._is_complete = True
            if self._waiting is not None:
                self._waiting.set()


def in_a_loop(work: Callable[[], Awaitable[T]]) -> T:
    """Do ``work`` in an event loop in a thread of its own, as ``TestClient`` does, and wait for it."""
    import anyio
    from anyio.from_thread import start_blocking_portal

    try:
        anyio.get_current_task()
    except RuntimeError:
        with start_blocking_portal() as portal:
            return portal.call(work)
    raise UsageError(
        "This would hold up the event loop that runs here. In a coroutine, await the function of the same "
        "name that ends in _async."
    )


# -- apps and clients ----------------------------------------------------------------------------------------


def is_client(subject: object) -> bool:
    """Whether it is a ``TestClient`` or another client of HTTPX, whichever distribution that comes from."""
    return callable(getattr(subject, "build_request", None)) and callable(getattr(subject, "request", None))


def _is_async_client(client: object) -> bool:
    return hasattr(client, "aclose")


def as_app(subject: object) -> ASGIApp:
    """Raises UsageError where it cannot be called as an ASGI app."""
    from wirespeed_agent.shapes import may_be_app

    if not may_be_app(subject):
        raise UsageError(
            f"{_described(subject)} is neither an ASGI app nor a client of one: give the FastAPI app itself, "
            "a TestClient, or an HTTPX client with an ASGITransport."
        )
    return subject  # type: ignore[return-value]


def _described(subject: object) -> str:
    text = repr(subject)
    return text if len(text) <= 80 else text[:79] + "…"


def _tapped(client: Any, observer: Observer | None) -> tuple[Any, list[Passed]]:
    """A twin of the client whose transports go through a tap, and where that keeps what it saw."""
    passed: list[Passed] = []

    def through_tap(transport: Any) -> Any:
        if not callable(getattr(transport, "app", None)):
            return transport
        twin = copy.copy(transport)
        twin.app = Tap(transport.app, observer, passed)
        return twin

    twin = copy.copy(client)
    twin._transport = through_tap(client._transport)
    twin._mounts = {pattern: through_tap(transport) for pattern, transport in client._mounts.items()}
    if twin._transport is client._transport and twin._mounts == client._mounts:
        raise UsageError(f"{_described(client)} sends over the network. {_IN_THIS_PROCESS}")
    return twin, passed


def _last(passed: list[Passed], call: Call) -> Passed:
    if not passed:
        raise UsageError(f"{call.name} did not reach an app in this process. {_IN_THIS_PROCESS}")
    return passed[-1]


_IN_THIS_PROCESS = (
    "Only an app in this process can be watched: give the app, a TestClient, or an HTTPX client with an "
    "ASGITransport."
)


def _refuse_lifespan(lifespan: bool) -> None:
    if lifespan:
        raise UsageError("A client has its lifespan run itself: write `with TestClient(app) as client:`.")
