"""A closer look at a few live calls: what each callable does, what holds the loop, what is built and encoded.

It costs more than the marks of ``seams``, so these calls give facts and no figures for phases, and all of it
is in place only while ``examining()`` is active.
"""

from __future__ import annotations

import contextlib
import types
from typing import Any, Awaitable, Callable, Dict, Iterator, List, Optional

from .asgi import Receive, Request, Scope, Send
from .encoding import Encoding, encoding_watched
from .holds import held
from .live import LiveCall
from .seams import watching
from .thread_clock import reading
from .ticket import CURRENT, Ticket
from .watch import hook_once
from .workbench import Workbench
from .works import Examined, dependencies_watched, endpoint_watched, examined_now


async def examine(bench: Workbench, request: Request, deadline_s: float, profile: bool = False) -> LiveCall:
    """One live call whose ticket's record has ``examined`` filled. Raises CallFailed."""
    examined = Examined(profile)
    examined.encoding.owns = bench.owns
    ticket = Ticket()
    ticket.record.examined = examined

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await held(bench.session.app(scope, receive, send), examined.holds)

    return await bench.call(request, deadline_s, ticket=ticket, app=app)


@contextlib.contextmanager
def examining() -> Iterator[None]:
    """While active, ``examine`` sees everything; other calls pass through."""
    from fastapi import _compat, routing

    hook_once()
    with contextlib.ExitStack() as stack:
        stack.enter_context(watching())
        stack.enter_context(reading())
        stack.enter_context(encoding_watched(_encoding_now))
        watchers: Dict[str, Callable[[Any], Any]] = {
            "solve_dependencies": _examine_dependencies,
            "run_endpoint_function": _examine_endpoint,
        }
        for name, watcher in watchers.items():
            original = getattr(routing, name)
            stack.callback(setattr, routing, name, original)
            setattr(routing, name, watcher(original))
        validate = vars(_compat.ModelField).get("validate")
        # With Pydantic 1 it is compiled, and nothing can be put in its place.
        if isinstance(validate, types.FunctionType):
            stack.callback(setattr, _compat.ModelField, "validate", validate)
            _compat.ModelField.validate = _examine_validation(validate)  # type: ignore[method-assign]
        yield


def _encoding_now() -> Optional[Encoding]:
    examined = examined_now()
    return None if examined is None else examined.encoding


def _examine_dependencies(original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def solve_dependencies(**arguments: Any) -> Any:
        examined = examined_now()
        if examined is None:
            return await original(**arguments)
        with dependencies_watched(arguments["dependant"], examined):
            return await original(**arguments)

    return solve_dependencies


def _examine_endpoint(original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def run_endpoint_function(**arguments: Any) -> Any:
        examined = examined_now()
        if examined is None:
            return await original(**arguments)
        examined.encoding.in_endpoint = True
        try:
            with endpoint_watched(arguments["dependant"], arguments["is_coroutine"]):
                return await original(**arguments)
        finally:
            examined.encoding.in_endpoint = False

    return run_endpoint_function


def _examine_validation(original: Callable[..., Any]) -> Callable[..., Any]:
    def validate(field: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(field, value, *args, **kwargs)
        ticket = CURRENT.get()
        if ticket is not None and ticket.record.examined is not None and ticket.record.called:
            ticket.record.examined.validated = (value, result[0])
        return result

    return validate


def all_examined(calls: List[LiveCall]) -> List[Examined]:
    return [call.ticket.record.examined for call in calls if call.ticket.record.examined is not None]
