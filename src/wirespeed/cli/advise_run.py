"""``wirespeed advise`` once its plan is made: measure or list, keep the record, print, and the exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from wirespeed.cli.commands import CHECK_FAILED, INTERRUPTED
from wirespeed.cli.failures import tell, warn
from wirespeed.cli.output import listing_json, print_json
from wirespeed.cli.progress import watching
from wirespeed.cli.reports import chosen_reports, write_reports
from wirespeed.cli.values import rule_codes
from wirespeed.diagnosis.advise import Outcome, advise, list_requests
from wirespeed.diagnosis.known import baseline_of
from wirespeed.diagnosis.rules import all_rules
from wirespeed.errors import RecordNotSaved, UsageError
from wirespeed.model.advice import Advice
from wirespeed.model.plan import AdvicePlan
from wirespeed.model.record import Record
from wirespeed.report.checks import failing_arms
from wirespeed.report.dry_run import dry_run_view
from wirespeed.report.terminal import make_console, print_advice, print_dry_run
from wirespeed.report.text import counted
from wirespeed.report.view import advice_view
from wirespeed.store import records
from wirespeed.store.baseline_file import write_baseline as write_baseline_file


def measure(
    plan: AdvicePlan,
    *,
    fail_on: Sequence[str],
    reports: Sequence[str] = (),
    write_baseline: str | None = None,
    as_json: bool,
    save: bool,
    everything: bool = False,
) -> int:
    """Advise, and return the exit code; ``everything``: fold nothing in the report."""
    codes = rule_codes(fail_on, "--fail-on", list(all_rules()))
    written = chosen_reports(reports, Advice, plan.subject.folder, as_json=as_json, failing=codes)
    with watching(sys.stderr) as listener:
        outcome = advise(plan, listener)
    if as_json:
        print_json(outcome.advice.to_json())
    elif not written.fill_stdout:
        view = advice_view(outcome.advice, everything=everything, option_for_everything="--all")
        print_advice(view, make_console(sys.stdout))
    if save:
        _save(outcome, plan.subject.folder)
    write_reports(outcome.advice, written)
    if write_baseline is not None:
        _write_baseline(outcome.advice, Path(write_baseline).expanduser())
    failed = list(failed_checks(outcome.advice, codes))
    for check in failed:
        warn(check)
    if outcome.interrupted:
        return INTERRUPTED
    return CHECK_FAILED if failed else 0


def list_only(plan: AdvicePlan, *, reports: Sequence[str] = (), as_json: bool) -> int:
    """List what ``measure`` would call."""
    if reports:
        raise UsageError("--report has nothing to tell of a dry run", advice="Leave one of them out.")
    with watching(sys.stderr) as listener:
        listing = list_requests(plan, listener)
    if as_json:
        print_json(listing_json(listing))
    else:
        print_dry_run(dry_run_view(listing), make_console(sys.stdout))
    return 0


def failed_checks(advice: Advice, codes: Sequence[str]) -> Iterator[str]:
    """One sentence for every remedy that fails the check."""
    for endpoint in advice.endpoints:
        for arm in failing_arms(endpoint, codes):
            yield f"{arm.code}: {arm.name} would make {endpoint.request} faster"


def _write_baseline(advice: Advice, path: Path) -> None:
    """One that was stopped early would forget what it did not come to."""
    if not advice.complete:
        warn(
            "no baseline was written, as not everything was looked at",
            "Run it again, with a larger --budget.",
        )
        return
    baseline = baseline_of(advice)
    write_baseline_file(baseline, path)
    tell(f"The baseline with {counted(len(baseline.findings), 'finding')} is in {path}")


def _save(outcome: Outcome, folder: Path) -> None:
    try:
        path = records.save(Record(document=outcome.advice, evidence=outcome.evidence), folder)
    except RecordNotSaved as error:
        warn(error.message, error.advice)
    else:
        tell(f"The record is in {path}")
