"""JSON lines to and from an agent, under a deadline. Knows bytes and time, nothing of agents."""

from __future__ import annotations

import json
import os
import selectors
import time
from typing import Any

from wirespeed.interruption import current

_READ_BYTES = 1 << 18


class LinePipes:
    """Our ends of the two pipes.

    ``deadline`` is a reading of ``time.monotonic()``. Past it, TimeoutError is raised; EOFError where the
    other end has closed.
    """

    def __init__(self, commands_fd: int, answers_fd: int) -> None:
        os.set_blocking(commands_fd, False)
        os.set_blocking(answers_fd, False)
        self._commands_fd = commands_fd
        self._answers_fd = answers_fd
        self._unfinished = bytearray()

    def send(self, message: dict[str, Any], deadline: float) -> None:
        """Write one message, however slowly the other side takes it."""
        rest = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        while rest:
            _await(self._commands_fd, selectors.EVENT_WRITE, deadline)
            try:
                rest = rest[os.write(self._commands_fd, rest) :]
            except BrokenPipeError as error:
                raise EOFError from error

    def receive(self, deadline: float) -> dict[str, Any]:
        """The next message."""
        searched = 0
        while (end := self._unfinished.find(b"\n", searched)) < 0:
            searched = len(self._unfinished)
            self._unfinished += self._read(deadline)
        message: dict[str, Any] = json.loads(self._unfinished[:end])
        del self._unfinished[: end + 1]
        return message

    def _read(self, deadline: float) -> bytes:
        _await(self._answers_fd, selectors.EVENT_READ, deadline)
        read = os.read(self._answers_fd, _READ_BYTES)
        if not read:
            raise EOFError
        return read

    def close(self) -> None:
        os.close(self._commands_fd)
        os.close(self._answers_fd)


def _await(fd: int, event: int, deadline: float) -> None:
    """Raises KeyboardInterrupt, too, where this thread's measurement is to end."""
    interruption = current()
    with selectors.DefaultSelector() as selector:
        selector.register(fd, event)
        if interruption is not None:
            selector.register(interruption.fileno(), selectors.EVENT_READ)
        if not selector.select(max(0.0, deadline - time.monotonic())):
            raise TimeoutError
    if interruption is not None:
        interruption.check()
