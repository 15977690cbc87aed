"""What the processes of a server tell the conductor: how far they are, and what went wrong.

A file and no pipe: workers are children of the server, which lets them inherit nothing of ours.
"""

from __future__ import annotations

import json
import os
from typing import Any


class Logbook:
    """Appends one JSON object a line to the file at ``path``, which the conductor has made."""

    def __init__(self, path: str) -> None:
        self._path = path

    def write(self, **entry: Any) -> None:
        """Safe from any process: an append is written whole, and nothing stays open for a fork to share."""
        line = json.dumps({"pid": os.getpid(), **entry}, separators=(",", ":")).encode() + b"\n"
        fd = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(fd, line)
        finally:
            os.close(fd)

    def doing(self, what: str) -> None:
        """What a hang or a crash from here on is to be blamed on."""
        self.write(doing=what)
