"""One live call of the whole app, with a ticket, a deadline, and everything it showed."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Dict, Optional, Tuple

from .asgi import ASGIApp, RawHeaders, Request, Sink
from .fidelity import Answer
from .gcmeter import clock_ns, collected_ns
from .ticket import CURRENT, SCOPE_KEY, Ticket


class LiveCall:
    """What came out of the outermost app, and the ticket that went through it. ``elapsed_ns`` excludes GC."""

    def __init__(self, ticket: Ticket, sink: Sink, elapsed_ns: int, gc_ns: int) -> None:
        self.ticket = ticket
        self.elapsed_ns = elapsed_ns
        self.gc_ns = gc_ns
        self.answer = Answer(sink.status, sink.headers, sink.body)
        self.chunks = len(sink.chunks)

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
    """Call ``app`` once. Raises ``asyncio.TimeoutError``, ``AnswerTooLong`` or whatever the app raises."""
    ticket = ticket or Ticket()
    sink = Sink(request.body, time.monotonic() + deadline_s)
    scope = request.scope(state)
    scope[SCOPE_KEY] = ticket

    async def timed() -> Tuple[int, int]:
        # Timed in here: what wait_for needs for itself is not the app's.
        CURRENT.set(ticket)
        gc_before, start = collected_ns(), clock_ns()
        await app(scope, sink.receive, sink.send)
        return clock_ns() - start, collected_ns() - gc_before

    elapsed_ns, gc_ns = await asyncio.wait_for(asyncio.ensure_future(timed()), deadline_s)
    return LiveCall(ticket, sink, elapsed_ns, gc_ns)


def header(headers: RawHeaders, name: bytes) -> str:
    """The first header of that name, or an empty string."""
    return next((value.decode("latin-1") for key, value in headers if key == name), "")
