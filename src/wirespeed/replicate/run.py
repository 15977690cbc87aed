"""``replicate``: every step of every suite, measured or remembered; then the document. An outline."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from wirespeed.errors import SubjectError, WirespeedError
from wirespeed.experiment.events import Event, Listener
from wirespeed.model.replication import Replication
from wirespeed.subject.machine import cpu_ticks

from .casting import Stand, stand_of
from .document import Circumstances, replication_document
from .experiments import Effort, measure_experiment
from .fingerprint import fingerprint
from .inspections import inspect
from .judging import is_settled, ratios_of
from .results import NotMeasured, Result, SuiteResults
from .single_runs import run_singly
from .suite import Experiment, Inspection, SingleRuns, Step, Suite
from .summary import summarize


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A step of a suite begins; ``index`` counts from 1 to ``total``, over all suites.

    ``left_s``: about how long it and all later ones take, if none ends before its budget.
    """

    suite: str
    step: str
    index: int
    total: int
    left_s: float


Told = StepStarted | Event
Watcher = Callable[[Told], None]


@dataclass(frozen=True)
class Order:
    """What is asked for, complete."""

    suites: tuple[Suite, ...]
    effort: Effort
    python: Path
    """Runs the apps; it has what they need."""


class Memory(Protocol):
    """Where results of steps outlive an interruption."""

    def recall(self, key: str) -> Result | None: ...
    def keep(self, key: str, result: Result) -> None: ...


@dataclass(frozen=True)
class _Piece:
    suite: Suite
    step: Step
    key: str


@dataclass(frozen=True)
class Outcome:
    """The document, and by suite the raw numbers behind it."""

    document: Replication
    evidence: dict[str, Any]


def replicate(order: Order, memory: Memory, watcher: Watcher) -> Outcome:
    """Measure every step that the memory has no result of, and judge all claims.

    Ctrl-C ends it: what is complete by then is in the document, and in the memory for the next time. A step
    that fails is told as such, and leaves its claims undecided.
    """
    started, ticks = time.monotonic(), cpu_ticks()
    pieces = _pieces(order)
    known = {piece.key: memory.recall(piece.key) for piece in pieces}
    missing = [piece for piece in pieces if known[piece.key] is None]
    interrupted = False
    for index, piece in enumerate(missing):
        left_s = sum(budget_s(each.step, quick=order.effort.quick) for each in missing[index:])
        watcher(StepStarted(piece.suite.name, piece.step.name, index + 1, len(missing), left_s))
        try:
            result = measured(piece.suite, piece.step, order, watcher)
        except KeyboardInterrupt:
            interrupted = True
            break
        known[piece.key] = result
        if getattr(result, "complete", True) is False:
            interrupted = True
            break
        if not isinstance(result, NotMeasured):
            memory.keep(piece.key, result)
    circumstances = Circumstances(order.effort, ticks, time.monotonic() - started, not interrupted)
    found = _results(pieces, known)
    evidence = {suite.name: results.model_dump(mode="json") for suite, results in found}
    return Outcome(replication_document(found, circumstances), evidence)


def measured(suite: Suite, step: Step, order: Order, listener: Listener) -> Result:
    """One step, by what it is."""
    if order.effort.quick and not step.in_quick:
        return NotMeasured(step=step.name, reason="left out of a quick run")
    try:
        with stand_of(suite.app, order.python, step.companion) as stand:
            return _measured(suite, step, stand, order.effort, listener)
    except WirespeedError as error:
        return NotMeasured(step=step.name, reason=_why(error))


def _why(error: WirespeedError) -> str:
    """With the last line of what the app said, if it did."""
    if not isinstance(error, SubjectError):
        return error.message
    said = (error.app_traceback or error.output).strip()
    return f"{error.message} ({said.splitlines()[-1].strip()})" if said else error.message


def _measured(suite: Suite, step: Step, stand: Stand, effort: Effort, listener: Listener) -> Result:
    match step:
        case Experiment():
            metrics = [ratio.metric for ratio in ratios_of(suite, step.name)]
            return measure_experiment(
                step,
                stand,
                effort,
                summary=lambda progress: summarize(progress, step.name, metrics),
                settled=lambda result: is_settled(suite, result),
                listener=listener,
            )
        case SingleRuns():
            return run_singly(step, stand, quick=effort.quick, listener=listener)
        case Inspection():
            return inspect(step, stand, listener)


def budget_s(step: Step, *, quick: bool) -> float:
    """About how long a step takes at the most."""
    if quick and not step.in_quick:
        return 0.0
    match step:
        case Experiment():
            return step.quick_budget_s if quick else step.budget_s
        case SingleRuns():
            guessed_s = QUICK_RUN_S if quick else RUN_S
            duration_s = (step.quick_duration_s if quick else None) or step.duration_s or guessed_s
            return step.repeats * len(step.arms) * (duration_s + (0.0 if quick else step.rest_s))
        case Inspection():
            return INSPECTION_S


RUN_S, QUICK_RUN_S, INSPECTION_S = 3.0, 0.5, 2.0
"""Guesses, for the time left, where only the requests are given."""


def _pieces(order: Order) -> list[_Piece]:
    return [
        _Piece(suite, step, fingerprint(suite, step, order.python, order.effort))
        for suite in order.suites
        for step in suite.steps
    ]


def _results(pieces: Sequence[_Piece], known: dict[str, Result | None]) -> list[tuple[Suite, SuiteResults]]:
    found: dict[str, tuple[Suite, list[Result]]] = {}
    for piece in pieces:
        _, results = found.setdefault(piece.suite.name, (piece.suite, []))
        if (result := known[piece.key]) is not None:
            results.append(result)
    return [(suite, SuiteResults(steps=tuple(results))) for suite, results in found.values()]
