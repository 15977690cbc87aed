"""Where a measurement runs, and what becomes of what it gives: the same for all functions of the API.

A thread that runs somebody's event loop cannot run another one, so there the measurement gets a thread of its
own. Ctrl-C is passed on to it; it ends what it has started, and KeyboardInterrupt is raised.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from wirespeed.errors import RecordNotSaved
from wirespeed.interruption import Interruption, current
from wirespeed.model.record import Record
from wirespeed.store import records

T = TypeVar("T")
_CHECKED_EVERY_S = 0.1


def run(measure: Callable[[], T]) -> T:
    """``measure()``, in this thread where that can be."""
    if current() is not None or not _has_running_loop():
        return measure()
    interruption = Interruption()
    try:
        return _result_of(started_aside(measure, interruption), interruption)
    finally:
        interruption.close()


def _result_of(running: Future[T], interruption: Interruption) -> T:
    """Ctrl-C is a KeyboardInterrupt here; where ``asyncio.run`` has taken it over, our task is cancelled."""
    task = asyncio.current_task()
    cancelled = 0 if task is None else task.cancelling()
    while True:
        try:
            return running.result(timeout=_CHECKED_EVERY_S)
        except (TimeoutError, KeyboardInterrupt) as error:
            if running.done():
                raise
            is_asked = isinstance(error, KeyboardInterrupt)
        if is_asked or (task is not None and task.cancelling() > cancelled):
            interruption.interrupt()


def started_aside(measure: Callable[[], T], interruption: Interruption) -> Future[T]:
    """``measure()`` in a thread of its own, which ``interruption`` can end."""

    def whole() -> T:
        with interruption:
            return measure()

    executor = ThreadPoolExecutor(1, thread_name_prefix="wirespeed")
    try:
        return executor.submit(whole)
    finally:
        executor.shutdown(wait=False)


def finished(record: Record, folder: Path, *, complete: bool, save: bool) -> None:
    """Keep the record where that is asked for; raise KeyboardInterrupt where one ended it early."""
    if save:
        try:
            records.save(record, folder)
        except RecordNotSaved as error:
            # What was measured stands, and is worth more than its copy on the disk.
            warnings.warn(error.message, RuntimeWarning, stacklevel=4)
    if not complete:
        raise KeyboardInterrupt


def _has_running_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
