"""Carrying out one ``load``: its app started first, where it has one; then the document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from wirespeed.cli.load_plan import LoadOrder
from wirespeed.http.engine import Measured
from wirespeed.http.event_loop import event_loop
from wirespeed.http.housekeeping import Listener
from wirespeed.http.plan import LoadPlan
from wirespeed.http.processes import run_load
from wirespeed.http.search import Trial, best_of, search
from wirespeed.http.summary import summarize
from wirespeed.http.target import Target
from wirespeed.model.load import Load
from wirespeed.subject.machine import cpu_ticks, environment
from wirespeed.subject.server import ServedApp, served

Watch = Callable[[LoadPlan], Listener | None]
"""Gives the listener for a plan about to be run; None where nobody watches."""
Watching = Callable[[], AbstractContextManager[Watch]]


@dataclass(frozen=True)
class Loaded:
    load: Load
    server_gone: bool
    """The run was ended because the server was there no more."""


@contextmanager
def loaded(order: LoadOrder, watching: Watching) -> Iterator[Loaded]:
    """What came of an order. Its app runs until the block ends, which raises SubjectDied if it has died."""
    if order.app is None:
        yield _loaded(order, order.target(), watching)
        return
    with served(order.app.app, order.app.server) as app:
        yield _loaded(order, order.target(app.base_url), watching, app)


def _loaded(order: LoadOrder, target: Target, watching: Watching, app: ServedApp | None = None) -> Loaded:
    ticks, (_, loop_name) = cpu_ticks(), event_loop()
    before = environment(loop_name)
    with watching() as watch:
        plan, measured, trials = _measured(order, target, watch)
    # The load average before the run: afterwards it is our own.
    machine = environment(loop_name, ticks).model_copy(update={"load_1m": before.load_1m})
    load = summarize(target, plan, measured, machine, order.objective, trials)
    if app is not None:
        load = load.model_copy(update={"app": app.subject.app, "notes": tuple(_notes(app))})
    return Loaded(load, measured.server_gone)


def _notes(app: ServedApp) -> Iterator[str]:
    # Where the server itself is gone, that is an error of its own, and the workers are no news.
    if app.alive() and app.restarts():
        yield (
            f"a process of {app.server.name} ended, or was started again, during the run: "
            "its requests are among the errors"
        )


def _measured(order: LoadOrder, target: Target, watch: Watch) -> tuple[LoadPlan, Measured, tuple[Trial, ...]]:
    """The plan that was carried out, what came of it, and the trials of a search, if it was one."""

    def run(plan: LoadPlan) -> Measured:
        return run_load(target, plan, watch(plan))

    if order.rates is None or order.objective is None:
        return order.plan, run(order.plan), ()
    trials = search(order.plan, *order.rates, order.objective, run)
    best = best_of(trials)
    return best.plan, best.measured, tuple(trials)
