"""Where a slow request's time goes: a thread looks at the stacks once a millisecond.

A sample is the stack that holds the request up: the loop's thread while it computes, else a busy worker
thread, else the chain of coroutines that waits. What ran before the sampler did (a heartbeat, a consumer of a
queue) is not the request. ``hottest`` is pure and decides from the samples which function to name.
"""

from __future__ import annotations

import asyncio
import collections
import re
import sys
import threading
from types import CodeType, FrameType
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

INTERVAL_S = 0.001

FEWEST_SAMPLES = 10
"""Fewer say nothing about shares."""

NOTABLE_SHARE = 0.3
"""Below this no single function is where the time goes."""

_WAITING = (
    r"/(asyncio|anyio|concurrent|uvloop)/|/(contextlib|threading|selectors|queue|contextvars)\.py$"
    r"|^<frozen|^uvloop|^<string>"
)
WAITING = re.compile(_WAITING)
"""Code in which whoever called it waits."""

PLUMBING = re.compile(
    _WAITING
    + r"|/wirespeed_agent/|/starlette/(applications|routing|concurrency|_exception_handler|_utils)\.py$"
    r"|/starlette/middleware/|/fastapi/middleware/"
    r"|/fastapi/(applications|routing|concurrency|telemetry)\.py$|/fastapi/dependencies/"
)
"""Code that only passes a request on. What stands below it in a stack is what the time is spent for."""


WORKERS = re.compile(r"/anyio/|/concurrent/futures/thread\.py$")
"""Where a thread that works for others runs its jobs."""


class Place(NamedTuple):
    """A function in a stack, and the line it was at."""

    filename: str
    name: str
    line: int


Stack = List[Place]
"""Outermost first."""


class HotFrame(NamedTuple):
    share: float
    place: Place


def hottest(stacks: Sequence[Stack], is_own: Callable[[str], bool]) -> Optional[HotFrame]:
    """The function to name: the deepest that half of the samples go through, else the most frequent one.

    ``is_own`` tells the user's files from libraries'. Of a stack counts what comes after the last plumbing,
    that at its end apart (``asyncio.sleep`` is waited for by somebody); there the user's functions, or if
    there are none the first library function (``jsonable_encoder`` rather than its recursion).
    """
    if len(stacks) < FEWEST_SAMPLES:
        return None
    through: Dict[Tuple[str, str], int] = collections.Counter()
    depth: Dict[Tuple[str, str], int] = collections.Counter()
    lines: Dict[Tuple[str, str], Dict[int, int]] = collections.defaultdict(collections.Counter)
    for stack in stacks:
        blamed = {(place.filename, place.name): place.line for place in _blamed(stack, is_own)}
        for position, (key, line) in enumerate(blamed.items()):
            through[key] += 1
            depth[key] += position
            lines[key][line] += 1
    if not through:
        return None
    half = [key for key, count in through.items() if count >= len(stacks) / 2]
    key = max(half, key=lambda k: depth[k] / through[k]) if half else max(through, key=lambda k: through[k])
    share = through[key] / len(stacks)
    line = max(lines[key], key=lambda number: lines[key][number])
    return HotFrame(share, Place(key[0], key[1], line)) if share >= NOTABLE_SHARE else None


def _blamed(stack: Stack, is_own: Callable[[str], bool]) -> Stack:
    end = len(stack)
    while end and WAITING.search(stack[end - 1].filename):
        end -= 1
    begin = max((i + 1 for i in range(end) if PLUMBING.search(stack[i].filename)), default=0)
    own = [place for place in stack[begin:end] if is_own(place.filename)]
    return own or stack[begin : min(begin + 1, end)]


class Sampler:
    """Context manager: collects the stacks of the loop that runs in the entering thread."""

    def __init__(self) -> None:
        self.stacks: List[Stack] = []
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._older_tasks = asyncio.all_tasks(self._loop)
        self._older_jobs = {None, *map(_job_in, sys._current_frames().values())}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="wirespeed-sampler", daemon=True)
        self._switch_interval = sys.getswitchinterval()

    def __enter__(self) -> Sampler:
        # With the usual 5 ms a computing thread would let us look only every fifth time.
        sys.setswitchinterval(INTERVAL_S / 2)
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stop.set()
        self._thread.join()
        sys.setswitchinterval(self._switch_interval)

    def _sample(self) -> None:
        while not self._stop.wait(INTERVAL_S):
            stack = self._look()
            if stack:
                self.stacks.append(stack)

    def _look(self) -> Stack:
        frames = sys._current_frames()
        on_loop = _stack_of(frames[self._loop_thread])
        if on_loop and not PLUMBING.search(on_loop[-1].filename):
            return on_loop
        for identity, frame in frames.items():
            if identity not in (self._loop_thread, threading.get_ident()) and self._is_busy(frame):
                return _stack_of(frame)
        return self._waiting() or on_loop

    def _is_busy(self, frame: FrameType) -> bool:
        """Whether a thread works for the request, and does not itself wait for something."""
        return _job_in(frame) not in self._older_jobs and not PLUMBING.search(frame.f_code.co_filename)

    def _waiting(self) -> Stack:
        """The deepest chain of coroutines among the loop's newer tasks."""
        try:
            tasks = asyncio.all_tasks(self._loop)
        except RuntimeError:
            # The set of tasks changed while it was copied: no sample this time.
            return []
        chains = [_chain(task.get_coro()) for task in tasks - self._older_tasks]
        return max(chains, key=len, default=[])


def _stack_of(frame: Optional[FrameType]) -> Stack:
    stack: Stack = []
    while frame is not None:
        stack.append(_place(frame.f_code, frame.f_lineno))
        frame = frame.f_back
    stack.reverse()
    return stack


def _place(code: CodeType, line: Optional[int]) -> Place:
    return Place(code.co_filename, code.co_name, line or code.co_firstlineno)


def _job_in(frame: Optional[FrameType]) -> Optional[FrameType]:
    """The outermost frame of what a worker thread of AnyIO or of an executor is at; else None."""
    job = None
    while frame is not None:
        if frame.f_code.co_name == "run" and WORKERS.search(frame.f_code.co_filename):
            return job
        job, frame = frame, frame.f_back
    return None


def _chain(coroutine: Any) -> Stack:
    """What a suspended coroutine waits in, outermost first."""
    stack: Stack = []
    while coroutine is not None and len(stack) < 200:
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
        if frame is not None:
            stack.append(_place(frame.f_code, frame.f_lineno))
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)
    return stack
