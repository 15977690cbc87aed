"""An edited app beside the original: what is asked of both, and what their answers and times say."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from wirespeed.errors import SubjectError, UsageError
from wirespeed.experiment.edited_pairs import (
    Boot,
    Pair,
    PairsEvidence,
    PairsPlan,
    measure_pairs,
    pairs_cost_s,
)
from wirespeed.experiment.events import Listener
from wirespeed.model.plan import AdvicePlan
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject

from .agents import booted_agent
from .budgeting import BOOTS_BESIDE
from .observation import Seen
from .screening import PARALLEL

ARM_BUDGET_NS = 50_000_000
FEWEST_ROUNDS = 3
"""Fewer have no spread worth the name; then only answers are compared."""


@dataclass(frozen=True)
class BesideWish:
    """One request to both apps, and how it is measured."""

    request: Request
    whole_ns: float
    is_timed: bool
    in_parallel: bool
    worth_ns: float = 0.0
    """What is expected to be saved; where time is short, the least is not timed."""
    allow_equal: bool = False


@dataclass(frozen=True)
class Beside:
    """What one request showed. ``problem``: why the edited app does not hold, by its answers."""

    problem: str | None = None
    seen: Seen | None = None
    whole: tuple[float, ...] = ()
    parallel: tuple[float, ...] = ()
    """Log ratios, one a round."""


@dataclass(frozen=True)
class BesideReport:
    endpoints: tuple[Beside, ...]
    """One a wish, in their order."""
    not_started: str | None = None
    excluded: str | None = None
    """Why nothing could be compared, though the edited app starts by itself."""
    openapi: Seen | None = None
    evidence: dict[str, Any] | None = None
    interrupted: bool = False


def run_beside(
    original: AppSubject,
    edited: AppSubject,
    wishes: Sequence[BesideWish],
    plan: AdvicePlan,
    *,
    rounds: int,
    boot_s: float,
    ends: float,
    listener: Listener,
    hangs_at_shutdown: bool = False,
) -> BesideReport:
    """Start both apps ``rounds`` times, fewer where there is no time; once at least, to compare answers."""
    boot = partial(booted_agent, hangs_at_shutdown=hangs_at_shutdown)
    pairs = [_pair(wish) for wish in wishes]
    round_cost_s = BOOTS_BESIDE * boot_s + pairs_cost_s(pairs, _plan(plan, rounds))
    left_s = ends - time.monotonic()
    while round_cost_s * FEWEST_ROUNDS > left_s and any(pair.is_timed for pair in pairs):
        pairs = _with_one_less(pairs, wishes)
        round_cost_s = BOOTS_BESIDE * boot_s + pairs_cost_s(pairs, _plan(plan, rounds))
    fitting = int(left_s / round_cost_s) if any(pair.is_timed for pair in pairs) else 0
    chosen = min(rounds, fitting)
    try:
        evidence = measure_pairs(
            original,
            edited,
            pairs,
            _plan(plan, chosen if chosen >= FEWEST_ROUNDS else 0),
            ends=ends,
            listener=listener,
            boot=boot,
        )
    except (SubjectError, UsageError) as error:
        return BesideReport((), excluded=f"the original did not start again: {error.message}")
    if evidence.not_started is not None:
        return _not_started(edited, evidence.not_started)
    if evidence.not_imported:
        names = ", ".join(Path(name).name for name in evidence.not_imported)
        return BesideReport((), excluded=f"the app does not import {names} as it starts")
    own = {} if evidence.interrupted else _own_places(original, pairs, evidence, plan, listener, boot)
    return _report(evidence, wishes, own)


def _plan(plan: AdvicePlan, rounds: int) -> PairsPlan:
    return PairsPlan(rounds, ARM_BUDGET_NS, plan.seed, plan.deadline_s)


def _pair(wish: BesideWish) -> Pair:
    parallel = PARALLEL if wish.in_parallel else 0
    return Pair(
        wish.request,
        wish.whole_ns,
        is_timed=wish.is_timed,
        parallel=parallel,
        # Where a call holds the event loop, others only wait: as much time a request as alone.
        parallel_ns=wish.whole_ns if parallel else 0.0,
    )


def _with_one_less(pairs: Sequence[Pair], wishes: Sequence[BesideWish]) -> list[Pair]:
    timed = [number for number, pair in enumerate(pairs) if pair.is_timed]
    least = min(timed, key=lambda number: wishes[number].worth_ns / max(1.0, wishes[number].whole_ns))
    return [*pairs[:least], replace(pairs[least], is_timed=False), *pairs[least + 1 :]]


def _not_started(edited: AppSubject, reason: str) -> BesideReport:
    """An app may take a port or a lock that no second copy of it can have; that is not the edit's doing."""
    try:
        with booted_agent(edited):
            return BesideReport((), excluded=f"it cannot run beside the original: {reason}")
    except (SubjectError, UsageError) as error:
        return BesideReport((), not_started=error.message)


