"""How a replication is going, on stderr, for whoever watches a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.progress import Progress
from rich.text import Text

from wirespeed.cli.progress import line_on, remark, step
from wirespeed.replicate.run import StepStarted, Told, Watcher
from wirespeed.report.numbers import elapsed
from wirespeed.report.terminal import make_console


@contextmanager
def watching(stream: TextIO) -> Iterator[Watcher]:
    """A watcher that draws on ``stream`` while the block runs; in pipes and files, one that does nothing."""
    if not stream.isatty():
        yield lambda told: None
        return
    with line_on(make_console(stream)) as progress:
        yield _Drawing(progress)


class _Drawing:
    """The bar counts steps; beside it stands what the current one does, and the time left."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("starting", total=None)
        self._step: StepStarted | None = None
        self._began = 0.0

    def __call__(self, told: Told) -> None:
        if isinstance(told, StepStarted):
            self._step, self._began = told, time.monotonic()
            self._show("starting")
            return
        if (said := remark(told)) is not None:
            self._progress.console.print(Text(said, style="dim"))
        if (now := step(told)) is not None:
            self._show(now.text)

    def _show(self, doing: str) -> None:
        description, completed, total = doing, 0, None
        if self._step is not None:
            description = line(self._step, doing, time.monotonic() - self._began)
            completed, total = self._step.index - 1, self._step.total
        self._progress.update(self._task, description=description, completed=completed, total=total)


def line(started: StepStarted, doing: str, elapsed_s: float) -> str:
    """``typed-response, one connection: measuring round 3, at most 4 min 5 s left of all``."""
    left_s = max(0.0, started.left_s - elapsed_s)
    short = doing.partition(",")[0]
    return f"{started.suite}, {started.step}: {short}, at most {elapsed(left_s)} left of all"
