"""The sequential procedure on the direct lens: pairs of requests, fresh processes, looks, verdicts.

All pairs share the process of a round, each is its own comparison, and each stops at the look that decides
it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wirespeed.errors import MeasurementInvalid
from wirespeed.model.request import Request
from wirespeed.model.verdict import Decision

from .confirm import Agent, Boot
from .design import Schedule, round_log_ratios, schedule_round
from .events import Listener, RoundFinished, RoundStarted
from .stopping import SequentialPlan, decide_sequentially

CALIBRATION = Schedule(orders=((0, 1), (1, 0)), length=5, dropped=2)
DEADLINE_S = 60.0


@dataclass
class Comparison:
    """One pair, baseline first: its rounds so far, and the decision once there is one."""

    pair: tuple[Request, Request]
    slowest_call_ns: float = 0.0
    log_ratios: list[float] = field(default_factory=list)
    decision: Decision | None = None


def compare_pairs(
    boot: Boot,
    pairs: Sequence[tuple[Request, Request]],
    plan: SequentialPlan | None,
    *,
    rounds: int,
    seed: int,
    arm_budget_ns: int,
    listener: Listener,
) -> list[Comparison]:
    """Measure pairs until every one is decided, ``rounds`` at the most; without a plan, all ``rounds``.

    Ctrl-C keeps the rounds that are complete; the pairs then stand undecided.
    """
    comparisons = [Comparison(pair) for pair in pairs]
    with boot() as agent:
        for each in comparisons:
            blocks = _contest(agent, each.pair, CALIBRATION)
            each.slowest_call_ns = float(blocks.mean(axis=0).max())
    for index in range(rounds):
        open_ones = [each for each in comparisons if each.decision is None]
        if not open_ones:
            break
        listener(RoundStarted(index + 1, rounds))
        try:
            figures = _one_round(boot, open_ones, f"{seed}/{index}", arm_budget_ns)
        except KeyboardInterrupt:
            break
        for each, log_ratio in zip(open_ones, figures, strict=True):
            each.log_ratios.append(log_ratio)
            if plan is not None:
                each.decision = decide_sequentially(each.log_ratios, plan)
        listener(RoundFinished(index + 1, rounds))
    return comparisons


def _one_round(boot: Boot, comparisons: Sequence[Comparison], seed: str, arm_budget_ns: int) -> list[float]:
    """The round's log ratio of every comparison, all from one fresh process."""
    figures = []
    with boot() as agent:
        for number, each in enumerate(comparisons):
            rng = random.Random(f"{seed}/{number}")
            schedule = schedule_round(2, each.slowest_call_ns, rng, arm_budget_ns)
            figures.append(float(round_log_ratios(_contest(agent, each.pair, schedule))[0]))
    return figures


def _contest(agent: Agent, pair: tuple[Request, Request], schedule: Schedule) -> np.ndarray[Any, Any]:
    """Medians of the runs, in nanoseconds, of shape (blocks, arms). Raises MeasurementInvalid."""
    report = agent.call(
        "contest",
        {
            "requests": [request.for_agent() for request in pair],
            "schedule": schedule.model_dump(mode="json"),
            "deadline_s": DEADLINE_S,
        },
        deadline_s=DEADLINE_S,
        doing=f"measuring {pair[0].name} and {pair[1].name}",
    )
    for request, failed in zip(pair, report["errors"], strict=True):
        if failed:
            raise MeasurementInvalid(f"{request.name} failed {failed} times while it was measured")
    return np.array([[run[0] for run in arm] for arm in report["runs"]], dtype=float).T
