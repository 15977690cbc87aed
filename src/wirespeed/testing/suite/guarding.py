"""A replay runs the user's validators, serializers and response classes, after the tests have taken their
mocks away. What would reach outside the process is stopped before it happens, and makes the replay invalid.

An audit hook cannot be removed: it is added when measuring begins, after the last test, and looks at nothing
but what this module's own context runs.
"""

from __future__ import annotations

import contextlib
import contextvars
import sys
from collections.abc import Iterator
from typing import Any

from wirespeed_agent.watch import EVENTS

_OUTSIDE = {*EVENTS, "socket.getaddrinfo", "sqlite3.connect"}

_guarded: contextvars.ContextVar[bool] = contextvars.ContextVar("wirespeed_guarded", default=False)
_is_installed = False


class ReachedOutside(Exception):
    """Code that a replay ran wanted to do what cannot be taken back."""


@contextlib.contextmanager
def nothing_outside() -> Iterator[None]:
    """While active, this task and the worker threads it uses touch no file, socket, process or database.

    What they try raises ReachedOutside in them. Reading files is allowed.
    """
    global _is_installed
    if not _is_installed:
        sys.addaudithook(_hook)
        _is_installed = True
    token = _guarded.set(True)
    try:
        yield
    finally:
        _guarded.reset(token)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if event in _OUTSIDE and _guarded.get():
        describe = EVENTS.get(event)
        what = event if describe is None else describe(args)
        if what is not None:
            raise ReachedOutside(f"serializing it reaches outside: {what}")
