"""Holds of the event loop while an app answers one request: how long, on whose time, and in which line.

Every step of the app's coroutine, and of each task that it starts, is timed by the clocks of its thread
(``wirespeed_agent.holds``). A second thread looks at the loop's stack while a step lasts. Each look belongs
to the time since the one before: as far as the thread did not compute in it, it waited in the line where it
is seen.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import sys
import sysconfig
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wirespeed_agent.holds import HoldMeter, Total, in_steps
from wirespeed_agent.sampler import PLUMBING
from wirespeed_agent.thread_clock import Took

from .shared import Shared

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

LOOKS_A_LIMIT: Final = 5
"""How often a hold that is just as long as the limit is looked at."""

SHORTEST_INTERVAL_S: Final = 0.0005
LONGEST_INTERVAL_S: Final = 0.02


class Line(NamedTuple):
    """A line of a function; ``inner`` is the line of library code that it waits in, if it is not there."""

    filename: str
    line: int
    function: str
    inner: tuple[str, int, str] | None = None


class Hold(NamedTuple):
    """One step, from a suspension of a coroutine to the next. ``waits_in``: where it waited for longest."""

    took: Took
    waits_in: Line | None


class Holds(HoldMeter):
    """All holds of the thread that makes this of ``notable_ns`` or more; nested steps are one hold."""

    def __init__(self, notable_ns: int) -> None:
        super().__init__()
        self.all: list[Hold] = []
        self._notable_ns = notable_ns
        interval_s = notable_ns / 1e9 / LOOKS_A_LIMIT
        self._looking = _Looking(min(LONGEST_INTERVAL_S, max(SHORTEST_INTERVAL_S, interval_s)))

    def enter(self) -> bool:
        entered = super().enter()
        if entered and len(self._inside) == 1:
            self._looking.begin()
        return entered

    def leave(self, key: str | None, took: Took) -> Took:
        own = super().leave(key, took)
        if not self._inside:
            waited_ns = self._looking.end()
            if took.wall_ns >= self._notable_ns:
                longest = max(waited_ns, key=lambda line: waited_ns[line], default=None)
                self.all.append(Hold(took, longest))
        return own

    @contextlib.contextmanager
    def metering(self) -> Iterator[None]:
        """The other thread looks, and tasks that are started from here are timed as well."""
        with self._looking.going_on(), _tasks_held(self):
            yield


# -- tasks ---------------------------------------------------------------------------------------------------

_METER: contextvars.ContextVar[Holds | None] = contextvars.ContextVar("wirespeed_holds", default=None)
"""Inherited by every task that the request starts."""


@contextlib.contextmanager
def _tasks_held(meter: Holds) -> Iterator[None]:
    """Let the tasks that are started in this context be timed by ``meter``; asyncio's only."""
    loop = _running_loop()
    if loop is None:
        yield
        return
    shared = _factories.setdefault(loop, Shared(functools.partial(_factory_placed, weakref.ref(loop))))
    token = _METER.set(meter)
    try:
        with shared:
            yield
    finally:
        _METER.reset(token)


_factories: weakref.WeakKeyDictionary[AbstractEventLoop, Shared] = weakref.WeakKeyDictionary()


@contextlib.contextmanager
def _factory_placed(loop_of: Callable[[], AbstractEventLoop | None]) -> Iterator[None]:
    loop = loop_of()
    assert loop is not None, "the loop runs"
    before = loop.get_task_factory()
    loop.set_task_factory(_factory(before))
    try:
        yield
    finally:
        loop.set_task_factory(before)


def _running_loop() -> AbstractEventLoop | None:
    import asyncio

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _factory(before: Any) -> Callable[..., Any]:
    import asyncio

    def start(loop: AbstractEventLoop, coroutine: Coroutine[Any, Any, Any], **options: Any) -> Any:
        # A task may be given another context than the one that it is started in.
        context = options.get("context")
        meter = _METER.get() if context is None else context.get(_METER)
        if meter is not None:
            coroutine = _stepped(coroutine, meter)
        if before is not None:
            return before(loop, coroutine, **options)
        return asyncio.Task(coroutine, loop=loop, **options)

    return start


async def _stepped(coroutine: Coroutine[Any, Any, Any], meter: Holds) -> Any:
    return await in_steps(coroutine, meter, None, None, Total())


# -- looking -------------------------------------------------------------------------------------------------


class _Looking:
    """A thread that looks where another one is, while that is in a step."""

    def __init__(self, interval_s: float) -> None:
        self._interval_s = interval_s
        self._loop_thread = threading.get_ident()
        self._over = threading.Event()
        self._step = 0
        """Counts the steps; negative between two."""
        self._waited_ns: Counter[Line] = Counter()

    def begin(self) -> None:
        self._waited_ns = Counter()
        self._step = abs(self._step) + 1

    def end(self) -> Counter[Line]:
        self._step = -self._step
        return self._waited_ns

    @contextlib.contextmanager
    def going_on(self) -> Iterator[None]:
        thread = threading.Thread(target=self._look, name="wirespeed-holds", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _look(self) -> None:
        step, before = 0, (0, 0)
        while not self._over.wait(self._interval_s):
            now = time.perf_counter_ns(), _cpu_ns(self._loop_thread)
            current, waited_ns = self._step, self._waited_ns
            if current > 0 and current == step:
                line = _line_of(sys._current_frames().get(self._loop_thread))
                waited = (now[0] - before[0]) - (now[1] - before[1])
                # The step may have ended since: then nobody knows where it was.
                if line is not None and self._step == step:
                    waited_ns[line] += max(0, waited)
            step, before = current, now


def _cpu_ns(thread: int) -> int:
    """CPU time of a thread of this process; 0 where the system does not tell."""
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    return 0 if clock_of is None else time.clock_gettime_ns(clock_of(thread))


def _line_of(innermost: FrameType | None) -> Line | None:
    """The innermost line of the user's own code; of any that is not plumbing where none is the user's."""
    frames = [frame for frame in _below_us(innermost) if not PLUMBING.search(frame.f_code.co_filename)]
    named = next(filter(_is_own, frames), frames[0] if frames else None)
    if named is None or innermost is None:
        return None
    inner = None if named is innermost else _named(innermost)
    return Line(*_named(named), inner=inner)


def _below_us(frame: FrameType | None) -> Iterator[FrameType]:
    """From the inside out, up to where we call the app; what is beyond that is the test."""
    while frame is not None and not frame.f_code.co_filename.startswith(_OUR_FOLDER):
        yield frame
        frame = frame.f_back


def _named(frame: FrameType) -> tuple[str, int, str]:
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_qualname


_OUR_FOLDER: Final = __file__.rpartition("/")[0] + "/"
_LIBRARIES: Final = tuple({sysconfig.get_paths()[name] + "/" for name in ("stdlib", "purelib", "platlib")})


def _is_own(frame: FrameType) -> bool:
    filename = frame.f_code.co_filename
    return not (filename.startswith(("<", *_LIBRARIES)) or "/site-packages/" in filename)
