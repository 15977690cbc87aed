"""``guard``: has head become slower than base, or does it answer differently? An outline."""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Thread

from wirespeed.errors import MeasurementInvalid, SubjectError, WirespeedError
from wirespeed.experiment.events import Booting, Listener, ignore
from wirespeed.model.guard_plan import GuardPlan
from wirespeed.subject.agent import AgentProcess
from wirespeed.subject.machine import cpu_ticks
from wirespeed.subject.starting import SHARED_START, Starting

from .document import Outcome, outcome_of
from .rehearsal import Rehearsal, rehearse
from .rounds import Evidence, Stage, measure_rounds
from .sides import Sides, Staged, require_own_code, sides_of
from .trio import BASE, HEAD, NAMES, Asked, HostFailed, blamed, three_of

__all__ = ["Outcome", "guard"]


def guard(plan: GuardPlan, listener: Listener = ignore) -> Outcome:
    """Compare head with base, behaviour first. Ctrl-C keeps the rounds that are complete.

    Raises UsageError for revisions and packages that are not there, SubjectError, which says whose, where a
    side does not start, and MeasurementInvalid where there is nothing to compare.
    """
    ticks = cpu_ticks()
    Thread(target=_load_ahead, daemon=True).start()
    with sides_of(plan, listener) as sides:
        # Environments are made once, and are no part of what a guard costs.
        started = time.monotonic()
        listener(Booting(f"base and head of {plan.subject.app}"))
        rehearsal = _rehearse(plan, sides, listener)
        evidence = _measure(plan, sides, rehearsal, started + plan.budget_s, listener)
    return outcome_of(plan, sides, rehearsal, evidence, ticks, time.monotonic() - started)


def _load_ahead() -> None:
    """What the statistics will need takes half a second to load; the apps take as long to start."""
    importlib.import_module("scipy.special")


def _rehearse(plan: GuardPlan, sides: Sides, listener: Listener) -> Rehearsal:
    try:
        rehearsal = rehearse(sides.by_host, plan, listener)
    except HostFailed as failure:
        raise _why_not_started(sides, failure) from failure
    assert rehearsal.base is not None and rehearsal.head is not None
    require_own_code(sides.base, rehearsal.base, rehearsal.base_routes, sides.head)
    require_own_code(sides.head, rehearsal.head, rehearsal.head_routes, sides.base)
    if not (rehearsal.endpoints or rehearsal.changes):
        raise _nothing_to_compare(rehearsal)
    return rehearsal


def _why_not_started(sides: Sides, failure: HostFailed) -> WirespeedError:
    """Whose fault it is shows only where each has the ports and locks to itself."""
    for staged in (sides.base, sides.head):
        if (error := _alone(staged)) is not None:
            return error
    error = blamed(failure, NAMES[failure.host])
    if isinstance(error, SubjectError):
        error.advice = (
            "Alone it starts. Processes run side by side here, so give each its own ports and files, "
            "with --prepare."
        )
    return error


def _alone(staged: Staged) -> WirespeedError | None:
    try:
        with AgentProcess(staged.subject) as agent:
            agent.boot()
    except WirespeedError as error:
        return blamed(HostFailed(BASE if staged.name == "base" else HEAD, error), staged.name)
    return None


def _nothing_to_compare(rehearsal: Rehearsal) -> MeasurementInvalid:
    reasons = [f"{each.method} {each.path}: {each.reason}" for each in rehearsal.skipped[:5]]
    return MeasurementInvalid(
        "\n  ".join(["no endpoint can be compared:", *reasons]),
        advice="Name requests that work with --get or --request, or give credentials with --header.",
    )


def _measure(
    plan: GuardPlan, sides: Sides, rehearsal: Rehearsal, ends: float, listener: Listener
) -> Evidence:
    starting = Starting(sides.by_host)

    @contextmanager
    def theatre(asked: Sequence[Asked], rng: random.Random) -> Iterator[Stage]:
        with (
            starting.of_a_round() as start,
            three_of(
                sides.by_host,
                rng,
                asked,
                plan.deadline_s,
                start=start,
                hangs_at_shutdown=rehearsal.hangs_at_shutdown,
            ) as trio,
        ):
            yield trio

    asked = [endpoint.asked for endpoint in rehearsal.endpoints]
    start_s = rehearsal.start_s * (SHARED_START if starting.is_shared else 1.0)
    with starting:
        return measure_rounds(theatre, asked, plan, start_s=start_s, ends=ends, listener=listener)
