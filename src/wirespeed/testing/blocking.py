"""``assert_no_blocking``: nothing waits while it holds the event loop."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Unpack

from .calls import Options, Request, call_of
from .failing import definition, place, told
from .quantities import duration_ns
from .sending import Observer, Passed, send, send_async
from .shared import Shared

if TYPE_CHECKING:
    from wirespeed_agent.asgi import ASGIApp, Receive, Scope, Send
    from wirespeed_agent.ticket import Ticket

    from .holding import Hold, Line

MEND: Final = (
    "await it: an async client for what it waits for, or `await run_in_threadpool(…)` around the call;\n"
    "or make the endpoint a `def`, which FastAPI runs in a thread"
)


@dataclass(frozen=True)
class LoopHeld:
    """The longest time that one request held the event loop without a break, in nanoseconds.

    ``blocked_ns`` of it passed while the loop's thread waited for something, ``computing_ns`` on the CPU; the
    two may be of different holds. Waiting for a core that others use is neither. Holds that are shorter than
    ``longest`` count as none.
    """

    blocked_ns: int
    computing_ns: int


def assert_no_blocking(
    app: object,
    request: Request | None = None,
    /,
    *,
    longest: str = "10ms",
    lifespan: bool = False,
    **options: Unpack[Options],
) -> LoopHeld:
    """Fail if the request makes the event loop wait: if it is held for ``longest`` without using the CPU.

    One request alone does not notice a ``time.sleep``, a query or an HTTP call that is not awaited. But while
    it waits, the loop stands still for all others. Holds are measured by the clocks of the loop's thread, so
    there is no list of functions that block. Computing is told apart, and not what fails here: the same work
    takes another time on another machine. Look at ``computing_ns`` of what this returns.

    A first request may import modules and fill caches, which waits for files: send one before, or take it as
    the finding that it is.

    Inside a coroutine ``await assert_no_blocking_async(...)``; see ``assert_fast_path`` for apps, clients and
    requests. On trio, tasks that the request starts are seen only where they lead to an endpoint. Raises
    AssertionError, UsageError, and whatever the app raises.
    """
    __tracebackhide__ = True
    call, longest_ns = call_of(request, options), duration_ns(longest)
    holds: list[Hold] = []
    with _watched:
        passed = send(app, call, lifespan=lifespan, observer=_meter(longest_ns, holds))
    return _check(passed, holds, longest_ns)


async def assert_no_blocking_async(
    app: object,
    request: Request | None = None,
    /,
    *,
    longest: str = "10ms",
    lifespan: bool = False,
    **options: Unpack[Options],
) -> LoopHeld:
    """As ``assert_no_blocking``, in the event loop that runs."""
    __tracebackhide__ = True
    call, longest_ns = call_of(request, options), duration_ns(longest)
    holds: list[Hold] = []
    with _watched:
        passed = await send_async(app, call, lifespan=lifespan, observer=_meter(longest_ns, holds))
    return _check(passed, holds, longest_ns)


def _meter(longest_ns: int, holds: list[Hold]) -> Observer:
    """Puts the holds of each request that is sent into ``holds``."""
    from wirespeed_agent.holds import held
    from wirespeed_agent.works import Examined

    from .holding import Holds

    def observer(app: ASGIApp, ticket: Ticket) -> ASGIApp:
        async def metered(scope: Scope, receive: Receive, send: Send) -> None:
            meter = Holds(longest_ns)
            ticket.record.examined = Examined()
            # The route runs in a task of its own below BaseHTTPMiddleware; there the seams time it.
            ticket.record.examined.holds = meter
            with meter.metering():
                await held(app(scope, receive, send), meter)
            holds.extend(meter.all)

        return metered

    return observer


def _check(passed: Passed, holds: list[Hold], longest_ns: int) -> LoopHeld:
    __tracebackhide__ = True
    computing_ns = max((hold.took.computing_ns for hold in holds), default=0)
    worst = max(holds, key=lambda hold: hold.took.blocked_ns, default=None)
    if worst is None or worst.took.blocked_ns < longest_ns:
        return LoopHeld(0 if worst is None else worst.took.blocked_ns, computing_ns)
    from wirespeed.report.numbers import duration

    took = worst.took
    others = sum(hold.took.blocked_ns >= longest_ns for hold in holds) - 1
    raise AssertionError(
        told(
            f"{passed.name} holds the event loop for {duration(took.wall_ns)}, and waits for "
            f"{duration(took.blocked_ns)} of it; at most {duration(longest_ns)} are allowed (WS201)",
            ("where", _where(worst.waits_in, passed)),
            ("besides", _besides(others, computing_ns, longest_ns)),
            ("mend", MEND),
            ("more", "wirespeed rule WS201"),
        )
    )


def _where(line: Line | None, passed: Passed) -> str | None:
    if line is None:
        from wirespeed_agent.seams import reached_route

        found = reached_route(passed.ticket.record.scope)
        endpoint = None if found is None else definition(found.endpoint)
        return f"in C code that lets no other thread look, below {endpoint or 'code around the route'}"
    named = f"{place(line.filename, line.line)}  {line.function}"
    if line.inner is None:
        return named
    filename, number, function = line.inner
    return f"{named}\nwaits in {place(filename, number)}  {function}"


def _besides(others: int, computing_ns: int, longest_ns: int) -> str | None:
    from wirespeed.report.numbers import duration

    told_too = [f"{others} more such holds"] if others else []
    if computing_ns >= longest_ns:
        told_too.append(f"a hold that computes for {duration(computing_ns)}, which is not what fails here")
    return "; ".join(told_too) or None


@contextlib.contextmanager
def _clocks() -> Iterator[None]:
    from wirespeed_agent.seams import every_route_shadowed
    from wirespeed_agent.thread_clock import reading

    with reading(), every_route_shadowed():
        yield


_watched = Shared(_clocks)
