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

from .screening import PARALLEL
from .selection import Candidate
from .study import RoundZero, Shared, Study

RESERVE_S = 0.5
"""Kept back from the budget for shutting down and writing the report."""

SHARE_BESIDE = 0.35
"""Of the time after round 0, what edited apps beside the original get at most where it is short."""
BOOTS_BESIDE = 1.6
"""Two processes start at once, and share the cores."""
ROUNDS_BESIDE = 3
"""All remedies together are only compared with their arms."""
ANSWERS_BESIDE = 4
TIMED_BESIDE_S = 0.4
"""About what timing one endpoint on both apps takes in a round."""
MOST_TIMED_BESIDE = 8


def item_of(study: Study) -> Item:
    """The endpoint's arms, as the rounds need them, but those that need a process of their own."""
    screening, seen = study.screening, study.seen
    assert screening is not None
    replayed, live = replayed_arms(study.kept), live_arms(study.kept)
    whole_ns = float(seen.whole_ns or 0)
    baseline_ns = float(screening.baseline_ns or whole_ns)
    in_parallel = any(each.change.in_parallel for each in live)
    live_ns = float(screening.baseline_live_ns or whole_ns)
    return Item(
        study.planned.request,
        [each.proposal.for_agent() for each in replayed],
        (baseline_ns, *(float(each.screened.replay_ns or 0) for each in replayed)),
        whole_ns,
        live_changes=[each.proposal.for_agent() for each in live],
        live_ns=(live_ns, *(float(each.screened.live_ns or live_ns) for each in live)) if live else (),
        parallel=PARALLEL if in_parallel else 0,
        parallel_ns=_parallel_ns(live, float(screening.baseline_parallel_ns or live_ns))
        if in_parallel
        else (),
    )


def _parallel_ns(live: Sequence[Candidate], baseline_ns: float) -> tuple[float, ...]:
    return (baseline_ns, *(float(each.screened.parallel_ns or baseline_ns) for each in live))


def replayed_arms(kept: Sequence[Candidate]) -> list[Candidate]:
    return [each for each in kept if not each.is_live]


def live_arms(kept: Sequence[Candidate]) -> list[Candidate]:
    return [each for each in kept if each.is_live and not each.needs_own_process]


def own_arms(kept: Sequence[Candidate]) -> list[Candidate]:
    return [each for each in kept if each.needs_own_process]


def in_rounds(kept: Sequence[Candidate]) -> list[Candidate]:
    return [each for each in kept if not each.needs_own_process]


def has_arms_in_process(study: Study) -> bool:
    return bool(in_rounds(study.kept))


def worth_of(studies: Sequence[Study], shared: Sequence[Shared] = ()) -> list[float]:
    """What measuring each endpoint may gain, in nanoseconds: one request to each endpoint that is helped.

    One function served under several paths (``/v1``, ``/v1.2``) is worth measuring once, as long as time is
    short.
    """
    seen: set[tuple[str | None, ...]] = set()
    worth: list[float] = []
    for study in studies:
        source = study.route.source if study.route else study.planned.request.name
        key = (source, *(each.change.name for each in study.kept))
        helped = max((len(each.users) for each in shared if each.measured_on is study), default=1)
        worth.append(0.0 if key in seen else study.promised_ns * helped)
        seen.add(key)
    return worth


class Clock:
    """When each part of the measuring has to end, fixed after round 0 (``time.monotonic()``).

    The rounds come first; then arms that each need an edited app of their own; then all remedies together as
    one edited app. The last two get what they need where the rounds leave it, and a share in any case.
    """

    def __init__(self, plan: AdvicePlan, started: float, zero: RoundZero) -> None:
        self.ends = started + plan.budget_s - RESERVE_S
        left_s = self.ends - time.monotonic()
        together_s, own_s = _together_s(zero), _own_s(zero)
        spare_s = max(left_s - _rounds_s(zero, plan), SHARE_BESIDE * left_s)
        fits = min(1.0, spare_s / max(1e-9, together_s + own_s))
        self.own_ends = self.ends - together_s * fits
        self.rounds_end = self.own_ends - own_s * fits

    @property
    def for_rounds_s(self) -> float:
        return self.rounds_end - time.monotonic()


def _rounds_s(zero: RoundZero, plan: AdvicePlan) -> float:
    """What the rounds need at the least, for every arm."""
    items = [item_of(study) for study in zero.studies if has_arms_in_process(study)]
    costs_s = [item_cost_s(item, ARM_BUDGETS_NS[-1], plan.live_calls) for item in items]
    return (zero.boot_s + sum(costs_s)) * (plan.rounds or COMFORTABLE_ROUNDS << plan.pairings)


def _together_s(zero: RoundZero) -> float:
    """What the edited app beside the original needs: all answers once more, and the times of some."""
    timed = [study for study in zero.studies if any(each.proposal.files for each in study.kept)]
    if not timed:
        return 0.0
    answers_s = ANSWERS_BESIDE * sum((study.seen.whole_ns or 0) / 1e9 for study in zero.studies)
    return answers_s + ROUNDS_BESIDE * (
        BOOTS_BESIDE * zero.boot_s + TIMED_BESIDE_S * min(len(timed), MOST_TIMED_BESIDE)
    )


def _own_s(zero: RoundZero) -> float:
    """What arms need that have an edited app of their own, each judged by its rounds."""
    most = max((len(own_arms(study.kept)) for study in zero.studies), default=0)
    return most * COMFORTABLE_ROUNDS * (BOOTS_BESIDE * zero.boot_s + TIMED_BESIDE_S)


def fit_arms(studies: Sequence[Study], boot_s: float, left_s: float, plan: AdvicePlan) -> None:
    """Give up arms, the least promising of those endpoints that have most, until all rounds fit.

    Those with a process of their own are left alone: their time is not the rounds'.
    """
    while not _fits(studies, boot_s, left_s, plan):
        arms = [in_rounds(study.kept) for study in studies]
        most = max(map(len, arms), default=0)
        if most < 2:
            return
        for study, each in zip(studies, arms, strict=True):
            if len(each) == most:
                study.give_up(each[-1])


def _fits(studies: Sequence[Study], boot_s: float, left_s: float, plan: AdvicePlan) -> bool:
    costs_s = [item_cost_s(item_of(study), ARM_BUDGETS_NS[-1], plan.live_calls) for study in studies]
    return (boot_s + sum(costs_s)) * (plan.rounds or COMFORTABLE_ROUNDS << plan.pairings) <= left_s


def share_out(
    studies: Sequence[Study], shared: Sequence[Shared], boot_s: float, left_s: float, plan: AdvicePlan
) -> RoundsPlan:
    """Rounds, time an arm, and the endpoints there is time for, fixed before the first round."""
    return plan_rounds(
        [item_of(study) for study in studies],
        worth_of(studies, shared),
        boot_s,
        left_s,
        rounds=plan.rounds,
        live_calls=plan.live_calls,
        seed=plan.seed,
        deadline_s=plan.deadline_s,
        pairings=plan.pairings,
        alpha=plan.alpha,
    )
