"""``wirespeed load`` once its order is complete: measure, print, keep the record, and the exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from wirespeed.cli.commands import CHECK_FAILED, INTERRUPTED
from wirespeed.cli.failures import tell, warn
from wirespeed.cli.load_order import loaded
from wirespeed.cli.load_plan import LoadOrder
from wirespeed.cli.load_progress import watching
from wirespeed.cli.output import print_json
from wirespeed.errors import MeasurementInvalid, RecordNotSaved, SubjectError, UsageError
from wirespeed.model.load import Load
from wirespeed.model.record import Record
from wirespeed.report.load import print_load
from wirespeed.report.load_layouts import LAYOUTS
from wirespeed.report.terminal import make_console
from wirespeed.store import records

Layout = Callable[[Load], None]


def chosen_layout(output: str | None, *, as_json: bool) -> Layout:
    """How to print the document. Raises ``UsageError``."""
    if output is None:
        return _print_as_json if as_json else _print_as_report
    if as_json:
        raise UsageError("--json and --output both say what to print", advice="Leave out one of them.")
    if output not in LAYOUTS:
        raise UsageError(f"there is no layout {output!r}", advice=f"Layouts are {', '.join(LAYOUTS)}.")
    lines = LAYOUTS[output]
    return lambda load: print("\n".join(lines(load)))


def measure(order: LoadOrder, *, layout: Layout, save: bool) -> int:
    """Put the load on, and return the exit code."""
    with loaded(order, lambda: watching(sys.stderr)) as done:
        layout(done.load)
        if save:
            _save(done.load)
        return exit_code(done.load, server_gone=done.server_gone)


def exit_code(load: Load, *, server_gone: bool) -> int:
    """The first that applies. Errors are a result; a server that answers nothing has failed."""
    if not load.complete:
        return INTERRUPTED
    if server_gone or not load.requests.answered:
        return SubjectError.exit_code
    if not load.validity.valid:
        return MeasurementInvalid.exit_code
    if load.objective is not None and not load.objective.met:
        return CHECK_FAILED
    return 0


def _print_as_json(load: Load) -> None:
    print_json(load.to_json())


def _print_as_report(load: Load) -> None:
    print_load(load, make_console(sys.stdout))


def _save(load: Load) -> None:
    try:
        path = records.save(Record(kind="load", document=load), Path.cwd())
    except RecordNotSaved as error:
        warn(error.message, error.advice)
    else:
        tell(f"The record is in {path}")
