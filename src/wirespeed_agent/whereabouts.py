"""Where the app is right now, told from another thread while its event loop does not answer.

Two ways to be stuck: the main thread is inside the app's code (a blocking call), or the loop is idle and
the app awaits something that never comes. The first shows in the main thread's stack, the second
only in the chains of suspended coroutines.
"""

from __future__ import annotations

import asyncio
import gc
import os
import selectors
import sys
import threading
import traceback
import types
from typing import Any, Iterator, List, Optional, Tuple

from .tracebacks import is_ours, without_plumbing

_LOOP_FILES = (os.path.dirname(os.path.abspath(asyncio.__file__)) + os.sep, selectors.__file__)

Line = Tuple[types.FrameType, int]


def whereabouts(loop: Optional[asyncio.AbstractEventLoop]) -> str:
    """The frames of the app that hold the main thread, else those that its tasks wait in; may be empty."""
    running = _app_frames(_main_thread_stack())
    if running or loop is None:
        return "".join(running.format())
    waiting = (_app_frames(_await_chain(task.get_coro())) for task in asyncio.all_tasks(loop))
    return "\n".join("".join(frames.format()) for frames in waiting if frames)


def _main_thread_stack() -> List[Line]:
    """Outermost first, from below the agent's innermost frame on."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    stack: List[Line] = []
    while frame is not None and not is_ours(frame.f_code.co_filename):
        stack.append((frame, frame.f_lineno))
        frame = frame.f_back
    return stack[::-1]


def _await_chain(awaited: Any) -> List[Line]:
    return [(frame, frame.f_lineno) for frame in _suspended_frames(awaited)]


def _suspended_frames(awaited: Any) -> Iterator[types.FrameType]:
    while awaited is not None:
        frame, awaited = _step(awaited)
        if frame is not None:
            yield frame


def _step(awaited: Any) -> Tuple[Any, Any]:
    """The frame that ``awaited`` is suspended in, and what that frame awaits in turn."""
    if isinstance(awaited, types.CoroutineType):
        return awaited.cr_frame, awaited.cr_await
    if isinstance(awaited, types.GeneratorType):
        return awaited.gi_frame, awaited.gi_yieldfrom
    if isinstance(awaited, types.AsyncGeneratorType):
        return awaited.ag_frame, awaited.ag_await
    # ``anext(generator)``, as @asynccontextmanager uses it, hides its generator from all but the collector.
    behind = (o for o in gc.get_referents(awaited) if isinstance(o, types.AsyncGeneratorType))
    return None, next(behind, None)


def _app_frames(stack: List[Line]) -> traceback.StackSummary:
    frames = traceback.StackSummary.extract(iter(stack))
    return without_plumbing(f for f in frames if not f.filename.startswith(_LOOP_FILES))
