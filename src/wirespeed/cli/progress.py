"""What is going on, on stderr, for whoever watches a terminal. Nobody else hears of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn
from rich.text import Text

from wirespeed.experiment.events import (
    Booting,
    Event,
    Listed,
    Listener,
    Noted,
    ProbeFinished,
    ProbeStarted,
    RoundFinished,
    RoundStarted,
    ScreenFinished,
    ScreenStarted,
    ignore,
)
from wirespeed.report.numbers import elapsed
from wirespeed.report.terminal import make_console
from wirespeed.report.text import abbreviated, clean

LONGEST_REQUEST = 48


@dataclass(frozen=True)
class Step:
    """One state of the progress line. ``total`` is None where no end can be told."""

    text: str
    done: int = 0
    total: int | None = None


@contextmanager
def watching(stream: TextIO) -> Iterator[Listener]:
    """A listener that draws on ``stream`` while the block runs; in pipes and files, one that does nothing."""
    if not stream.isatty():
        yield ignore
        return
    with line_on(make_console(stream)) as line:
        yield _Drawing(line)


def step(event: Event) -> Step | None:
    """The progress line after an event, None where it stays as it is."""
    match event:
        case Booting(app):
            return Step(f"starting {clean(app)}")
        case Listed(endpoints, skipped):
            return Step(f"{endpoints} to call, {skipped} left alone", total=endpoints)
        case ProbeStarted(request, index, total):
            return Step(f"looking at {_short(request)}", index - 1, total)
        case ScreenStarted(request, index, total):
            return Step(f"trying remedies on {_short(request)}", index - 1, total)
        case RoundStarted(index, total, eta_s):
            left = "" if eta_s is None else f", {elapsed(eta_s)} left"
            return Step(f"measuring round {index}{left}", index - 1, total)
        case RoundFinished(index, total):
            return Step(f"measured round {index}", index, total)
        case ProbeFinished() | ScreenFinished() | Noted():
            return None


def remark(event: Event) -> str | None:
    """What stays on the screen after an event."""
    match event:
        case ProbeFinished(request, note) if note is not None:
            return f"{_short(request)}: {clean(note)}"
        case Noted(text):
            return clean(text)
        case _:
            return None


class _Drawing:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID = progress.add_task("starting", total=None)

    def __call__(self, event: Event) -> None:
        if (said := remark(event)) is not None:
            self._progress.console.print(Text(said, style="dim"))
        if (now := step(event)) is not None:
            self._progress.update(self._task, description=now.text, completed=now.done, total=now.total)


def line_on(console: Console) -> Progress:
    """The line that all commands draw: a bar, how many of how many, and what is going on."""
    return Progress(
        SpinnerColumn(),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
        console=console,
        transient=True,
    )


def _short(request: str) -> str:
    return abbreviated(clean(request), LONGEST_REQUEST)
