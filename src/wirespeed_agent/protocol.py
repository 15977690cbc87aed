"""JSON lines between conductor and agent, over two pipes that belong to nobody else.

Knows how lines travel, never what they mean. The app may print, fork and start processes as it likes: the
pipes are closed in everything it starts, so no child can write to them or keep them open.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any, Callable, Dict, NoReturn, Optional

from .lifeline import die_now


class Channel:
    """The agent's ends of the two pipes."""

    def __init__(self, in_fd: int, out_fd: int) -> None:
        self._in_fd = in_fd
        self._out_fd: Optional[int] = out_fd
        self._writing = threading.Lock()
        os.set_inheritable(in_fd, False)
        os.set_inheritable(out_fd, False)
        os.register_at_fork(after_in_child=self._forget)

    def send(self, message: Dict[str, Any]) -> None:
        """Write one line; safe from any thread. Raises ``TypeError`` for what JSON cannot say."""
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        if self._out_fd is None:
            _end_forked_child()
        with self._writing:
            self._write(self._out_fd, line)

    def doing(self, what: str) -> None:
        """Tell the conductor what a hang or a crash from here on is to be blamed on."""
        self.send({"event": "doing", "what": what})

    def listen(self, deliver: Callable[[Dict[str, Any]], None]) -> None:
        """Hand every command to ``deliver``, on a thread of its own; when the pipe ends, so does all."""
        threading.Thread(target=self._listen, args=(deliver,), name="wirespeed-commands", daemon=True).start()

    def _listen(self, deliver: Callable[[Dict[str, Any]], None]) -> None:
        with open(self._in_fd, "rb", closefd=False) as commands:
            for line in commands:
                deliver(json.loads(line))
        die_now()

    def _write(self, fd: int, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(fd, rest) :]
        except BrokenPipeError:
            die_now()

    def _forget(self) -> None:
        """In a forked child: the pipes are the parent's, and their numbers may soon name other files."""
        if self._out_fd is not None:
            os.close(self._in_fd)
            os.close(self._out_fd)
        self._out_fd = None


def _end_forked_child() -> NoReturn:
    """A child of the app that comes back to the agent's code, as after ``sys.exit``, has done its work."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
