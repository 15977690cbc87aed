"""Replay: the response path alone, again and again, from one captured value.

A replay enters at the route, below the user's middleware, with the scope a live call had there. Dependencies
and endpoint are replaced by what they gave once: the value, and the status and headers they had set by the
time the endpoint returned. So a noisy 40 ms query cannot hide 9 ms of serialization, and nothing of the
user's runs twice.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from .asgi import ASGIApp, RawHeaders, Sink
from .fidelity import Answer, Comparison, compare
from .gcmeter import clock_ns
from .routes import FoundRoute
from .seams import observe, watching
from .ticket import SCOPE_KEY, Record, Ticket
from .tracebacks import last_line
from .variants import UNCHANGED, build, byte_dumper, rebuild, set_call

MOST_WATCHED = 7
FEWEST_WATCHED = 3
WATCHED_NS = 50_000_000
"""Replays with the marks on, once a round: seven, or fewer where they take longer than this."""


class ReplayFailed(Exception):
    """The route raised when it was given the captured value; says what."""


class Captured:
    """What one live call gave: enough to answer again without the user's code."""

    def __init__(self, record: Record, at_route: Answer) -> None:
        self.value = record.value
        self.is_coroutine = record.is_coroutine
        self.extra_headers: RawHeaders = list(record.extra_headers)
        self.extra_status = record.extra_status
        self.at_route = at_route
        self._scope = {key: value for key, value in record.scope.items() if key != SCOPE_KEY}

    def scope(self) -> Dict[str, Any]:
        """The scope as it was at the route's door; its exit stacks are empty, as the answer was sent."""
        return dict(self._scope)


class Replay:
    """One arm of the response path: ``app`` answers from the captured value."""

    def __init__(self, captured: Captured, app: ASGIApp) -> None:
        self.captured = captured
        self.app = app

    async def answer(self) -> Answer:
        """One untimed call. Raises ReplayFailed."""
        sink = Sink()
        try:
            await self.app(self.captured.scope(), sink.receive, sink.send)
        except Exception as error:
            raise ReplayFailed(last_line(error)) from error
        return Answer(sink.status, sink.headers, sink.body)

    async def watched_calls(self) -> List[Tuple[int, int]]:
        """(whole replay, response path) in nanoseconds of a few calls, after one to warm up."""
        with watching():
            first, _ = await self._watched_call()
            count = max(FEWEST_WATCHED, min(MOST_WATCHED, WATCHED_NS // max(1, first)))
            return [await self._watched_call() for _ in range(count)]

    async def _watched_call(self) -> Tuple[int, int]:
        ticket, sink = Ticket(), Sink()
        scope = self.captured.scope()
        start = clock_ns()
        await observe(ticket, self.app, scope, sink.receive, sink.send)
        return clock_ns() - start, ticket.record.response_path_ns


async def compare_replays(baseline: Replay, arm: Replay) -> Comparison:
    """What clients would see of ``arm``. Raises ReplayFailed.

    The baseline answers anew: arms before may have changed the value, where validating it does that.
    """
    return compare(await baseline.answer(), await arm.answer())


def replay_of(found: FoundRoute, captured: Captured, change: Mapping[str, Any]) -> Replay:
    """The arm that makes ``change``; raises what FastAPI or Pydantic raise when it cannot be made."""
    clone = build(found, change)
    dumper = byte_dumper(found, clone, change)
    call = _give_back(captured, dumper)
    set_call(clone, call, response_parameter="response" if _sets_anything(captured) else None)
    return Replay(captured, rebuild(clone))


def floor_of(found: FoundRoute, captured: Captured) -> Replay:
    """The same answer with its bytes ready: no remedy of the response path is faster."""
    from starlette.responses import Response

    answer = captured.at_route
    headers = [(name, value) for name, value in answer.headers if name != b"content-length"]

    def ready() -> Any:
        response = Response(answer.body, status_code=answer.status)
        response.raw_headers.extend(headers)
        return response

    clone = build(found, UNCHANGED)
    set_call(clone, _as_endpoint(ready, captured.is_coroutine), response_parameter=None)
    return Replay(captured, rebuild(clone))


def _sets_anything(captured: Captured) -> bool:
    return bool(captured.extra_headers) or captured.extra_status is not None


def _give_back(captured: Captured, dumper: Optional[Callable[[Any], Any]]) -> Callable[..., Any]:
    def value() -> Any:
        return captured.value if dumper is None else dumper(captured.value)

    if not _sets_anything(captured):
        return _as_endpoint(value, captured.is_coroutine)

    def value_and_headers(response: Any) -> Any:
        given = value()
        # A ready response is sent as it is, so what the endpoint set must go on it; else FastAPI copies it.
        target = given if dumper is not None else response
        target.headers.raw.extend(captured.extra_headers)
        if captured.extra_status is not None:
            target.status_code = captured.extra_status
        return given

    return _as_endpoint(value_and_headers, captured.is_coroutine)


def _as_endpoint(call: Callable[..., Any], is_coroutine: bool) -> Callable[..., Any]:
    """``def`` endpoints run in a worker thread, so their replay must be ``def`` too."""
    if not is_coroutine:
        return call

    async def endpoint(**values: Any) -> Any:
        return call(**values)

    return endpoint
