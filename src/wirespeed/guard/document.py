"""From what was measured to the document that is printed and kept. Pure but for facts about the machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Any

import wirespeed
from wirespeed.experiment.rounds import MOST_STOLEN
from wirespeed.model import guard
from wirespeed.model.guard import BehaviourChange, GuardDecision
from wirespeed.model.guard_plan import GuardPlan
from wirespeed.subject.machine import CpuTicks, environment

from .behaviour import failing_change, lost_change
from .course import full_speed_ns, is_settled
from .deciding import certificate_of, decision_of
from .judging import FEWEST_ROUNDS, Judgement
from .rehearsal import Endpoint, Rehearsal
from .rounds import Evidence, Measured
from .sides import Sides
from .trio import BASE, HEAD, TWIN, Turn

NO_VERDICT = guard.Overall(ratio=None, interval=None, decision=None)
UNDECIDED = guard.Overall(
    ratio=None,
    interval=None,
    decision=GuardDecision.INCONCLUSIVE,
    note="too few rounds were measured",
)
UNFIT = "base differs from itself on this machine, so nobody is blamed"
GC_SHARE_THAT_MATTERS = 0.05


@dataclass(frozen=True)
class Outcome:
    """The document, and the raw numbers behind it."""

    document: guard.Guard
    evidence: dict[str, Any]


def outcome_of(
    plan: GuardPlan,
    sides: Sides,
    rehearsal: Rehearsal,
    evidence: Evidence,
    since: CpuTicks | None,
    elapsed_s: float,
) -> Outcome:
    """The document; steal is counted from the reading ``since``."""
    names = [each.asked.request.name for each in rehearsal.endpoints]
    certificate = certificate_of(evidence, names)
    changes = [*rehearsal.changes, *_changes_while_measured(rehearsal, evidence)]
    endpoints = [
        _endpoint(number, each, evidence, changes, is_fit=certificate.fit)
        for number, each in enumerate(rehearsal.endpoints)
    ]
    endpoints += _unmeasured(changes, names)
    overall = _judged(evidence.overall, is_fit=certificate.fit) if names else NO_VERDICT
    decisions = [overall.decision, *(each.decision for each in endpoints if each.request in names)]
    assert rehearsal.base is not None and rehearsal.head is not None
    machine = environment(rehearsal.head.event_loop, since)
    document = guard.Guard(
        created=datetime.now(UTC),
        wirespeed=wirespeed.__version__,
        app=rehearsal.head.app,
        base=sides.base.told.model_copy(update={"packages": rehearsal.base.packages}),
        head=sides.head.told.model_copy(update={"packages": rehearsal.head.packages}),
        max_slowdown=plan.max_slowdown,
        certificate=certificate,
        overall=overall,
        endpoints=tuple(endpoints),
        behaviour=tuple(changes),
        decision=decision_of(changes, certificate, decisions),
        package_changes=sides.package_changes,
        added=tuple(rehearsal.added),
        skipped=tuple(rehearsal.skipped),
        rounds=tuple(_rounds(evidence, names)),
        procedure=_procedure(plan, evidence),
        environment=machine,
        elapsed_s=elapsed_s,
        complete=not evidence.interrupted,
        notes=tuple(_notes(plan, sides, rehearsal, evidence, endpoints)),
    )
    return Outcome(document, evidence_of(evidence, names))


def evidence_of(evidence: Evidence, names: Sequence[str]) -> dict[str, Any]:
    """Every turn as it was measured: [fastest, mean, GC, calls, errors], in ns, of base, twin and head."""
    return {
        "requests": list(names),
        "hosts": ["base", "twin", "head"],
        "rounds": [_turns(each) for each in evidence.rounds],
    }


def _turns(measured: Measured) -> dict[str, list[list[list[float]]]]:
    return {
        str(number): [[list(turn) for turn in block] for block in blocks]
        for number, blocks in measured.blocks.items()
    }


def _endpoint(
    number: int, endpoint: Endpoint, evidence: Evidence, changes: Sequence[BehaviourChange], *, is_fit: bool
) -> guard.GuardedEndpoint:
    is_sound = number in evidence.sound
    judged = _judged(evidence.judgements.get(number), is_fit=is_fit) if is_sound else NO_VERDICT
    name = endpoint.asked.request.name
    is_changed = any(each.request == name and not each.allowed for each in changes)
    behaviour: guard.Behaviour = "allowed" if endpoint.is_allowed_to_differ else "same"
    fields = judged.model_dump()
    if not is_sound:
        fields["note"] = _why_unsound(number, evidence)
    bases = [turn for block in evidence.blocks_of(number) for turn in (block[BASE], block[TWIN])]
    heads = [block[HEAD] for block in evidence.blocks_of(number)]
    return guard.GuardedEndpoint(
        **fields,
        request=name,
        behaviour="changed" if is_changed else behaviour,
        route=None if endpoint.route is None else endpoint.route.path,
        source=endpoint.source,
        base_ns=_undisturbed_ns(number, evidence, (BASE, TWIN)),
        head_ns=_undisturbed_ns(number, evidence, (HEAD,)),
        base_gc_share=_gc_share(bases),
        head_gc_share=_gc_share(heads),
    )


def _unmeasured(
    changes: Sequence[BehaviourChange], measured: Sequence[str]
) -> Iterator[guard.GuardedEndpoint]:
    """Endpoints that behave differently: they get no verdict on their speed."""
    for change in changes:
        if change.request in measured:
            continue
        yield guard.GuardedEndpoint(
            request=change.request,
            ratio=None,
            interval=None,
            decision=None,
            behaviour="allowed" if change.allowed else "changed",
            note="it behaves differently, so its speed was not compared",
        )


def _judged(judgement: Judgement | None, *, is_fit: bool) -> guard.Overall:
    if judgement is None:
        return UNDECIDED
    return guard.Overall(
        ratio=judgement.ratio,
        interval=judgement.interval,
        decision=judgement.decision if is_fit else GuardDecision.INCONCLUSIVE,
        rounds=judgement.rounds,
        rounds_needed=judgement.rounds_needed if is_fit else None,
        note=None if is_fit else UNFIT,
    )


def _changes_while_measured(rehearsal: Rehearsal, evidence: Evidence) -> Iterator[BehaviourChange]:
    """Of endpoints that only head failed at: what base fails at, too, is nobody's change."""
    for number, endpoint in enumerate(rehearsal.endpoints):
        name, status = endpoint.asked.request.name, endpoint.asked.status
        base, twin, head = evidence.errors_of(number)
        failure = evidence.lost.get(number)
        if failure is not None and failure.host == HEAD:
            yield lost_change(name, status, str(failure))
        elif evidence.is_failing(number) and not base + twin:
            calls = sum(block[HEAD].calls for block in evidence.blocks_of(number))
            yield failing_change(name, status, head, calls)


