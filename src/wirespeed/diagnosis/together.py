"""All recommended remedies together, as one diff: does the edited app answer alike, and as fast as its arms?

An arm is a stand-in: a variant of the route, or a function compiled into its module. What the user will have
is the edited app. So it is started beside the original and must agree with both: the bytes of every request
that was captured, OpenAPI but for what was announced, and the times of the arms. A remedy that does not is no
remedy.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from wirespeed.experiment.events import Listener
from wirespeed.experiment.stopping import ConfirmPlan, estimate_of
from wirespeed.model.plan import AdvicePlan
from wirespeed.model.verdict import Estimate
from wirespeed.source.values import NoEdit, Written

from .beside import Beside, BesideReport, BesideWish, run_beside
from .budgeting import ROUNDS_BESIDE, Clock
from .edits import Proposal, Writer, parts_of
from .judging import Judged
from .own_process import edited_sources
from .requests import SAFE_METHODS
from .study import RoundZero
from .table import Row, Table

TRIALS = 4
"""How often the diff is tried at most: without those that did not hold, and again where times disagreed."""


@dataclass(frozen=True)
class Standing:
    """What became of one recommended remedy in the edited app."""

    is_confirmed: bool = False
    is_invalid: bool = False
    reason: str | None = None


@dataclass
class Together:
    """``written``: all remedies that still stand and have an edit, as one change of the files."""

    standings: dict[int, Standing] = field(default_factory=dict)
    standing_proposals: list[Proposal] = field(default_factory=list)
    written: Written | None = None
    notes: list[str] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    interrupted: bool = False

    @property
    def diff(self) -> str | None:
        return None if self.written is None else self.written.diff

    def standing(self, proposal: Proposal) -> Standing:
        return self.standings.get(id(proposal), Standing())


def confirm_together(
    table: Table, zero: RoundZero, plan: AdvicePlan, clock: Clock, listener: Listener
) -> Together:
    """Write down what is recommended, start it beside the original, and compare; in time if it can be.

    What turns out different takes the remedies of its endpoint out, and the rest is tried again. Times that
    disagree must do so in two trials: two processes side by side share a machine that others use, too.
    """
    together, writer = Together(), zero.writer
    standing = _written_down(table, writer, together)
    doubts: set[str] = set()
    for trials_left in reversed(range(TRIALS)):
        if not standing or together.interrupted:
            break
        if trials_left < TRIALS - 1 and _is_over(clock, zero):
            _leave(standing, together, "the budget left no time to try the rest of the diff again")
            break
        written = _must_write(writer, standing)
        chosen = {id(each) for each in standing}
        rows = rows_to_compare(table)
        report = run_beside(
            plan.subject,
            plan.subject.model_copy(update={"edited": edited_sources(written)}),
            [wish_of(row, chosen, plan) for row in rows],
            plan,
            rounds=ROUNDS_BESIDE,
            boot_s=zero.boot_s,
            ends=clock.ends,
            listener=listener,
            hangs_at_shutdown=zero.hangs_at_shutdown,
        )
        together.evidence.append(report.evidence or {})
        together.interrupted = report.interrupted
        can_repeat = trials_left > 0 and not _is_over(clock, zero)
        failed, doubted = _judge(standing, rows, report, table, together, doubts if can_repeat else None)
        if not failed and not doubted:
            break
        doubts |= doubted
        standing = [each for each in standing if id(each) not in failed]
    together.standing_proposals = standing
    together.written = _must_write(writer, standing) if standing else None
    return together


def _is_over(clock: Clock, zero: RoundZero) -> bool:
    return time.monotonic() + 2 * zero.boot_s > clock.ends


def _may_be_timed(row: Row, proposal: Proposal) -> bool:
    return proposal.is_live or row.study.planned.request.method in SAFE_METHODS


def _must_write(writer: Writer, proposals: Sequence[Proposal]) -> Written:
    """Fewer parts of what could be written before."""
    written = writer.write(parts_of(proposals))
    assert isinstance(written, Written), written
    return written


def _written_down(table: Table, writer: Writer, together: Together) -> list[Proposal]:
    """The recommended remedies that can stand in one diff, the most worthwhile first."""
    accepted: list[Proposal] = []
    for proposal in _recommended(table):
        if not proposal.parts or not proposal.files:
            continue
        outcome = writer.write(parts_of([*accepted, proposal]))
        if isinstance(outcome, NoEdit):
            reason = f"no part of the common diff: {outcome.reason}"
            together.standings[id(proposal)] = Standing(reason=reason)
        else:
            accepted.append(proposal)
    return accepted


def _recommended(table: Table) -> list[Proposal]:
    worth: dict[int, tuple[float, Proposal]] = {}
    for row in table.rows:
        for proposal, judged in row.recommends:
            saved, _ = worth.get(id(proposal), (0.0, proposal))
            worth[id(proposal)] = (saved + (1 - judged.best_ratio) * row.whole_ns, proposal)
    return [proposal for _, proposal in sorted(worth.values(), key=lambda each: -each[0])]


def rows_to_compare(table: Table) -> list[Row]:
    """The endpoints whose answers were captured: they may be called again."""
    return [
        row
        for row in table.rows
        if row.study.is_measurable and row.study.note is None and row.failure is None
    ]


def wish_of(row: Row, chosen: Collection[int], plan: AdvicePlan, *, times_all: bool = False) -> BesideWish:
    """``chosen``: ids of the proposals that the edited app has; an endpoint with none is only compared.

    So is one whose requests may change something, while replay is enough to measure it.
    """
    mine = [(each, judged) for each, judged in row.recommends if id(each) in chosen]
    return BesideWish(
        row.study.planned.request,
        whole_ns=row.whole_ns,
        is_timed=any(row.measures(each) and (times_all or _may_be_timed(row, each)) for each, _ in mine),
        in_parallel=any(each.change.in_parallel for each, _ in mine),
        worth_ns=sum((1 - judged.best_ratio) * row.whole_ns for _, judged in mine),
        allow_equal=plan.allow_equal,
    )


def _judge(
    proposals: Sequence[Proposal],
    rows: Sequence[Row],
    report: BesideReport,
    table: Table,
    together: Together,
    doubts: Collection[str] | None,
) -> tuple[set[int], set[str]]:
    """Ids of the proposals that did not hold; what became of each is then among the standings.

    And the requests whose times disagree and are not among ``doubts``: they want another trial. Where there
    will be none (``None``), they do not hold.
    """
    if report.not_started is not None:
        return _did_not_start(proposals, report.not_started, together), set()
    if report.excluded is not None:
        _leave(proposals, together, f"the edited app was not tried: {report.excluded}")
        return set(), set()
    together.notes += _openapi_notes(proposals, report)
    failed: set[int] = set()
    doubted: set[str] = set()
    for row, seen in zip(rows, report.endpoints, strict=True):
        mine = [each for each in row.recommends if any(each[0] is proposal for proposal in proposals)]
        name = row.study.planned.request.name
        apart = disagreement([each for _, each in mine], seen, table.plan)
        if seen.problem is None and apart is not None and doubts is not None and name not in doubts:
            doubted.add(name)
        elif (problem := seen.problem or apart) is not None:
            failed |= _did_not_hold(row, [proposal for proposal, _ in mine], problem, together)
    for proposal in proposals:
        if id(proposal) not in failed:
            together.standings[id(proposal)] = _held(proposal, rows, report.endpoints)
    return failed, doubted


def _did_not_hold(row: Row, mine: Sequence[Proposal], problem: str, together: Together) -> set[int]:
    """Remedies of this endpoint; where there are none, the difference is worth a note all the same."""
    name = row.study.planned.request.name
    if not mine:
        together.notes.append(f"in the edited app, {name} is not as it was: {problem}")
    for proposal in mine:
        reason = f"the edited app does not hold it on {name}: {problem}"
        together.standings[id(proposal)] = Standing(is_invalid=True, reason=reason)
    return {id(each) for each in mine}


def _openapi_notes(proposals: Sequence[Proposal], report: BesideReport) -> list[str]:
    """What a type does to OpenAPI stands beside its arm; nothing else may change it."""
    if report.openapi is None or report.openapi.fidelity == "identical":
        return []
    if any(each.change.annotation is not None for each in proposals):
        return []
    places = ", ".join(difference.at for difference in report.openapi.differences[:3])
    return [f"the edited app describes itself otherwise in OpenAPI: {places}"]


def _did_not_start(proposals: Sequence[Proposal], reason: str, together: Together) -> set[int]:
    """One that stops the app is no remedy; among several, the less worthwhile half is left aside."""
    if len(proposals) == 1:
        told = f"the edited app does not start: {reason}"
        together.standings[id(proposals[0])] = Standing(is_invalid=True, reason=told)
        return {id(proposals[0])}
    aside = proposals[len(proposals) // 2 :]
    _leave(aside, together, f"with it and others the edited app does not start: {reason}")
    return {id(each) for each in aside}


def _leave(proposals: Sequence[Proposal], together: Together, reason: str) -> None:
    for each in proposals:
        together.standings[id(each)] = Standing(reason=reason)


def _held(proposal: Proposal, rows: Sequence[Row], endpoints: Sequence[Beside]) -> Standing:
    """Nothing spoke against it; confirmed is what the edited app was also timed with."""
    for row, seen in zip(rows, endpoints, strict=True):
        if len(seen.whole) > 1 and any(each is proposal for each, _ in row.recommends):
            return Standing(is_confirmed=True)
        if row.measures(proposal) and not _may_be_timed(row, proposal):
            method = row.study.planned.request.method
            return Standing(
                reason=f"the edited app answers alike; not timed, as {method} may change something"
            )
    return Standing(reason="the edited app answers alike; the budget left no time to time it")


def disagreement(arms: Sequence[Judged], seen: Beside, plan: ConfirmPlan) -> str | None:
    """What the edited app's times say against those of the endpoint's recommended arms, or None.

    Alone and in parallel, its interval must meet what the arms leave open. Several remedies of one endpoint
    save at least what the best one saves. What they save more than the sum of all is no contradiction:
    remedies help each other (a type costs a thread hop, and ``async def`` takes it away), and clients lose
    nothing by it.
    """
    if not arms:
        return None
    alone = [each.whole.estimate for each in arms if each.whole.estimate is not None]
    parallel = [each.parallel.estimate for each in arms if each.parallel and each.parallel.estimate]
    metrics = [("", alone, seen.whole)]
    if len(parallel) == len(arms):
        metrics.append((" with others in flight", parallel, seen.parallel))
    return next(
        (f"{told}{name}" for name, expected, found in metrics if (told := _apart(expected, found, plan))),
        None,
    )


def _apart(expected: Sequence[Estimate], found: Sequence[float], plan: ConfirmPlan) -> str | None:
    estimate = estimate_of(found, plan, 1) if expected else None
    if estimate is None:
        return None
    low, high = _left_open(expected)
    # In shares of the original's time: a per cent of what is left of a request 20 times faster is noise.
    if estimate.interval[0] > high + plan.margin or (
        len(expected) == 1 and estimate.interval[1] < low - plan.margin
    ):
        return f"its time is {estimate.ratio:.3g} of the original's, and the arms say {low:.3g} to {high:.3g}"
    return None


def _left_open(expected: Sequence[Estimate]) -> tuple[float, float]:
    """From all savings added up to the best one alone."""
    low = 1 - math.fsum(1 - each.interval[0] for each in expected)
    return max(low, 0.0), min(each.interval[1] for each in expected)
