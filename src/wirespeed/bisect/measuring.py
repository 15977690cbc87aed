"""The rounds of one comparison: fresh processes of all its releases, until what it asks is settled.

What lives here: when its rounds end. What rounds mean is decided in ``search``.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from wirespeed.errors import WirespeedError
from wirespeed.experiment.design import FEWEST_ROUNDS, rounds_within
from wirespeed.experiment.events import Listener, RoundFinished, RoundStarted
from wirespeed.experiment.figures import ArmRound, log_ratios
from wirespeed.experiment.rehearsal import Course
from wirespeed.experiment.rhythm import rhythm_of_runs, round_s
from wirespeed.experiment.rounds import REPEATS, MeasuredRound, one_round
from wirespeed.experiment.stage import Lens
from wirespeed.experiment.validity import counts_of, error_reasons, is_surely_failing
from wirespeed.model.comparison_plan import ComparisonPlan
from wirespeed.stats import LOOKS, looks_within

from .changes import Change, Evidence
from .search import Compare, Compared
from .trial import Trial


@dataclass
class Measured:
    task: Compare
    course: Course
    rounds: list[MeasuredRound] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    """Why it is invalid."""
    interrupted: bool = False

    @property
    def kept(self) -> int:
        return sum(each.kept for each in self.rounds)

    @property
    def is_at_look(self) -> bool:
        return self.kept in self.course.looks

    @property
    def compared(self) -> Compared:
        return Compared(self.task, self._changes(), self.kept)

    @property
    def is_settled(self) -> bool:
        changes = self._changes()
        return changes is not None and self.task.is_settled(changes)

    def of(self, arm: int) -> list[ArmRound]:
        return [each.arms[arm] for each in self.rounds]

    def _changes(self) -> tuple[Change, ...] | None:
        kept = [each.arms for each in self.rounds if each.kept]
        others = range(1, len(self.task.arms))
        found = [log_ratios(kept, arm, "median_service_time") or [] for arm in others]
        return self.task.changes(Evidence(tuple(found)), self.course.looks)


def course_of(trials: Sequence[Trial], left_s: float, pairings: int) -> Course:
    """How the rounds of releases will be made that were tried out, in about ``left_s``."""
    call_ns = [trial.call_ns for trial in trials]
    start_s = sum(trial.start_s for trial in trials)
    rhythm = rhythm_of_runs(call_ns, start_s)
    cost_s = start_s + round_s(rhythm, call_ns)
    rounds = rounds_within(left_s, cost_s, FEWEST_ROUNDS << pairings, LOOKS[-1])
    return Course(rhythm, looks_within(rounds), cost_s)


def measure(
    lens: Lens,
    plan: ComparisonPlan,
    task: Compare,
    trials: Sequence[Trial],
    budget_s: float,
    listener: Listener,
) -> Measured:
    """One comparison. ``lens``, ``plan`` and ``trials`` are those of the task's arms, in their order.

    Ctrl-C keeps the rounds that are complete.
    """
    ends_at = time.monotonic() + budget_s
    measured = Measured(task, course_of(trials, budget_s, plan.pairings))
    last = measured.course.looks[-1]
    statuses = [trial.answer.status for trial in trials]
    for index in range(round(last * (1 + REPEATS))):
        if _is_over(measured, plan, ends_at):
            break
        listener(RoundStarted(index + 1, last))
        try:
            rng = random.Random(f"{plan.seed}/{task.arms}/{index}")
            done = one_round(lens, plan, measured.course, range(len(trials)), statuses, rng)
        except KeyboardInterrupt:
            measured.interrupted = True
            break
        except WirespeedError as error:
            measured.reasons.append(f"round {index + 1}: {error.message}")
            break
        measured.rounds.append(done)
        measured.reasons += done.troubles
        listener(RoundFinished(index + 1, last))
    measured.reasons += _errors(measured, plan)
    return measured


def _is_over(measured: Measured, plan: ComparisonPlan, ends_at: float) -> bool:
    if measured.reasons or measured.kept == measured.course.looks[-1]:
        return True
    counts = [counts_of(measured.of(arm)) for arm in range(len(plan.arms))]
    if any(is_surely_failing(each, plan.max_errors) for each in counts):
        return True
    return measured.is_at_look and (measured.is_settled or time.monotonic() > ends_at)


def _errors(measured: Measured, plan: ComparisonPlan) -> list[str]:
    return [
        reason
        for number, arm in enumerate(plan.arms)
        for reason in error_reasons(arm.name, counts_of(measured.of(number)), plan.max_errors)
    ]
