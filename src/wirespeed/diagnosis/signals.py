"""Signals that must not end this process between changing the user's files and proving the change."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Signals that would end this process wait until the block has ended."""
    waiting = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *ENDING_SIGNALS})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, waiting)


@contextlib.contextmanager
def ending_as_ctrl_c() -> Iterator[None]:
    """While the block runs, what would end this process at once raises KeyboardInterrupt, as Ctrl-C does."""
    before = {number: signal.signal(number, _interrupt) for number in ENDING_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
