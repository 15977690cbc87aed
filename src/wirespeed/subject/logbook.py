"""What a server's processes have told so far, through the file that the agent's ``logbook`` writes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from wirespeed.model.subject import Booted


class Logbook:
    """Everything here is as of the last ``refresh``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self.doing: dict[int, str] = {}
        """What each worker was last about to do, by process id; the latest of them is the last entry."""
        self.started: list[int] = []
        """Process ids of the workers that run the app, in the order they came up."""
        self.booted: Booted | None = None
        """What the first of them reported."""
        self.error: dict[str, Any] | None = None
        """The first one, as the agent tells errors."""
        self.stuck: str | None = None
        """Where a worker was when the time for its start was over."""
        self.missed: Counter[int] = Counter()
        """Answers that did not come from the variant that was asked for, by its index."""

    def refresh(self) -> None:
        with self._path.open("rb") as file:
            file.seek(self._read)
            # A line is written in one piece, but may be read in two.
            whole_lines = file.read().rpartition(b"\n")[0]
        if whole_lines:
            self._read += len(whole_lines) + 1
            for line in whole_lines.splitlines():
                self._take(**json.loads(line))

    def _take(self, pid: int, **entry: Any) -> None:
        for kind, what in entry.items():
            match kind:
                case "doing":
                    self.doing.pop(pid, None)
                    self.doing[pid] = what
                case "started":
                    self.started.append(pid)
                    self.booted = self.booted or Booted.model_validate(what)
                case "error":
                    self.error = self.error or what
                case "stuck":
                    self.stuck = self.stuck or what
                case "missed":
                    self.missed[what] += 1
