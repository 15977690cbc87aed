"""Round 0 of the remedies: what the rules propose for each endpoint, tried once. It is itself no evidence."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from wirespeed.errors import WirespeedError
from wirespeed.experiment.events import Listener, ScreenFinished, ScreenStarted
from wirespeed.model.advice import Finding
from wirespeed.model.plan import AdvicePlan

from .agents import AgentHolder
from .edits import Proposal, Writer
from .ignoring import read_ignoring
from .observation import Change, CodeEdit, Screened, Screening
from .probing import reprobe
from .rules import Rule, all_rules
from .rules.ws203_trivial_hop import is_trivial
from .selecting import is_asked
from .selection import NO_TIME, Candidate, is_worth_screening, select
from .study import RoundZero, Shared, Study

SCREEN_DEADLINE_S = 60.0
LIVE_CALLS = 6
PARALLEL = 20
PARALLEL_CALLS = 60
LEAST_LIVE_S, MOST_LIVE_S = 0.05, 1.0
REPLAY_S = 0.1
"""About what a replayed change takes to be tried."""


def diagnose(zero: RoundZero, plan: AdvicePlan) -> None:
    """What the rules find on each endpoint, and the changes they propose; nothing is called."""
    shared: dict[object, Shared] = {}
    ignoring = read_ignoring(zero.writer.folder, zero.routes)
    usable = [study for study in zero.studies if study.note is None]
    heavy = Counter(work.key for study in usable for work in study.seen.works if not is_trivial(work))
    for study in usable:
        heavy_elsewhere = [work.key for work in study.seen.works if heavy[work.key]]
        study.seen = study.seen.model_copy(update={"heavy_elsewhere": heavy_elsewhere})
        for rule, evidence in _fired(study, plan):
            reason = ignoring.reason_for(study.route, rule.code)
            if reason is None:
                _propose(rule, evidence, study, zero.writer, shared)
            else:
                found = Finding(code=rule.code, problem=rule.problem, evidence=evidence, ignored=reason)
                study.findings.append(found)
    zero.shared = list(shared.values())
    asked = [code for code in all_rules() if _is_asked(code, plan)]
    notes = ignoring.notes([study.route for study in usable], zero.routes, asked, list(all_rules()))
    zero.notes += [note for note in notes if note not in zero.notes]


def _fired(study: Study, plan: AdvicePlan) -> Iterator[tuple[Rule, str]]:
    for rule in all_rules().values():
        evidence = rule.evidence(study.seen) if _is_asked(rule.code, plan) else None
        if evidence is not None:
            yield rule, evidence


def _is_asked(code: str, plan: AdvicePlan) -> bool:
    return is_asked(code, select=plan.rules, ignore=plan.ignored_rules)


def _propose(rule: Rule, evidence: str, study: Study, writer: Writer, shared: dict[object, Shared]) -> None:
    """The finding, its changes, and what to do by hand where no edit can be made."""
    changes = rule.remedies(study.seen)
    advice = {change.advice: None for change in changes if change.is_advice_only}
    for change in changes:
        if change.is_advice_only or not _is_worth_trying(change, study):
            continue
        proposal = writer.propose(change, study.route, study.seen)
        if not proposal.can_be_measured:
            advice[change.advice] = None
        if is_of_one_route(change):
            study.proposals.append(proposal)
        else:
            shared.setdefault(identity(change), Shared(proposal, [])).users.append(study)
    told = "; ".join(filter(None, advice)) or None
    study.findings.append(Finding(code=rule.code, problem=rule.problem, evidence=evidence, advice=told))


def _is_worth_trying(change: Change, study: Study) -> bool:
    """Rules of the code look at its share themselves."""
    return bool(change.edits) or change.bypass is not None or is_worth_screening(study.seen)


def is_of_one_route(change: Change) -> bool:
    """Whether it changes a route's declaration; other changes reach all endpoints that run the same code."""
    declared = change.annotation, change.response_class, change.options
    return declared != (None, "keep", "keep")


