"""Searching for the highest rate that meets an objective.

The rates are halved on a logarithmic scale, each tried in an open loop. Whether a rate meets the objective is
taken to be monotone: near the edge, where chance decides, the answer is as good as one trial.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

from wirespeed.http.engine import Measured
from wirespeed.http.objective import Finding, Objective, judge
from wirespeed.http.plan import LoadPlan

PRECISION = 1.05
"""The search ends when the lowest rate that failed is this close to the highest that did not."""
_SPARE = 1.2


@dataclass(frozen=True)
class Trial:
    plan: LoadPlan
    measured: Measured
    finding: Finding


def search(
    plan: LoadPlan,
    lowest: float,
    highest: float,
    objective: Objective,
    measure: Callable[[LoadPlan], Measured],
) -> list[Trial]:
    """All trials in order. ``measure`` runs a plan; when somebody stops it, the search ends too."""
    trials: list[Trial] = []
    rates = rates_to_try(lowest, highest)
    rate = next(rates)
    while True:
        trial_plan = replace(plan, rate=rate, duration_s=_long_enough_s(plan, rate, objective))
        measured = measure(trial_plan)
        trials.append(Trial(trial_plan, measured, judge(measured.tally, objective)))
        if measured.stopped_early or measured.server_gone:
            return trials
        try:
            rate = rates.send(trials[-1].finding.met)
        except StopIteration:
            return trials


def best_of(trials: list[Trial]) -> Trial:
    """The highest rate that met the objective; the lowest rate tried where none did."""
    met = [trial for trial in trials if trial.finding.met]
    return max(met, key=_rate_of) if met else min(trials, key=_rate_of)


def rates_to_try(lowest: float, highest: float) -> Generator[float, bool, None]:
    """Yields rates, and is sent whether each met the objective."""
    if not (yield lowest) or highest <= lowest:
        return
    if (yield highest):
        return
    while highest > lowest * PRECISION:
        middle = math.sqrt(lowest * highest)
        if (yield middle):
            lowest = middle
        else:
            highest = middle


def _long_enough_s(plan: LoadPlan, rate: float, objective: Objective) -> float:
    assert plan.duration_s is not None
    return max(plan.duration_s, objective.samples * _SPARE / rate)


def _rate_of(trial: Trial) -> float:
    assert trial.plan.rate is not None
    return trial.plan.rate
