"""``wirespeed load`` once its order is complete: measure, print, keep the record, and the exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from wirespeed.cli.commands import CHECK_FAILED, INTERRUPTED
from wirespeed.cli.failures import tell, warn
from wirespeed.cli.load_plan import LoadOrder
from wirespeed.cli.load_progress import Watch, watching
from wirespeed.cli.output import print_json
from wirespeed.errors import MeasurementInvalid, RecordNotSaved, SubjectError, UsageError
from wirespeed.http.engine import Measured
from wirespeed.http.event_loop import event_loop
from wirespeed.http.plan import LoadPlan
from wirespeed.http.processes import run_load
from wirespeed.http.search import Trial, best_of, search
from wirespeed.http.summary import summarize
from wirespeed.http.target import Target
from wirespeed.model.load import Load
from wirespeed.model.record import Record
from wirespeed.report.load import print_load
from wirespeed.report.load_layouts import LAYOUTS
from wirespeed.report.terminal import make_console
from wirespeed.store import records
from wirespeed.subject.machine import cpu_ticks, environment
from wirespeed.subject.server import ServedApp, served

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
    if order.app is None:
        return _measure(order, order.target(), layout, save)
    with served(order.app.app, order.app.server) as app:
        return _measure(order, order.target(app.base_url), layout, save, app)


def _measure(
    order: LoadOrder, target: Target, layout: Layout, save: bool, app: ServedApp | None = None
) -> int:
    ticks, (_, loop_name) = cpu_ticks(), event_loop()
    before = environment(loop_name)
    with watching(sys.stderr) as watch:
        plan, measured, trials = _measured(order, target, watch)
    # The load average before the run: afterwards it is our own.
    machine = environment(loop_name, ticks).model_copy(update={"load_1m": before.load_1m})
    load = summarize(target, plan, measured, machine, order.objective, trials)
    if app is not None:
        load = load.model_copy(update={"app": app.subject.app, "notes": tuple(_notes(app))})
    layout(load)
    if save:
        _save(load)
    return exit_code(load, server_gone=measured.server_gone)


def _notes(app: ServedApp) -> Iterator[str]:
    # Where the server itself is gone, that is an error of its own, and the workers are no news.
    if app.alive() and app.restarts():
        yield (
            f"a process of {app.server.name} ended, or was started again, during the run: "
            "its requests are among the errors"
        )


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


def _measured(order: LoadOrder, target: Target, watch: Watch) -> tuple[LoadPlan, Measured, tuple[Trial, ...]]:
    """The plan that was carried out, what came of it, and the trials of a search, if it was one."""

    def run(plan: LoadPlan) -> Measured:
        return run_load(target, plan, watch(plan))

    if order.rates is None or order.objective is None:
        return order.plan, run(order.plan), ()
    trials = search(order.plan, *order.rates, order.objective, run)
    best = best_of(trials)
    return best.plan, best.measured, tuple(trials)


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
