"""All arms of all endpoints after the rounds: one table, one family of verdicts. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wirespeed.experiment.confirm import Evidence
from wirespeed.experiment.stopping import ConfirmPlan

from .arms import as_answered
from .budgeting import live_arms, replayed_arms
from .crediting import credited
from .edits import Proposal
from .judging import Judged, judge_all, may_be_recommended, recommended
from .observation import Round, Seen
from .round_figures import Confirmed, figures_of, live_ns
from .round_figures import live_arms as live_figures
from .round_figures import replayed_arms as replayed_figures
from .selection import Candidate, exclude_each_other
from .study import RoundZero, Shared, Study


@dataclass(frozen=True)
class MeasuredArm:
    """What the rounds showed of one arm: its times, and the answers it gave."""

    confirmed: Confirmed
    answers: tuple[Seen, ...]


@dataclass
class Row:
    """One endpoint: its candidates as the rounds saw them, and what was decided of each."""

    study: Study
    candidates: list[Candidate]
    judged: list[Judged] = field(default_factory=list)
    """One a candidate, or none where nothing was measured; ``why_unmeasured`` then says why."""
    chosen: list[int] = field(default_factory=list)
    """Numbers of the candidates that are recommended."""
    credits: list[Credit] = field(default_factory=list)
    why_unmeasured: str | None = None
    failure: str | None = None
    """Why the endpoint was given up during the rounds."""
    live_ns: float | None = None
    path_ns: float | None = None

    @property
    def whole_ns(self) -> float:
        return self.live_ns or float(self.study.seen.whole_ns or 0)

    @property
    def recommends(self) -> list[tuple[Proposal, Judged]]:
        """The recommended changes that reach this endpoint, measured here or credited."""
        own = [(self.candidates[number].proposal, self.judged[number]) for number in self.chosen]
        return own + [(each.candidate.proposal, each.judged) for each in self.credits if each.is_recommended]

    def measures(self, proposal: Proposal) -> bool:
        """Whether a recommended change was measured on this very endpoint."""
        return any(self.candidates[number].proposal is proposal for number in self.chosen)


@dataclass
class Credit:
    """What a change that was measured on another endpoint comes to on this one."""

    candidate: Candidate
    judged: Judged
    measured_on: str
    is_recommended: bool


@dataclass
class Table:
    rows: list[Row]
    """One a study of round 0, in their order."""
    confirmed: list[Confirmed]
    plan: ConfirmPlan

    @property
    def rounds(self) -> int:
        """The most that any arm had, in the app's process or one of its own."""
        return max((len(each.whole) for each in self.confirmed), default=0)

    def row_of(self, study: Study) -> Row:
        return next(row for row in self.rows if row.study is study)


def table_of(
    zero: RoundZero,
    measured: Sequence[Study],
    evidence: Evidence,
    own: Mapping[tuple[int, int], MeasuredArm],
    plan: ConfirmPlan,
    *,
    no_rounds: str,
    allow_equal: bool = False,
) -> Table:
    """Judge every arm, recommend, and credit what is shared.

    ``measured`` are the studies in the order of the evidence's items, ``own`` the arms in processes of their
    own by ``id`` of the study and number in ``kept``. ``no_rounds``: why others have no figures.
    """
    numbers = {id(study): number for number, study in enumerate(measured)}
    rows, flat = [], []
    for study in zero.studies:
        row, confirmed = _row(study, numbers.get(id(study)), evidence, own, no_rounds)
        rows.append(row)
        flat.append(confirmed)
    judged = iter(judge_all([arm for arms in flat for arm in arms], plan))
    for row, confirmed in zip(rows, flat, strict=True):
        row.judged = [next(judged) for _ in confirmed]
        if row.judged:
            row.chosen = recommended(row.candidates, row.judged, plan.margin, allow_equal=allow_equal)
    table = Table(rows, [arm for arms in flat for arm in arms], plan)
    for shared in zero.shared:
        _credit(table, shared)
    return table


def _row(
    study: Study,
    number: int | None,
    evidence: Evidence,
    own: Mapping[tuple[int, int], MeasuredArm],
    no_rounds: str,
) -> tuple[Row, list[Confirmed]]:
    """The endpoint and what is confirmed of its arms. Endpoints that failed or ran out of time are no part of
    the family: neither looks at ratios.
    """
    row = Row(study, list(study.kept))
    rounds: list[Round] = []
    if number is not None:
        row.failure = evidence.failures.get(number)
        if row.failure is None and number not in evidence.dropped:
            rounds = [Round.model_validate(each[number]) for each in evidence.rounds if number in each]
    arms = dict(_in_process(study.kept, rounds)) if rounds else {}
    arms |= {
        id(each): own[id(study), place] for place, each in enumerate(study.kept) if (id(study), place) in own
    }
    if not arms:
        row.why_unmeasured = row.failure or no_rounds
        return row, []
    missing = MeasuredArm(Confirmed((), invalid=no_rounds), ())
    found = [arms.get(id(each), missing) for each in study.kept]
    row.candidates = [as_answered(each, arm.answers) for each, arm in zip(study.kept, found, strict=True)]
    if rounds:
        row.live_ns = statistics.median(live_ns(each) for each in rounds)
        paths = [figures_of(each).baseline_ns for each in rounds if each.invalid is None and each.runs]
        row.path_ns = statistics.median(paths) if paths else None
    return row, [arm.confirmed for arm in found]


def _in_process(kept: Sequence[Candidate], rounds: Sequence[Round]) -> Iterator[tuple[int, MeasuredArm]]:
    """By the ``id`` of the candidate."""
    replayed, live = replayed_arms(kept), live_arms(kept)
    for number, (each, arm) in enumerate(zip(replayed, replayed_figures(rounds, len(replayed)), strict=True)):
        yield id(each), MeasuredArm(arm, tuple(r.answers[number] for r in rounds if r.answers))
    for number, (each, arm) in enumerate(zip(live, live_figures(rounds, len(live)), strict=True)):
        yield id(each), MeasuredArm(arm, tuple(r.live_answers[number] for r in rounds if r.live_answers))


def _credit(table: Table, shared: Shared) -> None:
    """Give every other user of a shared change its share, where the change has figures."""
    source = table.row_of(shared.measured_on)
    place = next((n for n, each in enumerate(source.candidates) if each.proposal is shared.proposal), None)
    if place is None or not source.judged or source.judged[place].whole.estimate is None:
        return
    candidate, judged = source.candidates[place], source.judged[place]
    for study in shared.users:
        if study is source.study:
            continue
        row = table.row_of(study)
        share = credited(judged, source.whole_ns, row.whole_ns, table.plan)
        is_recommended = (
            place in source.chosen
            and may_be_recommended(candidate)
            and share.is_proven(table.plan.margin)
            and not any(exclude_each_other(candidate.change, other.change) for other, _ in row.recommends)
        )
        name = source.study.planned.request.name
        row.credits.append(Credit(candidate, share, name, is_recommended))
