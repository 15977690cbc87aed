"""The event loop that load runs on: uvloop where it exists, else asyncio's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


def event_loop() -> tuple[Callable[[], asyncio.AbstractEventLoop], str]:
    """A factory for ``asyncio.Runner``, and the name that reports give the loop."""
    try:
        import uvloop
    except ImportError:
        # Not Windows' proactor: connections send on their sockets, which it would not see.
        return asyncio.SelectorEventLoop, "asyncio"
    return uvloop.new_event_loop, "uvloop"