def identity(change: Change) -> tuple[str, str, tuple[CodeEdit, ...], int | None]:
    """What makes two endpoints' changes of the code the same one."""
    return change.code, change.name, change.edits, change.bypass


def screen_all(
    holder: AgentHolder, zero: RoundZero, plan: AdvicePlan, ends: float, listener: Listener
) -> None:
    """Try the proposals of every endpoint, each at least a little, in the time until ``ends``."""
    proposed = [(key, study, _proposals_of(study, zero)) for key, study in enumerate(zero.studies)]
    waiting = [each for each in proposed if each[2]]
    for index, (key, study, proposals) in enumerate(waiting):
        listener(ScreenStarted(study.planned.request.name, index + 1, len(waiting)))
        share_s = (ends - time.monotonic()) / (len(waiting) - index)
        _screen_one(holder, study, key, proposals, share_s, plan)
        listener(ScreenFinished(study.planned.request.name, len(study.kept)))


def _proposals_of(study: Study, zero: RoundZero) -> list[Proposal]:
    """Those of its own, and the shared ones that are measured on it."""
    shared = [each.proposal for each in zero.shared if each.measured_on is study]
    return [*study.proposals, *shared]


def _screen_one(
    holder: AgentHolder,
    study: Study,
    key: int,
    proposals: Sequence[Proposal],
    share_s: float,
    plan: AdvicePlan,
) -> None:
    possible = [each for each in proposals if each.can_be_measured]
    fitting = possible[: _number_within(possible, share_s)]
    study.left = [
        *(untried(each, NO_TIME) for each in possible[len(fitting) :]),
        *(
            untried(each, each.remark or "no edit could be made")
            for each in proposals
            if each not in possible
        ),
    ]
    if fitting:
        study.screening = _screen(holder, study, key, fitting, share_s, plan)
    if study.screening is not None:
        study.kept, left = select(fitting, study.seen, study.screening)
        study.left = left + study.left


def untried(proposal: Proposal, reason: str) -> Candidate:
    return Candidate(proposal, Screened(error=reason, replay_ns=None, fidelity=None))


def _number_within(proposals: Sequence[Proposal], seconds: float) -> int:
    """How many there is time for, the most natural first: one in any case."""
    costs_s = accumulate(LEAST_LIVE_S if each.is_live else REPLAY_S for each in proposals)
    return max(1, sum(cost_s <= seconds for cost_s in costs_s))


def _screen(
    holder: AgentHolder,
    study: Study,
    key: int,
    proposals: Sequence[Proposal],
    seconds: float,
    plan: AdvicePlan,
) -> Screening | None:
    try:
        if study.process != holder.process:
            reprobe(holder, study, key, plan)
        screening = _ask(holder, study, key, proposals, seconds, plan)
        if screening.invalid is not None and study.seen.obstacle is None:
            # Requests to other endpoints may have changed what this one returned by now.
            reprobe(holder, study, key, plan)
            screening = _ask(holder, study, key, proposals, seconds, plan)
    except WirespeedError as error:
        study.note = f"its remedies could not be screened: {error.message}"
        return None
    return screening


def _ask(
    holder: AgentHolder,
    study: Study,
    key: int,
    proposals: Sequence[Proposal],
    seconds: float,
    plan: AdvicePlan,
) -> Screening:
    live = [each for each in proposals if each.is_live]
    live_s = min(MOST_LIVE_S, max(LEAST_LIVE_S, seconds / max(1, len(live))))
    in_parallel = any(each.change.in_parallel for each in live)
    args = {
        "key": key,
        "changes": [each.for_agent() for each in proposals],
        "deadline_s": plan.deadline_s,
        "live": {
            "calls": LIVE_CALLS,
            "seconds": live_s,
            "parallel": PARALLEL if in_parallel else 0,
            "parallel_calls": PARALLEL_CALLS,
        },
    }
    calls_s = len(live) * (LIVE_CALLS + 1) + len(proposals)
    report = holder.call(
        "screen",
        args,
        deadline_s=SCREEN_DEADLINE_S + calls_s * plan.deadline_s,
        doing=f"screening {study.planned.request.name}",
    )
    return Screening.model_validate(report)
