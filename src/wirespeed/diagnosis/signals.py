"""Signals that must not end this process between changing the user's files and proving the change."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """What would interrupt or end this process waits until the block has ended. For the main thread."""
    received: list[int] = []
    # Not by a mask: another thread would take the signal, and Python run its handler in this one.
    with _handling((signal.SIGINT, *ENDING_SIGNALS), lambda number, frame: received.append(number)):
        yield
    if received:
        signal.raise_signal(received[0])


@contextlib.contextmanager
def ending_as_ctrl_c() -> Iterator[None]:
    """While the block runs, what would end this process at once raises KeyboardInterrupt, as Ctrl-C does."""
    with _handling(ENDING_SIGNALS, _interrupt):
        yield


@contextlib.contextmanager
def _handling(
    numbers: Sequence[signal.Signals], handler: Callable[[int, FrameType | None], object]
) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
