"""How a run of load is going, on stderr, for whoever watches a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from wirespeed.cli.load_order import Watch
from wirespeed.http.outcomes import Tally
from wirespeed.http.plan import LoadPlan
from wirespeed.report.load import grouped, rate
from wirespeed.report.numbers import duration
from wirespeed.report.terminal import make_console


@contextmanager
def watching(stream: TextIO) -> Iterator[Watch]:
    if not stream.isatty():
        yield lambda plan: None
        return
    with Progress(
        SpinnerColumn(),
        BarColumn(bar_width=24),
        TextColumn("{task.description}", markup=False),
        console=make_console(stream),
        transient=True,
    ) as progress:
        yield lambda plan: _Drawing(progress, plan)


def told(tally: Tally, per_s: float) -> str:
    """``12,345 answers · 2,420/s · p50 20.5 ms · p99 26.0 ms · 2 errors``."""
    histogram = tally.response.histogram
    parts = [f"{grouped(tally.answered)} answers", f"{rate(per_s)}/s"]
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        value_ns = histogram.percentile_ns(share)
        if value_ns is not None and histogram.supports(share):
            parts.append(f"{name} {duration(value_ns)}")
    if tally.failed:
        parts.append(f"{grouped(tally.failed)} errors")
    return " · ".join(parts)


class _Drawing:
    """One bar for one run. The rate is that since the last report."""

    def __init__(self, progress: Progress, plan: LoadPlan) -> None:
        self._progress = progress
        self._plan = plan
        for task in progress.task_ids:
            progress.remove_task(task)
        self._task = progress.add_task("starting", total=plan.requests or plan.duration_s)
        self._answered, self._elapsed_s = 0, 0.0

    def __call__(self, tally: Tally, elapsed_s: float) -> None:
        per_s = (tally.answered - self._answered) / max(1e-9, elapsed_s - self._elapsed_s)
        self._answered, self._elapsed_s = tally.answered, elapsed_s
        done = elapsed_s if self._plan.requests is None else tally.answered + tally.failed
        wanted = "" if self._plan.rate is None else f"{rate(self._plan.rate)}/s due · "
        self._progress.update(self._task, completed=done, description=wanted + told(tally, per_s))
