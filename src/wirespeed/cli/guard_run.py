"""``wirespeed guard`` once its plan is made: measure, print, keep the record, and the exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Literal

from wirespeed.cli.commands import CHECK_FAILED, INTERRUPTED
from wirespeed.cli.failures import tell, warn
from wirespeed.cli.output import print_json
from wirespeed.cli.progress import watching
from wirespeed.cli.reports import chosen_reports, write_reports
from wirespeed.errors import MeasurementInvalid, RecordNotSaved, UsageError
from wirespeed.guard.guard import Outcome, guard
from wirespeed.model.guard import Guard, GuardDecision
from wirespeed.model.guard_plan import GuardPlan
from wirespeed.model.record import Record
from wirespeed.report.guard import print_guard
from wirespeed.report.terminal import make_console
from wirespeed.store import records

WhenInconclusive = Literal["fail", "pass"]


def when_inconclusive(text: str) -> WhenInconclusive:
    """What ``--inconclusive`` asks for."""
    match text.strip().lower():
        case "fail":
            return "fail"
        case "pass":
            return "pass"
    raise UsageError(f"--inconclusive {text!r} is not known", advice="It is fail or pass.")


def measure(
    plan: GuardPlan,
    inconclusive: WhenInconclusive,
    *,
    reports: Sequence[str] = (),
    as_json: bool,
    save: bool,
) -> int:
    """Guard, and return the exit code."""
    written = chosen_reports(reports, Guard, plan.subject.folder, as_json=as_json)
    with watching(sys.stderr) as listener:
        outcome = guard(plan, listener)
    if as_json:
        print_json(outcome.document.to_json())
    elif not written.fill_stdout:
        print_guard(outcome.document, make_console(sys.stdout))
    if save:
        _save(outcome, plan)
    write_reports(outcome.document, written)
    if outcome.document.decision is GuardDecision.INCONCLUSIVE and outcome.document.complete:
        warn("the guard is inconclusive: a slowdown is neither proven nor excluded")
    return exit_code(outcome.document, inconclusive)


def exit_code(document: Guard, inconclusive: WhenInconclusive) -> int:
    """The first that applies. Who asks that the inconclusive fail demands a verdict, and has none."""
    if not document.complete:
        return INTERRUPTED
    if document.decision is GuardDecision.INCONCLUSIVE and inconclusive == "fail":
        return MeasurementInvalid.exit_code
    return CHECK_FAILED if document.decision is GuardDecision.FAIL else 0


def _save(outcome: Outcome, plan: GuardPlan) -> None:
    try:
        record = Record(kind="guard", document=outcome.document, evidence=outcome.evidence)
        path = records.save(record, plan.subject.folder)
    except RecordNotSaved as error:
        warn(error.message, error.advice)
    else:
        tell(f"The record is in {path}")
