"""Round 0, which is no evidence: do all arms start, answer, and answer alike; and what will a round cost?

Everything that decides how rounds are made is fixed here, before the first of them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from wirespeed.model.advice import Difference
from wirespeed.model.comparison_plan import ComparisonPlan
from wirespeed.stats import LOOKS, looks_within

from .design import FEWEST_ROUNDS, rounds_within
from .rhythm import Rhythm, rhythm_of_runs, rhythm_of_slices, round_s, run_of
from .sameness import Answer, differences, unstable_places
from .stage import Lens, Stage
from .validity import ERROR_STATUS, difference_reasons, status_reasons

ANSWERS = 3
"""Of each arm, to see what changes from call to call."""
PILOT_BLOCKS, FEWEST_PILOT_BLOCKS = 24, 8
"""Blocks that show how much blocks spread on this machine, and of how few it is not worth while."""
PILOT_NS = 300_000_000
"""Longest time an arm may take in them."""
NORMAL_QUARTILES = 1.349
"""Distance between the quartiles of a normal distribution, in standard deviations."""
MOST_DIFFERENCES = 5


@dataclass(frozen=True)
class Seen:
    """What an arm answers, and where it differs from the baseline's answer: the first few places."""

    answer: Answer
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class Course:
    """How rounds will be made."""

    rhythm: Rhythm
    looks: tuple[int, ...]
    """Rounds after which a verdict may be read."""
    round_s: float
    """About how long a round takes."""


@dataclass(frozen=True)
class Rehearsal:
    arms: tuple[Seen, ...]
    unstable: tuple[str, ...]
    """Where answers change from call to call; not compared."""
    reasons: tuple[str, ...]
    """Why the comparison is invalid already."""
    course: Course | None
    """None where there are reasons."""


def rehearse(lens: Lens, plan: ComparisonPlan) -> Rehearsal:
    """Start every arm once. Raises whatever keeps one from starting or answering."""
    began = time.monotonic()
    with lens.stage(range(len(plan.arms))) as stage:
        start_s = time.monotonic() - began
        seen, unstable = _look_at(stage, plan)
        reasons = tuple(_reasons(plan, seen))
        if reasons:
            return Rehearsal(seen, unstable, reasons, None)
        call_ns = [stage.call_ns(arm) for arm in range(len(plan.arms))]
        spread = None if plan.lens == "load" else _block_spread(stage, seen, call_ns)
        ends = time.monotonic()
    start_s += time.monotonic() - ends
    left_s = None if plan.budget_s is None else plan.budget_s - (time.monotonic() - began)
    return Rehearsal(seen, unstable, (), _course(plan, call_ns, spread, start_s, left_s))


def _look_at(stage: Stage, plan: ComparisonPlan) -> tuple[tuple[Seen, ...], tuple[str, ...]]:
    answers = [_answers(stage, arm) for arm in range(len(plan.arms))]
    unstable = unstable_places(answers)
    baseline = answers[0][0]
    seen = [
        Seen(first, tuple(islice(differences(baseline, first, unstable), MOST_DIFFERENCES)))
        for first, *_ in answers
    ]
    return tuple(seen), unstable


def _answers(stage: Stage, arm: int) -> list[Answer]:
    """After an error there is nothing more to see, and servers often close the connection with it."""
    first = stage.answers(arm, 1)
    return first if first[0].status >= ERROR_STATUS else first + stage.answers(arm, ANSWERS - 1)


def _reasons(plan: ComparisonPlan, seen: Sequence[Seen]) -> Iterator[str]:
    for arm, each in zip(plan.arms, seen, strict=True):
        yield from status_reasons(arm.name, each.answer.status)
        if not plan.allow_different:
            yield from difference_reasons(arm.name, plan.arms[0].name, each.differences)


def _block_spread(stage: Stage, seen: Sequence[Seen], call_ns: Sequence[float]) -> float | None:
    """Standard deviation of a block's log ratio, from its quartiles; None where looking takes too long."""
    run = run_of(call_ns)
    blocks = min(PILOT_BLOCKS, int(PILOT_NS / (run.requests * max(call_ns))))
    if blocks < FEWEST_PILOT_BLOCKS:
        return None
    samples = [
        [stage.sample(arm, run, each.answer.status).time_ns for arm, each in enumerate(seen)]
        for _ in range(blocks)
    ]
    times = np.array(samples, dtype=float)
    if not np.isfinite(times).all():
        return None
    logs = np.log(times)
    low, high = np.quantile(logs[:, 1:] - logs[:, :1], (0.25, 0.75), axis=0)
    return float((high - low).max() / NORMAL_QUARTILES)


def _course(
    plan: ComparisonPlan,
    call_ns: Sequence[float],
    spread: float | None,
    start_s: float,
    left_s: float | None,
) -> Course:
    latencies_ns = [each * plan.connections for each in call_ns]
    is_load = plan.lens == "load"
    rhythm = rhythm_of_slices(latencies_ns) if is_load else rhythm_of_runs(latencies_ns, start_s, spread)
    cost_s = start_s + round_s(rhythm, latencies_ns)
    if left_s is None:
        return Course(rhythm, LOOKS, cost_s)
    fewest = FEWEST_ROUNDS << plan.pairings
    return Course(rhythm, looks_within(rounds_within(left_s, cost_s, fewest, LOOKS[-1])), cost_s)