def _own_places(
    original: AppSubject,
    pairs: Sequence[Pair],
    evidence: PairsEvidence,
    plan: AdvicePlan,
    listener: Listener,
    boot: Boot,
) -> dict[int, set[str]]:
    """Where the original differs from itself in another process, by pair, of those whose answers differ.

    A process number or the time of the start is the same in all answers of one process.
    """
    differing = [number for number, seen in evidence.seen.items() if seen.fidelity == "different"]
    if not differing:
        return {}
    asked = [replace(pairs[number], is_timed=False) for number in differing]
    try:
        again = measure_pairs(
            original, original, asked, _plan(plan, 0), ends=time.monotonic(), listener=listener, boot=boot
        )
    except (SubjectError, UsageError):
        # Then the differences stand as they are, and no remedy is confirmed in spite of one.
        return {}
    return {
        number: {difference.at for difference in again.seen[place].differences}
        for place, number in enumerate(differing)
        if place in again.seen
    }


def _report(
    evidence: PairsEvidence, wishes: Sequence[BesideWish], own: Mapping[int, set[str]]
) -> BesideReport:
    openapi = evidence.openapi
    return BesideReport(
        tuple(_beside(evidence, number, wish, own.get(number, set())) for number, wish in enumerate(wishes)),
        openapi=None if openapi is None else Seen(fidelity=openapi.fidelity, differences=openapi.differences),
        evidence={
            "requests": [wish.request.name for wish in wishes],
            "rounds": [
                {str(number): measured._asdict() for number, measured in each.items()}
                for each in evidence.rounds
            ],
        },
        interrupted=evidence.interrupted,
    )


def _beside(evidence: PairsEvidence, number: int, wish: BesideWish, own: Collection[str]) -> Beside:
    rounds = [each[number] for each in evidence.rounds if number in each]
    errors = sum(each.errors[1] for each in rounds)
    found = evidence.seen.get(number)
    if found is not None and found.differences and all(each.at in own for each in found.differences):
        found = found._replace(fidelity="identical", differences=[])
    problem = evidence.failures.get(number) or (f"{errors} of its answers failed" if errors else None)
    return Beside(
        problem or (_difference(found.fidelity, found.differences, wish) if found else None),
        None if found is None else Seen(fidelity=found.fidelity, differences=found.differences),
        tuple(x for each in rounds if (x := each.log_ratio()) is not None),
        tuple(x for each in rounds if (x := each.parallel_log_ratio()) is not None),
    )


def _difference(fidelity: str, differences: Sequence[Any], wish: BesideWish) -> str | None:
    if fidelity == "identical" or (fidelity == "equal" and wish.allow_equal):
        return None
    if fidelity == "equal":
        return "equal JSON, but other bytes"
    places = ", ".join(each.at for each in differences[:3])
    return f"its answer differs: {places}"
