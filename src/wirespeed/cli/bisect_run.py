"""``wirespeed bisect`` once its plan is made: search, print, keep the record, and the exit code."""

from __future__ import annotations

import sys

from wirespeed.bisect.bisect import Outcome, bisect
from wirespeed.cli.bisect_progress import watching
from wirespeed.cli.commands import INTERRUPTED
from wirespeed.cli.failures import tell, warn
from wirespeed.cli.output import print_json
from wirespeed.errors import MeasurementInvalid, RecordNotSaved
from wirespeed.model import bisection
from wirespeed.model.bisection import Bisection
from wirespeed.model.bisection_plan import BisectionPlan
from wirespeed.model.record import Record
from wirespeed.report.bisection import print_bisection
from wirespeed.report.terminal import make_console
from wirespeed.store import records


def measure(plan: BisectionPlan, *, as_json: bool, save: bool) -> int:
    """Bisect, and return the exit code."""
    with watching(sys.stderr) as watcher:
        outcome = bisect(plan, watcher)
    if as_json:
        print_json(outcome.document.to_json())
    else:
        print_bisection(outcome.document, make_console(sys.stdout))
    if save:
        _save(outcome, plan)
    return exit_code(outcome.document)


def exit_code(document: Bisection) -> int:
    """The first that applies. Who asks for a release is told when none could be named."""
    if not document.complete:
        return INTERRUPTED
    unknown = (bisection.Outcome.INVALID, bisection.Outcome.INCONCLUSIVE)
    return MeasurementInvalid.exit_code if document.outcome in unknown else 0


def _save(outcome: Outcome, plan: BisectionPlan) -> None:
    try:
        record = Record(kind="bisection", document=outcome.document, evidence=outcome.evidence)
        path = records.save(record, plan.app.folder)
    except RecordNotSaved as error:
        warn(error.message, error.advice)
    else:
        tell(f"The record is in {path}")
