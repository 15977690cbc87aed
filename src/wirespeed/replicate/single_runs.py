"""The method of the original: one process, every arm once, one after the other; then the same once more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from wirespeed.experiment.events import Booting, Listener, RoundFinished, RoundStarted
from wirespeed.http.engine import Measured
from wirespeed.http.plan import LoadPlan
from wirespeed.http.processes import run_load
from wirespeed.http.target import Target, parse_target
from wirespeed.model.comparison_plan import HostedApp
from wirespeed.subject.server import ServedApp, served

from .casting import Stand, request_of
from .results import ArmFigures, SingleRunsResult
from .suite import Arm, SingleRuns


def run_singly(step: SingleRuns, stand: Stand, *, quick: bool, listener: Listener) -> SingleRunsResult:
    """Raises whatever keeps an arm from starting; ``KeyboardInterrupt`` where a run was ended early."""
    began, total = time.monotonic(), step.repeats * len(step.arms)
    plan = _load_plan(step, quick=quick)
    runs: list[list[ArmFigures]] = []
    with ExitStack() as stack:
        listener(Booting(", ".join(arm.name for arm in step.arms)))
        theatre = _Theatre(stack, stand, listener)
        for index, (repeat, arm) in enumerate(_order(step)):
            if repeat == len(runs):
                runs.append([])
            listener(RoundStarted(index + 1, total))
            runs[repeat].append(_one_run(arm, theatre.target(arm), plan, step))
            time.sleep(0.0 if quick else step.rest_s)
            listener(RoundFinished(index + 1, total))
    elapsed_s = time.monotonic() - began
    return SingleRunsResult(
        step=step.name,
        connections=step.connections,
        runs=tuple(map(tuple, runs)),
        elapsed_s=elapsed_s,
    )


def _order(step: SingleRuns) -> Iterator[tuple[int, Arm]]:
    return ((repeat, arm) for repeat in range(step.repeats) for arm in step.arms)


@dataclass
class _Theatre:
    """Servers, each started once, and then left running as in the original."""

    stack: ExitStack
    stand: Stand
    listener: Listener

    def __post_init__(self) -> None:
        self._running: list[tuple[HostedApp, ServedApp]] = []

    def target(self, arm: Arm) -> Target:
        return parse_target(self._server(arm).base_url, requests=[(request_of(arm), 1)])

    def _server(self, arm: Arm) -> ServedApp:
        wanted = self.stand.hosted(arm)
        for hosted, running in self._running:
            if hosted == wanted:
                return running
        subject = self.stand.subject(arm, self.listener)
        started = self.stack.enter_context(served(subject, wanted.server))
        self._running.append((wanted, started))
        return started


def _load_plan(step: SingleRuns, *, quick: bool) -> LoadPlan:
    requests, duration_s = step.requests, step.duration_s
    if quick:
        requests, duration_s = step.quick_requests or requests, step.quick_duration_s or duration_s
    return LoadPlan(
        connections=step.connections, requests=requests, duration_s=duration_s, timeout_s=step.timeout_s
    )


def _one_run(arm: Arm, target: Target, plan: LoadPlan, step: SingleRuns) -> ArmFigures:
    if step.warm_up:
        run_load(target, LoadPlan(1, step.warm_up, None, timeout_s=step.timeout_s))
    measured = run_load(target, plan)
    if measured.stopped_early:
        raise KeyboardInterrupt
    return figures_of_run(arm.name, measured)


def figures_of_run(name: str, measured: Measured) -> ArmFigures:
    """What tools print after a run; but requests without an answer are in the times, as lower bounds."""
    tally = measured.tally
    times, failed = tally.response.histogram, {kind.value: n for kind, n in tally.errors.items() if n}
    refused = {f"status {status}": n for status, n in sorted(tally.status.items()) if status >= 400}
    return ArmFigures(
        name=name,
        requests=tally.sent,
        answered=tally.answered,
        errors={**failed, **refused},
        mean_ns=times.mean_ns,
        median_ns=times.percentile_ns(0.5),
        stdev_ns=times.stdev_ns,
        p95_ns=times.percentile_ns(0.95) if times.supports(0.95) else None,
        p99_ns=times.percentile_ns(0.99) if times.supports(0.99) else None,
        max_ns=times.max_ns,
        censored_above_ns=tally.response.censored_above_ns,
        requests_per_s=tally.answered / measured.duration_s if measured.duration_s else None,
    )
