"""Measuring an experiment: rounds of fresh processes, until every claim that refers to it is decided.

Rounds, lenses and bounds are those of ``compare``. What differs is when to stop: ``compare`` asks whether an
arm is faster at all, a claim whether it is twelve times as fast. So all arms stay in all rounds, and the
verdicts of the claims decide at each look.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirespeed.errors import WirespeedError
from wirespeed.experiment.events import Booting, Listener, RoundFinished, RoundStarted
from wirespeed.experiment.figures import ByArm
from wirespeed.experiment.rehearsal import Course, rehearse
from wirespeed.experiment.rhythm import SLICE_S, Slice, Turn, round_s
from wirespeed.experiment.rounds import REPEATS, MeasuredRound, one_round
from wirespeed.experiment.sameness import Answer
from wirespeed.experiment.stage import Lens
from wirespeed.experiment.subjects import cast_of, lens_of
from wirespeed.experiment.validity import counts_of, is_surely_failing
from wirespeed.model.comparison_plan import ComparisonPlan
from wirespeed.stats import LOOKS, looks_within

from .casting import Stand
from .judging import ALPHA
from .results import ExperimentResult, NotMeasured
from .suite import MATTERS, Experiment

FEWEST_ROUNDS, FEWEST_QUICK_ROUNDS = 5, 3


@dataclass(frozen=True)
class Effort:
    """How thoroughly to measure, the same for all steps of a run."""

    quick: bool
    seed: int
    pairings: int
    """How often this machine's rounds must be averaged in pairs."""


@dataclass
class Progress:
    """What there is of an experiment, at any time."""

    plan: ComparisonPlan
    course: Course
    answers: Sequence[Answer]
    """One of each arm."""
    stable: bool
    """Whether answers are the same from call to call."""
    began: float
    measured: list[MeasuredRound] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    interrupted: bool = False

    @property
    def kept(self) -> list[ByArm]:
        return [each.arms for each in self.measured if each.kept]


Summary = Callable[[Progress], ExperimentResult]
Settled = Callable[[ExperimentResult], bool]


def measure_experiment(
    experiment: Experiment,
    stand: Stand,
    effort: Effort,
    summary: Summary,
    settled: Settled,
    listener: Listener,
) -> ExperimentResult | NotMeasured:
    """Measure until ``settled``, or the budget is used up. Ctrl-C keeps the rounds that are complete.

    Raises whatever keeps an arm from starting or answering the first time.
    """
    plan, began = comparison_plan(experiment, stand, effort), time.monotonic()
    with cast_of(plan, listener) as cast:
        made_s = time.monotonic() - began
        with lens_of(plan, cast) as lens:
            listener(Booting(", ".join(arm.name for arm in plan.arms)))
            rehearsal = rehearse(lens, plan)
            if rehearsal.course is None:
                return NotMeasured(step=experiment.name, reason="; ".join(rehearsal.reasons))
            left_s = (plan.budget_s or 0.0) + made_s - (time.monotonic() - began)
            course = course_within(rehearsal.course, left_s, effort, experiment.quick_slice)
            answers = [seen.answer for seen in rehearsal.arms]
            progress = Progress(plan, course, answers, not rehearsal.unstable, began)
            _measure_rounds(lens, progress, lambda: settled(summary(progress)), listener)
    return summary(progress)


def comparison_plan(experiment: Experiment, stand: Stand, effort: Effort) -> ComparisonPlan:
    quick_connections = experiment.quick_connections if effort.quick else None
    return ComparisonPlan(
        arms=tuple(map(stand.plan, experiment.arms)),
        lens=experiment.lens,
        connections=quick_connections or experiment.connections,
        metric="mean_time_per_request" if experiment.lens == "load" else "median_service_time",
        margin=MATTERS,
        alpha=ALPHA,
        budget_s=experiment.quick_budget_s if effort.quick else experiment.budget_s,
        max_errors=experiment.max_errors,
        allow_different=experiment.may_differ,
        timeout_s=experiment.timeout_s,
        verify_tls=True,
        seed=effort.seed,
        folder=Path.cwd(),
        pairings=effort.pairings,
    )


def course_within(course: Course, left_s: float, effort: Effort, quick_slice: float) -> Course:
    """How many rounds fit, and when to look. A quick run takes fewer rounds and shorter slices."""
    fewest = (FEWEST_QUICK_ROUNDS if effort.quick else FEWEST_ROUNDS) << effort.pairings
    rhythm, cost_s = course.rhythm, course.round_s
    if effort.quick:
        rhythm = replace(rhythm, turns=tuple(_shorter(turn, quick_slice) for turn in rhythm.turns))
        still = [0.0] * len(rhythm.turns)
        cost_s -= round_s(course.rhythm, still) - round_s(rhythm, still)
    rounds = max(fewest, min(LOOKS[-1], int(left_s / cost_s)))
    return Course(rhythm, looks_within(rounds), cost_s)


def _shorter(turn: Turn, share: float) -> Turn:
    return Slice(max(SLICE_S, share * turn.seconds)) if isinstance(turn, Slice) else turn


def _measure_rounds(lens: Lens, progress: Progress, settled: Callable[[], bool], listener: Listener) -> None:
    """Rounds until all is settled, something makes more of them pointless, or the last look is taken."""
    plan, course = progress.plan, progress.course
    arms, last = range(len(plan.arms)), course.looks[-1]
    statuses = [answer.status for answer in progress.answers]
    for index in range(round(last * (1 + REPEATS))):
        listener(RoundStarted(index + 1, last, (last - len(progress.kept)) * course.round_s))
        try:
            rng = random.Random(f"{plan.seed}/{index}")
            measured = one_round(lens, plan, course, arms, statuses, rng)
        except KeyboardInterrupt:
            progress.interrupted = True
            return
        except WirespeedError as error:
            progress.troubles.append(f"round {index + 1}: {error.message}")
            return
        progress.measured.append(measured)
        progress.troubles += measured.troubles
        listener(RoundFinished(index + 1, last))
        rounds = len(progress.kept)
        if progress.troubles or rounds == last or _is_pointless(progress):
            return
        if rounds in course.looks and settled():
            return


def _is_pointless(progress: Progress) -> bool:
    """Whether too many requests fail for any further round to change it."""
    return any(
        is_surely_failing(counts_of(each.arms[arm] for each in progress.measured), progress.plan.max_errors)
        for arm in range(len(progress.plan.arms))
    )
