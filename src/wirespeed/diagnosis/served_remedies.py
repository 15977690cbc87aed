"""The recommended remedies, once more through the app's own server: which ones, and what that makes of them.

What was measured directly says what the app gains; a server's work comes on top, and may hide it, or under
many connections multiply it. A remedy that is slower through the server is recommended no longer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirespeed.experiment.events import Listener
from wirespeed.experiment.served_course import CONNECTIONS
from wirespeed.experiment.served_pairs import PairEvidence, PairsEvidence, measure_pairs
from wirespeed.experiment.served_theatre import Pair, Serving
from wirespeed.experiment.stopping import ConfirmPlan, decide_candidates
from wirespeed.model.advice import Advice, Arm, Endpoint, ParallelEstimate, ThroughServer
from wirespeed.model.plan import AdvicePlan
from wirespeed.model.request import Route
from wirespeed.model.subject import RouteVariant, ServerSettings
from wirespeed.model.verdict import Decision, Verdict

from .budgeting import RESERVE_S
from .document import Outcome
from .study import Study

SHARE_OF_BUDGET = 0.4
"""What is kept of the budget for it; ``--http`` says so to its reader."""
SAFE_METHODS = ("GET", "HEAD")
"""RFC 9110 section 9.2.1. Through a server each request is sent many hundred times."""
UNCHANGED = {"annotation": None, "response_class": "keep", "options": "keep"}

Place = tuple[int, int]
"""Of an arm in the document: endpoint and arm, by number."""


@dataclass(frozen=True)
class Remedy:
    """A recommended arm that can be served beside its route."""

    place: Place
    pair: Pair


def direct_part(plan: AdvicePlan) -> AdvicePlan:
    """The plan of what comes before: less of the budget where a share of it is kept for the server."""
    if plan.server is None:
        return plan
    return plan.model_copy(update={"budget_s": plan.budget_s * (1 - SHARE_OF_BUDGET)})


def confirm_served(
    plan: AdvicePlan,
    server: ServerSettings,
    studies: Sequence[Study],
    outcome: Outcome,
    started: float,
    listener: Listener,
) -> Outcome:
    """The outcome with what its recommended remedies gain through the server; ``studies`` in its order."""
    remedies, reasons = _servable(studies, outcome.advice)
    if not remedies and not reasons:
        return outcome
    serving = Serving(plan.subject, server, plan.deadline_s, plan.seed, plan.rounds, plan.pairings)
    evidence = PairsEvidence([])
    if remedies:
        pairs = [remedy.pair for remedy in remedies]
        ends = started + plan.budget_s - RESERVE_S
        evidence = measure_pairs(serving, pairs, ends=ends, listener=listener)
    figures = dict(zip((each.place for each in remedies), figures_of(evidence, server, plan), strict=True))
    figures |= {place: _unmeasured(server, reason) for place, reason in reasons.items()}
    interrupted = outcome.interrupted or evidence.interrupted
    advice = outcome.advice.model_copy(
        update={
            "endpoints": tuple(judged_endpoints(outcome.advice, figures)),
            "notes": (*outcome.advice.notes, *_notes(evidence, server)),
            "elapsed_s": time.monotonic() - started,
            "complete": outcome.advice.complete and evidence.ended_early is None,
        }
    )
    return Outcome(advice, {**outcome.evidence, "served": _kept(remedies, evidence)}, interrupted)


def _servable(studies: Sequence[Study], advice: Advice) -> tuple[list[Remedy], dict[Place, str]]:
    """What can be measured, the most worthwhile first, and why the other recommended arms cannot."""
    remedies: list[tuple[float, Remedy]] = []
    reasons: dict[Place, str] = {}
    for number, (study, endpoint) in enumerate(zip(studies, advice.endpoints, strict=True)):
        for position, arm in enumerate(endpoint.arms):
            if not arm.recommended:
                continue
            place = number, position
            pair = _pair(study, arm)
            if isinstance(pair, str):
                reasons[place] = pair
            else:
                remedies.append((study.promised_ns, Remedy(place, pair)))
    remedies.sort(key=lambda each: each[0], reverse=True)
    return [remedy for _, remedy in remedies], reasons


def _pair(study: Study, arm: Arm) -> Pair | str:
    """Both variants of the route, or why there are none."""
    request, route = study.planned.request, study.route
    candidate = next((each for each in study.kept if each.change.name == arm.name), None)
    if request.method not in SAFE_METHODS:
        return f"{request.method} may change something, and would be sent many hundred times"
    if route is None or candidate is None or candidate.needs_own_process:
        return "it cannot be served beside the route as it is"
    if candidate.change.bypass is not None:
        return "it is a layer above the route, and is not served beside it"
    variants = (_variant(route, UNCHANGED), _variant(route, candidate.proposal.for_agent()))
    return Pair(request, variants, tuple(study.seen.unstable))


def _variant(route: Route, change: dict[str, Any]) -> RouteVariant:
    return RouteVariant(route_id=route.id, path=route.path, methods=tuple(route.methods), change=change)


def figures_of(evidence: PairsEvidence, server: ServerSettings, plan: AdvicePlan) -> list[ThroughServer]:
    """What each pair gained; both figures of all pairs are one family of verdicts."""
    log_ratios = [
        pair.log_ratios(under_load=under_load) for pair in evidence.pairs for under_load in (False, True)
    ]
    confirm = ConfirmPlan(alpha=plan.alpha, margin=plan.margin, pairings=plan.pairings)
    decisions = decide_candidates(log_ratios, confirm)
    return [
        _figures(pair, alone, loaded, evidence, server)
        for pair, alone, loaded in zip(evidence.pairs, decisions[::2], decisions[1::2], strict=True)
    ]


def _figures(
    pair: PairEvidence, alone: Decision, loaded: Decision, evidence: PairsEvidence, server: ServerSettings
) -> ThroughServer:
    if alone.estimate is None or loaded.estimate is None:
        return _unmeasured(server, _why_unmeasured(pair, alone, evidence))
    estimate = loaded.estimate
    return ThroughServer(
        server=server.name,
        workers=server.workers,
        rounds=len(pair.alone),
        alone=alone.estimate,
        loaded=ParallelEstimate(n=CONNECTIONS, ratio=estimate.ratio, interval=estimate.interval),
        contradicts=Verdict.SLOWER in (alone.verdict, loaded.verdict),
    )


def _why_unmeasured(pair: PairEvidence, decision: Decision, evidence: PairsEvidence) -> str:
    if pair.invalid is not None:
        return pair.invalid
    if not pair.fitted:
        return "the budget left no time for it; --budget gives more"
    return evidence.ended_early or decision.note or "no round was measured"


def _unmeasured(server: ServerSettings, reason: str) -> ThroughServer:
    return ThroughServer(
        server=server.name,
        workers=server.workers,
        rounds=0,
        alone=None,
        loaded=None,
        contradicts=False,
        reason=reason,
    )


def judged_endpoints(advice: Advice, figures: Mapping[Place, ThroughServer]) -> Iterator[Endpoint]:
    """The endpoints with what was measured of their arms; who is slower is recommended no longer."""
    for number, endpoint in enumerate(advice.endpoints):
        found = {
            position: figures[number, position]
            for position in range(len(endpoint.arms))
            if (number, position) in figures
        }
        arms = [
            _judged(arm, found[position]) if position in found else arm
            for position, arm in enumerate(endpoint.arms)
        ]
        yield _concluded(endpoint, arms) if found else endpoint


def _judged(arm: Arm, through: ThroughServer) -> Arm:
    if not through.contradicts:
        return arm.model_copy(update={"served": through})
    reason = f"faster when the app is called directly, but slower through {through.server}"
    return arm.model_copy(update={"served": through, "recommended": False, "reason": reason})


def _concluded(endpoint: Endpoint, arms: Sequence[Arm]) -> Endpoint:
    """The endpoint has a remedy only as long as one is still recommended."""
    update: dict[str, Any] = {"arms": tuple(arms)}
    if not any(arm.recommended for arm in arms):
        slower = next(arm for arm in arms if arm.served is not None and arm.served.contradicts)
        update |= {"conclusion": "elsewhere", "note": f"{slower.name} is {slower.reason}"}
    return endpoint.model_copy(update=update)


def _notes(evidence: PairsEvidence, server: ServerSettings) -> Iterator[str]:
    if evidence.ended_early is not None:
        yield f"through {server.name}: {evidence.ended_early}"
    left_out = sum(not pair.fitted for pair in evidence.pairs)
    if left_out:
        yield (
            f"remedies that the budget left unconfirmed through {server.name}: {left_out}; "
            "--budget gives more time"
        )


def _kept(remedies: Sequence[Remedy], evidence: PairsEvidence) -> list[dict[str, Any]]:
    """For the record: log ratios, one a round."""
    return [
        {
            "request": remedy.pair.request.name,
            "change": remedy.pair.variants[1].change,
            "alone": pair.log_ratios(under_load=False),
            "loaded": pair.log_ratios(under_load=True),
            "invalid": pair.invalid,
        }
        for remedy, pair in zip(remedies, evidence.pairs, strict=True)
    ]
