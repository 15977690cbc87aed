"""How the time of ``advise`` is shared out: what each endpoint costs, and what it may gain."""

from __future__ import annotations

import time
from collections.abc import Sequence

from wirespeed.experiment.confirm import (
    ARM_BUDGETS_NS,
    COMFORTABLE_ROUNDS,
    Item,
    RoundsPlan,
    item_cost_s,
    plan_rounds,
)
from wirespeed.model.plan import AdvicePlan

from .screening import Study

RESERVE_S = 0.5
"""Kept back from the budget for shutting down and writing the report."""


def item_of(study: Study) -> Item:
    """The endpoint's arms, as the rounds need them."""
    assert study.screening is not None and study.screening.baseline_ns is not None
    call_ns = (float(study.screening.baseline_ns), *(float(each.replay_ns) for each in study.kept))
    changes = [each.change.for_agent() for each in study.kept]
    return Item(study.planned.request, changes, call_ns, float(study.seen.whole_ns or 0))


def worth_of(studies: Sequence[Study]) -> list[float]:
    """What measuring each endpoint may gain, in nanoseconds a request.

    One function served under several paths (``/v1``, ``/v1.2``) is worth measuring once, as long as time is
    short.
    """
    seen: set[tuple[str | None, ...]] = set()
    worth: list[float] = []
    for study in studies:
        source = study.route.source if study.route else study.planned.request.name
        key = (source, *(each.change.name for each in study.kept))
        worth.append(0.0 if key in seen else study.promised_ns)
        seen.add(key)
    return worth


def left_s(plan: AdvicePlan, started: float) -> float:
    """Seconds of the budget that remain for rounds."""
    return plan.budget_s - RESERVE_S - (time.monotonic() - started)


def fits(candidates: Sequence[Study], boot_s: float, left_s: float, plan: AdvicePlan) -> bool:
    """Whether there is time for every arm; if not, each endpoint keeps only its best."""
    costs_s = [item_cost_s(item_of(study), ARM_BUDGETS_NS[-1], plan.live_calls) for study in candidates]
    return (boot_s + sum(costs_s)) * (plan.rounds or COMFORTABLE_ROUNDS << plan.pairings) <= left_s


def share_out(studies: Sequence[Study], boot_s: float, left_s: float, plan: AdvicePlan) -> RoundsPlan:
    """Rounds, time an arm, and the endpoints there is time for, fixed before the first round."""
    return plan_rounds(
        [item_of(study) for study in studies],
        worth_of(studies),
        boot_s,
        left_s,
        rounds=plan.rounds,
        live_calls=plan.live_calls,
        seed=plan.seed,
        deadline_s=plan.deadline_s,
        pairings=plan.pairings,
    )
