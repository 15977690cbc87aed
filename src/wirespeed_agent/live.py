"""One live call of the whole app, with a ticket, a deadline, and everything it showed."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple

from .asgi import AnswerTooLong, ASGIApp, Request, Sink
from .fidelity import Answer
from .gcmeter import clock_ns, collected_ns
from .memory_limit import explain_shortage
from .ticket import SCOPE_KEY, Ticket
from .tracebacks import app_traceback, last_line

LONGEST_MESSAGE = 500
LONGEST_TRACEBACK = 4000


class CallFailed(Exception):
    """No whole answer came, or one that the app raised after: Starlette answers 500 and raises all the same.

    ``kind``: ``raised``, ``deadline`` or ``endless``. ``status``: what had been sent by then, 0 for nothing.
    """

    def __init__(self, kind: str, message: str, status: int, traceback: Optional[str] = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = status
        self.traceback = traceback


class LiveCall:
    """What came out of the outermost app, and the ticket that went through it. ``elapsed_ns`` excludes GC."""

    def __init__(self, ticket: Ticket, sink: Sink, elapsed_ns: int, gc_ns: int) -> None:
        self.ticket = ticket
        self.elapsed_ns = elapsed_ns
        self.gc_ns = gc_ns
        self.answer = Answer(sink.status, sink.headers, sink.body)

    @property
    def at_route(self) -> Answer:
        """The answer as it left the route, below every middleware."""
        record = self.ticket.record
        return Answer(record.status, record.headers, b"".join(record.chunks))


async def call_live(
    app: ASGIApp,
    request: Request,
    state: Dict[str, Any],
    *,
    ticket: Optional[Ticket] = None,
    deadline_s: float = 10.0,
) -> LiveCall:
    """Call ``app`` once. Raises CallFailed."""
    ticket = ticket or Ticket()
    sink = Sink(request.body, time.monotonic() + deadline_s)
    scope = request.scope(state)
    scope[SCOPE_KEY] = ticket

    async def timed() -> Tuple[int, int]:
        # Timed in here: what wait_for needs for itself is not the app's.
        gc_before, start = collected_ns(), clock_ns()
        try:
            await app(scope, sink.receive, sink.send)
        except Exception as error:
            # Told apart in here, too: the app may raise a TimeoutError of its own.
            raise _failure(error, sink.status) from error
        return clock_ns() - start, collected_ns() - gc_before

    try:
        elapsed_ns, gc_ns = await asyncio.wait_for(asyncio.ensure_future(timed()), deadline_s)
    except asyncio.TimeoutError:
        what = "no answer" if sink.status == 0 else "no end of the answer"
        raise CallFailed("deadline", f"{what} within {deadline_s:g} s", sink.status) from None
    return LiveCall(ticket, sink, elapsed_ns, gc_ns)


def _failure(error: Exception, status: int) -> CallFailed:
    endless = next((each for each in _with_members(error) if isinstance(each, AnswerTooLong)), None)
    if endless is not None:
        return CallFailed("endless", str(endless), status)
    message = last_line(error)[:LONGEST_MESSAGE]
    if any(isinstance(each, MemoryError) for each in _with_members(error)):
        message = f"{message} ({explain_shortage()})"
    return CallFailed("raised", message, status, app_traceback(error)[-LONGEST_TRACEBACK:])


def _with_members(error: BaseException) -> Iterator[BaseException]:
    """The exception, and those inside where it is a group, as task groups of middleware make them."""
    yield error
    for member in getattr(error, "exceptions", ()):
        yield from _with_members(member)


def header(headers: Sequence[Tuple[bytes, bytes]], name: bytes) -> str:
    """The first header of that name, or an empty string."""
    return next((value.decode("latin-1") for key, value in headers if key == name), "")
