"""The rounds of a comparison: fresh processes, blocks of turns, one number an arm; until the numbers decide.

What lives here: when a round counts, and when there is no need for another. What it must never know: how
requests are sent.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from wirespeed.errors import SubjectError, WirespeedError
from wirespeed.model.comparison_plan import ComparisonPlan
from wirespeed.model.verdict import Decision
from wirespeed.subject.machine import cpu_ticks, steal_share

from .events import Listener, RoundFinished, RoundStarted
from .figures import ArmRound, ByArm, Sample, log_ratios
from .rehearsal import Course
from .rhythm import Rhythm
from .stage import Lens, Stage
from .stopping import SequentialPlan, decide_sequentially
from .validity import counts_of, is_surely_failing

MOST_STOLEN = 0.1
"""Share of the CPU time that other guests of the host may take in a round that counts. The rule is fixed and
looks at no arm.
"""
MOST_GIVEN_UP = 1
"""Turns of an arm that failures may end in a round; each can take as long as a time-out."""
REPEATS = 0.5
"""How many rounds may be made again because of it, as a share of those planned."""


@dataclass(frozen=True)
class MeasuredRound:
    arms: ByArm
    kept: bool
    troubles: tuple[str, ...]


@dataclass
class Rounds:
    """All that was measured, and what it decides so far."""

    measured: list[MeasuredRound] = field(default_factory=list)
    decisions: dict[int, Decision] = field(default_factory=dict)
    """Of the arms that are decided; these are no longer measured."""
    reasons: list[str] = field(default_factory=list)
    """Why the comparison is invalid, as far as numbers do not show it."""
    interrupted: bool = False

    @property
    def kept(self) -> list[ByArm]:
        """The evidence."""
        return [each.arms for each in self.measured if each.kept]

    def of(self, arm: int) -> list[ArmRound]:
        return [each.arms[arm] for each in self.measured if arm in each.arms]


def procedure(plan: ComparisonPlan, looks: tuple[int, ...]) -> SequentialPlan:
    """Each of the arms has a verdict that is read, so they share α (Bonferroni)."""
    candidates = len(plan.arms) - 1
    return SequentialPlan(
        alpha=plan.alpha / candidates, margin=plan.margin, pairings=plan.pairings, looks=looks
    )


def measure_rounds(
    lens: Lens, plan: ComparisonPlan, course: Course, statuses: Sequence[int], listener: Listener
) -> Rounds:
    """Measure until every arm is decided, something makes it pointless, or the last look is taken.

    ``statuses`` are those that the arms answered with before. Ctrl-C keeps the rounds that are complete.
    """
    rounds, began = Rounds(), time.monotonic()
    last = course.looks[-1]
    for index in range(round(last * (1 + REPEATS))):
        waiting = [arm for arm in range(1, len(plan.arms)) if arm not in rounds.decisions]
        if not waiting or len(rounds.kept) == last or rounds.reasons:
            break
        listener(RoundStarted(index + 1, last))
        try:
            rng = random.Random(f"{plan.seed}/{index}")
            measured = one_round(lens, plan, course, [0, *waiting], statuses, rng)
        except KeyboardInterrupt:
            rounds.interrupted = True
            break
        except WirespeedError as error:
            rounds.reasons.append(f"round {index + 1}: {_in_one_line(error)}")
            break
        rounds.measured.append(measured)
        rounds.reasons += measured.troubles
        _decide(rounds, plan, course, waiting)
        listener(RoundFinished(index + 1, last))
        if _is_pointless(rounds, plan) or _is_out_of_time(rounds, plan, course, began):
            break
    return rounds


def one_round(
    lens: Lens,
    plan: ComparisonPlan,
    course: Course,
    arms: Sequence[int],
    statuses: Sequence[int],
    rng: random.Random,
) -> MeasuredRound:
    """Fresh processes, a warm-up, and every arm's turns. Raises what starting them or losing them raises."""
    ticks = cpu_ticks()
    with lens.stage(arms) as stage:
        for arm in arms:
            stage.warm_up(arm, course.rhythm.warm_up)
        samples = all_blocks(stage, course.rhythm, arms, statuses, rng)
        measured = {arm: ArmRound(tuple(samples[arm]), stage.memory_bytes(arm)) for arm in arms}
        troubles = [
            f"{plan.arms[arm].name}: its server stopped answering; its log may say why"
            for arm in arms
            if is_lost(samples[arm])
        ]
        troubles += stage.troubles()
    now = cpu_ticks()
    stolen = None if now is None else steal_share(now, ticks)
    return MeasuredRound(measured, stolen is None or stolen <= MOST_STOLEN, tuple(troubles))


def all_blocks(
    stage: Stage, rhythm: Rhythm, arms: Sequence[int], statuses: Sequence[int], rng: random.Random
) -> dict[int, list[Sample]]:
    """The arms' samples in the order of the blocks; fewer where an arm is lost."""
    samples: dict[int, list[Sample]] = {arm: [] for arm in arms}
    for order in rhythm.orders(arms, rng):
        for arm in order:
            samples[arm].append(stage.sample(arm, rhythm.turns[arm], statuses[arm]))
            if is_lost(samples[arm]):
                return samples
    return samples


def is_lost(samples: Sequence[Sample]) -> bool:
    return sum(sample.gave_up for sample in samples) > MOST_GIVEN_UP


def _in_one_line(error: WirespeedError) -> str:
    """What went wrong, what the app said last, and what to do: a reason is all that becomes of the error."""
    parts = [error.message]
    if isinstance(error, SubjectError):
        printed = (error.app_traceback or error.output).split("\n")
        parts += [f"it last said {line.strip()!r}" for line in printed if line.strip()][-1:]
    if error.advice:
        parts.append(error.advice)
    return "; ".join(part.rstrip(".") for part in parts)


def _decide(rounds: Rounds, plan: ComparisonPlan, course: Course, waiting: Sequence[int]) -> None:
    sequential = procedure(plan, course.looks)
    for arm in waiting if rounds.kept else ():
        evidence = log_ratios(rounds.kept, arm, plan.metric)
        if evidence is None:
            rounds.reasons.append(f"{plan.arms[arm].name}: a round gave no {plan.metric}")
        elif decision := decide_sequentially(evidence, sequential):
            rounds.decisions[arm] = decision


def _is_pointless(rounds: Rounds, plan: ComparisonPlan) -> bool:
    """Whether too many requests fail for any further round to change it."""
    return any(is_surely_failing(counts_of(rounds.of(arm)), plan.max_errors) for arm in range(len(plan.arms)))


def _is_out_of_time(rounds: Rounds, plan: ComparisonPlan, course: Course, began: float) -> bool:
    """Only right after a look: rounds beyond it would have been measured for nothing."""
    at_look = len(rounds.kept) in course.looks
    return at_look and plan.budget_s is not None and time.monotonic() - began > plan.budget_s
