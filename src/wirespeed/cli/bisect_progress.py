"""How a bisection is going, on stderr, for whoever watches a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.progress import Progress
from rich.text import Text

from wirespeed.bisect.story import StepStarted, Told, Watcher
from wirespeed.cli.progress import line_on, remark, step
from wirespeed.report.terminal import make_console
from wirespeed.report.text import clean, counted


@contextmanager
def watching(stream: TextIO) -> Iterator[Watcher]:
    """A watcher that draws on ``stream`` while the block runs; in pipes and files, one that does nothing."""
    if not stream.isatty():
        yield lambda told: None
        return
    with line_on(make_console(stream)) as progress:
        yield _Drawing(progress)


class _Drawing:
    """The bar counts comparisons; beside it stands what the current one does."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("starting", total=None)
        self._step: StepStarted | None = None

    def __call__(self, told: Told) -> None:
        if isinstance(told, StepStarted):
            self._step = told
            self._show("")
            return
        if (said := remark(told)) is not None:
            self._progress.console.print(Text(said, style="dim"))
        if (now := step(told)) is not None:
            self._show(now.text)

    def _show(self, doing: str) -> None:
        if self._step is None:
            self._progress.update(self._task, description=doing)
            return
        done, total = self._step.done, self._step.done + self._step.left
        self._progress.update(
            self._task, description=line(self._step, doing), completed=done, total=total or None
        )


def line(started: StepStarted, doing: str) -> str:
    """``comparing 0.129.0, 0.147.0, 0.165.0: measuring round 3; at most 5 comparisons left``."""
    left = f"; at most {counted(started.left, 'comparison')} left" if started.left else ""
    return clean(started.doing) + (f": {doing}" if doing else "") + left
