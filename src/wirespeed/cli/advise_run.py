"""``wirespeed advise`` once its plan is made: measure or list, keep the record, print, and the exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from wirespeed.cli.commands import CHECK_FAILED, INTERRUPTED
from wirespeed.cli.failures import tell, warn
from wirespeed.cli.output import listing_json, print_json
from wirespeed.cli.progress import watching
from wirespeed.cli.values import rule_codes
from wirespeed.diagnosis.advise import Outcome, advise, list_requests
from wirespeed.diagnosis.rules import all_rules
from wirespeed.errors import RecordNotSaved
from wirespeed.model.advice import Advice
from wirespeed.model.plan import AdvicePlan
from wirespeed.model.record import Record
from wirespeed.report.dry_run import dry_run_view
from wirespeed.report.terminal import make_console, print_advice, print_dry_run
from wirespeed.report.view import advice_view
from wirespeed.store import records


def measure(
    plan: AdvicePlan, *, fail_on: Sequence[str], as_json: bool, save: bool, everything: bool = False
) -> int:
    """Advise, and return the exit code; ``everything``: fold nothing in the report."""
    codes = rule_codes(fail_on, "--fail-on", list(all_rules()))
    with watching(sys.stderr) as listener:
        outcome = advise(plan, listener)
    if as_json:
        print_json(outcome.advice.to_json())
    else:
        view = advice_view(outcome.advice, everything=everything, option_for_everything="--all")
        print_advice(view, make_console(sys.stdout))
    if save:
        _save(outcome, plan.subject.folder)
    failed = list(failed_checks(outcome.advice, codes))
    for check in failed:
        warn(check)
    if outcome.interrupted:
        return INTERRUPTED
    return CHECK_FAILED if failed else 0


def list_only(plan: AdvicePlan, *, as_json: bool) -> int:
    """List what ``measure`` would call."""
    with watching(sys.stderr) as listener:
        listing = list_requests(plan, listener)
    if as_json:
        print_json(listing_json(listing))
    else:
        print_dry_run(dry_run_view(listing), make_console(sys.stdout))
    return 0


def failed_checks(advice: Advice, codes: Sequence[str]) -> Iterator[str]:
    """One sentence for every remedy of these rules that is recommended.

    A rule that fired without a remedy that helps fails no check: there would be nothing to do about it.
    """
    for endpoint in advice.endpoints:
        for arm in endpoint.arms:
            if arm.recommended and arm.code.startswith(tuple(codes)):
                yield f"{arm.code}: {arm.name} would make {endpoint.request} faster"


def _save(outcome: Outcome, folder: Path) -> None:
    try:
        path = records.save(Record(document=outcome.advice, evidence=outcome.evidence), folder)
    except RecordNotSaved as error:
        warn(error.message, error.advice)
    else:
        tell(f"The record is in {path}")