def _why_unsound(number: int, evidence: Evidence) -> str:
    failure = evidence.lost.get(number)
    if failure is not None:
        return f"given up: {failure}"
    failed = dict(zip(("base", "base's twin", "head"), evidence.errors_of(number), strict=True))
    told = ", ".join(f"{count} in {where}" for where, count in failed.items() if count)
    return f"calls failed while it was measured: {told}"


def _undisturbed_ns(number: int, evidence: Evidence, hosts: Sequence[int]) -> int | None:
    """The median over processes of what the ratio is made of."""
    reached = [
        full_speed_ns(each.blocks[number], host)
        for each in evidence.kept
        if number in each.blocks
        for host in hosts
    ]
    return round(median(reached)) if reached else None


def _gc_share(turns: Sequence[Turn]) -> float | None:
    gc_ns = sum(turn.gc_ns for turn in turns)
    whole_ns = gc_ns + sum(turn.mean_ns * turn.calls for turn in turns)
    return gc_ns / whole_ns if turns else None


def _rounds(evidence: Evidence, names: Sequence[str]) -> Iterator[guard.GuardRound]:
    for index, measured in enumerate(evidence.rounds):
        yield guard.GuardRound(
            index=index,
            log_ratios={names[number]: ratio for number, ratio in measured.log_ratios().items()},
            twin_log_ratios={names[number]: ratio for number, ratio in measured.twin_log_ratios().items()},
            kept=measured.kept,
            unsettled=tuple(
                names[number] for number, blocks in measured.blocks.items() if not is_settled(blocks)
            ),
        )


def _procedure(plan: GuardPlan, evidence: Evidence) -> guard.GuardProcedure:
    procedure = evidence.procedure
    return guard.GuardProcedure(
        alpha=plan.alpha,
        alpha_overall=plan.alpha if procedure is None else procedure.alpha_overall,
        alpha_endpoint=plan.alpha if procedure is None else procedure.alpha_endpoint,
        looks=() if procedure is None else procedure.looks,
        seed=plan.seed,
        budget_s=plan.budget_s,
    )


def _notes(
    plan: GuardPlan,
    sides: Sides,
    rehearsal: Rehearsal,
    evidence: Evidence,
    endpoints: Sequence[guard.GuardedEndpoint],
) -> Iterator[str]:
    """What a reader should know besides the figures."""
    yield from sides.notes
    for name, booted in (("base", rehearsal.base), ("head", rehearsal.head)):
        yield from (f"{name}: {note}" for note in (booted.notes if booted else ()))
    dropped = len(evidence.rounds) - len(evidence.kept)
    if dropped:
        yield (
            f"{dropped} of {len(evidence.rounds)} rounds do not count: other guests of this host took more "
            f"than {MOST_STOLEN:.0%} of the CPU time"
        )
    if evidence.ended_early is not None:
        yield evidence.ended_early
    procedure = evidence.procedure
    if procedure is not None and procedure.looks[-1] <= FEWEST_ROUNDS << plan.pairings:
        yield (
            f"the budget of {plan.budget_s:g} s allows no more than {procedure.looks[-1]} rounds, the fewest "
            "that show anything; --budget gives more"
        )
    for each in endpoints:
        before, after = each.base_gc_share, each.head_gc_share
        if before is not None and after is not None and after - before > GC_SHARE_THAT_MATTERS:
            yield (
                f"{each.request}: garbage collection takes {after:.0%} of its time in head and {before:.0%} "
                "in base, which is in no ratio"
            )
    if plan.pairings:
        yield "rounds on this machine depend on each other, so they were averaged in groups before judging"
