"""``fix``: the recommended remedies as one diff, and, if asked to, written to the files and proven there.

What was measured so far never touched the disk. After writing, the app is started from the files as they are
now, beside what it was before, whose sources are served from memory. What does not hold there is taken out
again, and the rest is proven once more; whatever ends this early, the files are then as they were.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from wirespeed.experiment.events import Listener, Noted, ignore
from wirespeed.experiment.stopping import ConfirmPlan, estimate_of
from wirespeed.model.plan import AdvicePlan
from wirespeed.model.subject import EditedSource
from wirespeed.source.disk import EditNotWritten, OnDisk, write_to_disk
from wirespeed.source.values import Written

from .advise import Advised, study_app
from .beside import FEWEST_ROUNDS, Beside, BesideReport, run_beside
from .edits import Proposal, parts_of
from .fix_document import FixOutcome, Writing, fix_outcome
from .signals import ending_as_ctrl_c, uninterrupted
from .table import Row
from .together import rows_to_compare, wish_of

ROUNDS = 8
PROOFS = 5
"""How often the rest is proven again after something was taken out."""
INTERRUPTED = "interrupted before it was proven"
NOT_SETTLED = "too many others were taken back, and what remained was not proven"


def fix(plan: AdvicePlan, *, write: bool, listener: Listener = ignore) -> FixOutcome:
    """Advise, and show or write what is recommended.

    Raises what ``advise`` raises, and EditNotWritten where the files cannot be changed: none is then.
    """
    started = time.monotonic()
    advised = study_app(plan, listener, started)
    return fix_as_advised(advised, plan, write=write, listener=listener, started=started)


def fix_as_advised(
    advised: Advised, plan: AdvicePlan, *, write: bool, listener: Listener = ignore, started: float
) -> FixOutcome:
    """Show or write what is recommended; raises as ``fix`` does. ``started``: when advising began."""
    writing = None
    if write and advised.together.written is not None and not advised.outcome.interrupted:
        with ending_as_ctrl_c():
            writing = _write_and_prove(advised, plan, listener)
    return fix_outcome(plan, advised, writing, started)


def _write_and_prove(advised: Advised, plan: AdvicePlan, listener: Listener) -> Writing:
    """Write, prove, and take back what does not hold, until all that is written holds."""
    writing = Writing()
    waiting = list(advised.together.standing_proposals)
    for _ in range(PROOFS):
        if not waiting:
            break
        written = advised.zero.writer.write(parts_of(waiting))
        assert isinstance(written, Written)
        failed = _one_writing(advised, waiting, written, plan, writing, listener)
        if failed is None:
            return Writing(interrupted=True, reasons={id(each): INTERRUPTED for each in waiting})
        if not failed:
            writing.written, writing.kept = written, waiting
            return writing
        writing.reasons |= failed
        waiting = [each for each in waiting if id(each) not in failed]
    writing.reasons |= {id(each): NOT_SETTLED for each in waiting}
    return writing


def _one_writing(
    advised: Advised,
    proposals: Sequence[Proposal],
    written: Written,
    plan: AdvicePlan,
    writing: Writing,
    listener: Listener,
) -> dict[int, str] | None:
    """Why proposals did not hold, by their ids; the files are then as they were. None for Ctrl-C."""
    changed: OnDisk | None = None
    try:
        with uninterrupted():
            changed = write_to_disk(written)
        listener(Noted(f"wrote {', '.join(file.path.name for file in changed.files)}; proving it"))
        report = _run_written(advised, proposals, written, plan, listener)
        if report.interrupted:
            _put_back(changed)
            return None
        failed = _failures(advised, proposals, report, writing)
    except KeyboardInterrupt:
        if changed is not None:
            _put_back(changed)
        return None
    except BaseException:
        if changed is not None:
            _put_back(changed)
        raise
    if failed:
        _put_back(changed)
    return failed


def _put_back(changed: OnDisk) -> None:
    """Raises EditNotWritten where that cannot be; then nothing was put back, and nothing is lost."""
    try:
        with uninterrupted():
            changed.roll_back()
    except EditNotWritten as error:
        raise EditNotWritten(
            f"it does not hold, and cannot be put back: {error.message}",
            advice="What was written is in the diff that was shown: git apply -R takes it out.",
        ) from error


def _run_written(
    advised: Advised, proposals: Sequence[Proposal], written: Written, plan: AdvicePlan, listener: Listener
) -> BesideReport:
    """The app as the files have it now, beside the app as it was."""
    before = tuple(EditedSource(file=each.path, text=each.before) for each in written.files)
    chosen = {id(each) for each in proposals}
    return run_beside(
        plan.subject.model_copy(update={"edited": before}),
        plan.subject,
        [wish_of(row, chosen, plan, times_all=True) for row in rows_to_compare(advised.table)],
        plan,
        rounds=max(plan.rounds or ROUNDS, FEWEST_ROUNDS),
        boot_s=advised.zero.boot_s,
        ends=time.monotonic() + plan.budget_s,
        listener=listener,
        hangs_at_shutdown=advised.zero.hangs_at_shutdown,
    )


def _failures(
    advised: Advised, proposals: Sequence[Proposal], report: BesideReport, writing: Writing
) -> dict[int, str]:
    if report.not_started is not None:
        return {id(each): f"the app does not start with it: {report.not_started}" for each in proposals}
    if report.excluded is not None:
        return {id(each): f"it could not be proven: {report.excluded}" for each in proposals}
    failed: dict[int, str] = {}
    for row, seen in zip(rows_to_compare(advised.table), report.endpoints, strict=True):
        name = row.study.planned.request.name
        for proposal, _ in row.recommends:
            estimate = estimate_of(seen.whole, advised.table.plan, 1)
            if estimate is not None and row.measures(proposal):
                writing.after[id(proposal)] = estimate
            if problem := _why_not_held(advised, row, proposal, seen):
                failed.setdefault(id(proposal), f"{name}: {problem}")
    return {key: reason for key, reason in failed.items() if key in {id(each) for each in proposals}}


def _why_not_held(advised: Advised, row: Row, proposal: Proposal, seen: Beside) -> str | None:
    """Other answers take a remedy back wherever it reaches; figures do where it was measured."""
    if seen.problem is not None:
        return seen.problem
    return not_faster(seen, advised.table.plan) if row.measures(proposal) else None


def not_faster(seen: Beside, plan: ConfirmPlan) -> str | None:
    """Why the written app is not proven faster on this request; None where it is, alone or in parallel."""
    estimates = [
        each for each in (estimate_of(seen.whole, plan, 1), estimate_of(seen.parallel, plan, 1)) if each
    ]
    if not estimates:
        return "there was no time to time it; --budget gives more"
    harm = next((each for each in estimates if each.interval[0] > 1 + plan.margin), None)
    if harm is not None:
        return f"once written it takes {harm.ratio:.3g} of the time"
    if not any(each.interval[1] < 1 for each in estimates):
        ratio, (low, high) = estimates[0].ratio, estimates[0].interval
        return f"once written it is not proven faster: {ratio:.3g} of the time [{low:.3g}, {high:.3g}]"
    return None
