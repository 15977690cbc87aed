"""Arms that cannot be had in the app's process: each is the edited app, in a process of its own.

Such arms of different endpoints do not meet, so that one edited app carries an arm of each; a change that
many endpoints run has an app of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from wirespeed.experiment.confirm import rounds_for
from wirespeed.experiment.events import Listener
from wirespeed.model.plan import AdvicePlan
from wirespeed.model.subject import EditedSource
from wirespeed.source.values import Written

from .beside import FEWEST_ROUNDS, Beside, BesideReport, BesideWish, run_beside
from .budgeting import Clock
from .edits import Writer, parts_of
from .round_figures import Confirmed
from .screening import is_of_one_route
from .selection import Candidate, expected_ratio
from .study import RoundZero, Study
from .table import MeasuredArm

APPS_AT_MOST = 4

Place = tuple[int, int]
"""Of an arm: the ``id`` of its study, and its number in ``kept``."""


def measure_own(
    zero: RoundZero, plan: AdvicePlan, clock: Clock, listener: Listener
) -> dict[Place, MeasuredArm]:
    """What the rounds show of every such arm there is time for; the most worthwhile first."""
    found: dict[Place, MeasuredArm] = {}
    groups = list(_groups(zero.studies, zero.writer))
    for number, (written, arms) in enumerate(groups):
        left_s = clock.own_ends - time.monotonic()
        report = run_beside(
            plan.subject,
            plan.subject.model_copy(update={"edited": edited_sources(written)}),
            [_wish(study, candidate) for study, _, candidate in arms],
            plan,
            rounds=_rounds(arms, plan),
            boot_s=zero.boot_s,
            ends=time.monotonic() + left_s / (len(groups) - number),
            listener=listener,
            hangs_at_shutdown=zero.hangs_at_shutdown,
        )
        found.update(_measured(arms, report))
        if report.interrupted:
            break
    return found


def _rounds(arms: Sequence[_Arm], plan: AdvicePlan) -> int:
    """As few as show the least that is expected of the arms; fixed before the first.

    The fewest where none can be recommended: processes are dear, and nothing is decided by them.
    """
    deciding = [arm for arm in arms if not arm[2].is_only_shown]
    if not deciding:
        return FEWEST_ROUNDS
    return rounds_for(min(map(_expected_effect, deciding)), len(arms), plan.alpha)


def _expected_effect(arm: _Arm) -> float:
    study, _, candidate = arm
    screening, whole_ns = study.screening, study.seen.whole_ns
    if screening is None:
        return 0.0
    if whole_ns and screening.floor_ns and any(each.what == "cache bytes" for each in candidate.change.edits):
        # What is left of the request is the floor itself.
        return 1 - screening.floor_ns / whole_ns
    return abs(1 - expected_ratio(candidate, study.seen, screening))


def edited_sources(written: Written) -> tuple[EditedSource, ...]:
    """The files as an app is to be started with."""
    return tuple(EditedSource(file=each.path, text=each.after) for each in written.files)


_Arm = tuple[Study, int, Candidate]


def _groups(studies: Sequence[Study], writer: Writer) -> Iterator[tuple[Written, list[_Arm]]]:
    """Which arms go into one edited app."""
    groups: list[list[_Arm]] = []
    by_worth = sorted(studies, key=lambda study: -study.promised_ns)
    for study in by_worth:
        for number, candidate in enumerate(study.kept):
            if candidate.needs_own_process:
                _put((study, number, candidate), groups, writer)
    for group in groups[:APPS_AT_MOST]:
        written = writer.write(parts_of([each.proposal for _, _, each in group]))
        if isinstance(written, Written):
            yield written, group


def _put(arm: _Arm, groups: list[list[_Arm]], writer: Writer) -> None:
    """Into the first group whose endpoints it does not touch, and with whose edits it can be written."""
    study, _, candidate = arm
    for group in groups if is_of_one_route(candidate.change) else ():
        meets = any(study is other or not is_of_one_route(each.change) for other, _, each in group)
        proposals = [*(each.proposal for _, _, each in group), candidate.proposal]
        if not meets and isinstance(writer.write(parts_of(proposals)), Written):
            group.append(arm)
            return
    groups.append([arm])


def _wish(study: Study, candidate: Candidate) -> BesideWish:
    return BesideWish(
        study.planned.request,
        whole_ns=float(study.seen.whole_ns or 0),
        is_timed=True,
        in_parallel=candidate.change.in_parallel,
        worth_ns=study.promised_ns,
    )


def _measured(arms: Sequence[_Arm], report: BesideReport) -> Iterator[tuple[Place, MeasuredArm]]:
    reason = report.not_started and f"the edited app does not start: {report.not_started}"
    for position, (study, number, _) in enumerate(arms):
        place = id(study), number
        if not report.endpoints:
            yield place, MeasuredArm(Confirmed((), invalid=reason or report.excluded), ())
        else:
            yield place, _arm(report.endpoints[position])


def _arm(seen: Beside) -> MeasuredArm:
    answers = () if seen.seen is None else (seen.seen,)
    differs = seen.seen is not None and seen.seen.fidelity != "identical"
    # What clients would see otherwise is told as what it is; all other problems leave no figures.
    invalid = None if seen.problem is None or differs else seen.problem
    return MeasuredArm(Confirmed(seen.whole, parallel=seen.parallel, invalid=invalid), answers)
