"""Ending a measurement from another thread, just as Ctrl-C ends it from the terminal.

Only a process's main thread hears of Ctrl-C, and it may be busy with somebody's event loop. Whoever runs a
measurement elsewhere makes an ``Interruption`` current there; whatever waits for long then waits for it, too.
It is delivered once: as a KeyboardInterrupt, or to the innermost ``calling`` block, which knows a gentler
way.
This file must never know what is interrupted.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Self

_CHECKED_EVERY_S = 0.1


class Interruption:
    """May be asked for from any thread, and reaches the one that it was made current in."""

    def __init__(self) -> None:
        # A lock for each change: the two threads see them in one order.
        self._lock = threading.RLock()
        self._pending = False
        self._actions: list[Callable[[], object]] = []
        self._reading, self._writing = os.pipe()

    def __enter__(self) -> Self:
        self._before = _current.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.reset(self._before)

    def interrupt(self) -> None:
        """Ask the measurement to end, with what there is."""
        with self._lock:
            if self._actions:
                self._actions[-1]()
            elif not self._pending:
                self._pending = True
                os.write(self._writing, b"!")

    def check(self) -> None:
        """Raises KeyboardInterrupt, once, where the measurement is to end."""
        with self._lock:
            if not self._pending:
                return
            self._take()
        raise KeyboardInterrupt

    def fileno(self) -> int:
        """A file that can be read from as long as ``check`` would raise."""
        return self._reading

    @contextmanager
    def calling(self, action: Callable[[], object]) -> Iterator[None]:
        """``action`` is called in place of raising, from the thread that asks."""
        with self._lock:
            self._actions.append(action)
            if self._pending:
                self._take()
                action()
        try:
            yield
        finally:
            with self._lock:
                self._actions.remove(action)

    def close(self) -> None:
        os.close(self._reading)
        os.close(self._writing)

    def _take(self) -> None:
        self._pending = False
        os.read(self._reading, 1)


_current: ContextVar[Interruption | None] = ContextVar("interruption", default=None)


def current() -> Interruption | None:
    """That of this thread; None where Ctrl-C will do, or nothing."""
    return _current.get()


def check() -> None:
    """Raises KeyboardInterrupt where this thread's measurement is to end."""
    interruption = _current.get()
    if interruption is not None:
        interruption.check()


def run_command(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, without input; ended with this thread's measurement."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            while True:
                try:
                    out, err = process.communicate(timeout=_CHECKED_EVERY_S)
                except subprocess.TimeoutExpired:
                    check()
                else:
                    return subprocess.CompletedProcess(command, process.returncode, out, err)
        except BaseException:
            process.kill()
            raise
