"""What a stretch of code took in its thread: time that passed, time computing, time waiting for a core.

What is left of the first is neither the code's work nor the machine's load, if the thread gave up its core of
its own accord at all: it waited for something. Time that a hypervisor gave to others is left too, and no
thread gives up anything then. The kernel counts the wait for a core in ``/proc/thread-self/schedstat``
(second number, nanoseconds), and what was given up in ``ru_nvcsw``; where it keeps no such counts, these
waits cannot be told from any other.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import resource
import threading
import time
from typing import Dict, Iterator, NamedTuple, Optional

from .gcmeter import clock_ns


class Took(NamedTuple):
    """Nanoseconds; also a reading of the three clocks, whose differences are what counts.

    ``wall_ns`` stands still during garbage collection. ``cpu_ns`` does not, so that collecting can hide a
    wait, but never look like one.
    """

    wall_ns: int
    cpu_ns: int
    run_queue_ns: int
    waits: int
    """How often the thread gave up its core; what is more than zero where that is not counted."""

    @property
    def computing_ns(self) -> int:
        return min(self.wall_ns, self.cpu_ns)

    @property
    def blocked_ns(self) -> int:
        return max(0, self.wall_ns - self.cpu_ns - self.run_queue_ns) if self.waits else 0

    @property
    def own_ns(self) -> int:
        """Without what the machine let the thread wait for."""
        return self.computing_ns + self.blocked_ns

    def since(self, earlier: Took) -> Took:
        return Took(*(now - then for now, then in zip(self, earlier)))


NOTHING = Took(0, 0, 0, 0)


def read() -> Took:
    """The clocks of the calling thread, at a start; only to be called inside ``reading()``.

    The time comes last here and first in ``elapsed``: reading the kernel's counts lets other threads have the
    interpreter, and waiting to get it back is not what is timed.
    """
    run_queue_ns, waits = _run_queue_ns(), _waits()
    cpu_ns = time.thread_time_ns()
    return Took(clock_ns(), cpu_ns, run_queue_ns, waits)


def elapsed(start: Took) -> Took:
    """What the calling thread took since it read ``start``."""
    wall_ns = clock_ns()
    cpu_ns = time.thread_time_ns()
    waits = _waits()
    return Took(wall_ns, cpu_ns, _run_queue_ns(), waits).since(start)


_RUSAGE_THREAD: Optional[int] = getattr(resource, "RUSAGE_THREAD", None)
_uncounted = itertools.count()

_counts: Dict[int, int] = {}
"""An open schedstat for each thread that was read, by the thread's id; -1 where there is none."""


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Keeps what ``read`` opens, and closes it at the end."""
    try:
        yield
    finally:
        while _counts:
            _, descriptor = _counts.popitem()
            if descriptor >= 0:
                os.close(descriptor)


def _waits() -> int:
    if _RUSAGE_THREAD is None:
        return next(_uncounted)
    return resource.getrusage(_RUSAGE_THREAD).ru_nvcsw


def _run_queue_ns() -> int:
    thread = threading.get_ident()
    descriptor = _counts.get(thread)
    if descriptor is None:
        descriptor = _counts[thread] = _open_counts()
    if descriptor < 0:
        return 0
    try:
        return int(os.pread(descriptor, 80, 0).split()[1])
    except OSError:
        # A thread that ended gave its id to this one.
        with contextlib.suppress(OSError):
            os.close(descriptor)
        _counts[thread] = _open_counts()
        return 0


def _open_counts() -> int:
    try:
        return os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1
