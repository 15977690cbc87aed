"""Watching each callable that FastAPI runs for one request: the endpoint and every dependency.

While FastAPI solves dependencies or runs the endpoint, the ``call`` of each dependant is a stand-in that is
equal to the original and hashes like it, so that caches and ``dependency_overrides`` find what they look for,
and that is classified as the original is: plain callables go on running in worker threads, with AnyIO's copy
of the context, coroutines on the loop. For requests that are not being examined it only passes through.
Generators are left alone: they run in two halves, and must not leave their thread anyway.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import inspect
import threading
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

from .encoding import Encoding
from .holds import HoldMeter, Total, in_steps
from .thread_clock import Took, elapsed, read
from .ticket import CURRENT
from .touching import Touched, attributed, note_context, profiled


class Visit:
    """What one callable took in one request; ``took`` is the longest where it ran several times."""

    def __init__(self, call: Any, role: str, generator: bool = False) -> None:
        self.call = call
        self.role = role
        self.generator = generator
        self.in_thread = False
        self.calls = 0
        self.wall_ns = 0
        self.off_cpu_ns = 0
        self.touched = Touched()

    def note(self, took: Took) -> None:
        self.calls += 1
        self.wall_ns = max(self.wall_ns, took.own_ns)
        self.off_cpu_ns = max(self.off_cpu_ns, took.blocked_ns)


class Examined:
    """All that is seen of one request while it is examined; ``profile`` looks closer, and costs time."""

    def __init__(self, profile: bool = False) -> None:
        self.profile = profile
        self.holds = HoldMeter()
        self.visits: Dict[str, Visit] = {}
        """By ``Work.key``, in the order of their first call."""
        self.encoding = Encoding()
        self.validated: Optional[Tuple[Any, Any]] = None
        """(what the endpoint returned, what validation made of it)."""

    def visit(self, call: Any, role: str, generator: bool = False) -> Visit:
        key = key_of(call)
        if key not in self.visits:
            self.visits[key] = Visit(call, role, generator)
        return self.visits[key]


def examined_now() -> Optional[Examined]:
    """What belongs to the request that this task or worker thread is serving, if it is examined."""
    ticket = CURRENT.get()
    return None if ticket is None else ticket.record.examined


def key_of(call: Any) -> str:
    """``module:qualname`` of a function or class; of the class for any other callable object."""
    while isinstance(call, functools.partial):
        call = call.func
    named = call if hasattr(call, "__qualname__") else type(call)
    return f"{named.__module__}:{named.__qualname__}"


# -- stand-ins -----------------------------------------------------------------------------------------------


class _StandIn:
    def __init__(self, call: Any, role: str) -> None:
        self.call = call
        self.role = role
        # Signatures are read through this, where dependency_overrides has FastAPI analyse it again.
        self.__wrapped__ = call

    def __hash__(self) -> int:
        return hash(self.call)

    def __eq__(self, other: object) -> bool:
        return bool(self.call == (other.call if isinstance(other, _StandIn) else other))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["call"], name)


class PlainStandIn(_StandIn):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        examined = examined_now()
        if examined is None:
            return self.call(*args, **kwargs)
        visit = examined.visit(self.call, self.role)
        visit.in_thread = threading.get_ident() != examined.holds.loop_thread
        context = contextvars.copy_context()
        call = profiled(visit.touched, self.call) if examined.profile else self.call
        read()  # opens what the clocks of this thread are read from, which is not the callable's doing
        try:
            with attributed(visit.touched):
                return _timed(visit, call, args, kwargs)
        finally:
            note_context(visit.touched, context)


def _timed(visit: Visit, call: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    start = read()
    try:
        return call(*args, **kwargs)
    finally:
        visit.note(elapsed(start))


class CoroutineStandIn(_StandIn):
    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        examined = examined_now()
        if examined is None:
            return await self.call(*args, **kwargs)
        visit = examined.visit(self.call, self.role)
        awaitable = self.call(*args, **kwargs)
        if not inspect.iscoroutine(awaitable):
            return await awaitable
        total = Total()
        try:
            return await in_steps(awaitable, examined.holds, key_of(self.call), visit.touched, total)
        finally:
            visit.note(total.took)


# -- putting them in place -----------------------------------------------------------------------------------


@contextlib.contextmanager
def dependencies_watched(dependant: Any, examined: Examined) -> Iterator[None]:
    """Stand-ins for all dependencies below ``dependant``."""
    nodes = list(_below(dependant))
    with contextlib.ExitStack() as undo:
        for node in nodes:
            _stand_in(node, "dependency", _is_awaited(node), undo)
        yield
    for node in nodes:
        if _is_generator(node):
            examined.visit(node.call, "dependency", generator=True).calls += 1


@contextlib.contextmanager
def endpoint_watched(dependant: Any, is_coroutine: bool) -> Iterator[None]:
    """A stand-in for the endpoint itself."""
    with contextlib.ExitStack() as undo:
        _stand_in(dependant, "endpoint", is_coroutine, undo)
        yield


def _below(dependant: Any) -> Iterator[Any]:
    for each in dependant.dependencies:
        yield from _below(each)
        yield each


def _stand_in(node: Any, role: str, is_awaited: bool, undo: contextlib.ExitStack) -> None:
    call = node.call
    if isinstance(call, _StandIn) or _is_generator(node):
        return
    undo.callback(setattr, node, "call", call)
    node.call = _stand_in_for(call, role, is_awaited)


_stand_ins: Dict[Tuple[int, str, bool], _StandIn] = {}


def _stand_in_for(call: Any, role: str, is_awaited: bool) -> _StandIn:
    """One for each callable: newer FastAPIs keep what they find out about the callables they have seen."""
    key = (id(call), role, is_awaited)
    if key not in _stand_ins:
        _stand_ins[key] = (CoroutineStandIn if is_awaited else PlainStandIn)(call, role)
    return _stand_ins[key]


def _is_awaited(node: Any) -> bool:
    return _classified(node, "is_coroutine_callable", asyncio.iscoroutinefunction)


def _is_generator(node: Any) -> bool:
    return _classified(node, "is_gen_callable", inspect.isgeneratorfunction) or _classified(
        node, "is_async_gen_callable", inspect.isasyncgenfunction
    )


def _classified(node: Any, question: str, otherwise: Callable[[Any], bool]) -> bool:
    """FastAPI's own answer, wherever this version keeps it: how a callable is run depends on nothing else."""
    from fastapi.dependencies import models, utils

    answer = getattr(node, question, None)
    if answer is None:
        ask = getattr(utils, question, getattr(models, f"_{question}", otherwise))
        answer = ask(node.call)
    return bool(answer)
