"""``wirespeed compare`` once its plan is made: measure, print, keep the record, and the exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from wirespeed.cli.commands import CHECK_FAILED, INTERRUPTED
from wirespeed.cli.failures import tell, warn
from wirespeed.cli.output import print_json
from wirespeed.cli.progress import watching
from wirespeed.cli.reports import chosen_reports, write_reports
from wirespeed.errors import MeasurementInvalid, RecordNotSaved
from wirespeed.experiment.compare import Outcome, compare
from wirespeed.model.comparison import Comparison
from wirespeed.model.comparison_plan import ComparisonPlan
from wirespeed.model.record import Record
from wirespeed.model.verdict import Verdict
from wirespeed.report.comparison import print_comparison
from wirespeed.report.terminal import make_console
from wirespeed.store import records


def measure(
    plan: ComparisonPlan,
    demanded: Sequence[Verdict],
    *,
    reports: Sequence[str] = (),
    as_json: bool,
    save: bool,
) -> int:
    """Compare, and return the exit code; ``demanded`` are the verdicts that fail the check."""
    written = chosen_reports(reports, Comparison, plan.folder, as_json=as_json, failing=demanded)
    with watching(sys.stderr) as listener:
        outcome = compare(plan, listener)
    if as_json:
        print_json(outcome.document.to_json())
    elif not written.fill_stdout:
        print_comparison(outcome.document, make_console(sys.stdout))
    if save:
        _save(outcome, plan)
    write_reports(outcome.document, written)
    return exit_code(outcome.document, demanded)


def exit_code(comparison: Comparison, demanded: Sequence[Verdict]) -> int:
    """The first that applies. Who demands a verdict, or no end before one, is told when there is none."""
    verdicts = [estimate.verdict for estimate in comparison.estimates if estimate.verdict is not None]
    is_demanded = bool(demanded) or comparison.plan.budget_s is None
    if not comparison.complete:
        return INTERRUPTED
    if not comparison.validity.valid or (is_demanded and Verdict.INCONCLUSIVE in verdicts):
        return MeasurementInvalid.exit_code
    return CHECK_FAILED if any(verdict in demanded for verdict in verdicts) else 0


def _save(outcome: Outcome, plan: ComparisonPlan) -> None:
    try:
        record = Record(kind="comparison", document=outcome.document, evidence=outcome.evidence)
        path = records.save(record, plan.folder)
    except RecordNotSaved as error:
        warn(error.message, error.advice)
    else:
        tell(f"The record is in {path}")
