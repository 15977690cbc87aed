"""``wirespeed fix`` once its plan is made: show or write, print, and the exit code."""

from __future__ import annotations

import sys

from wirespeed.cli.commands import CHECK_FAILED, INTERRUPTED
from wirespeed.cli.output import print_bytes, print_json
from wirespeed.cli.progress import watching
from wirespeed.diagnosis.fix import fix
from wirespeed.diagnosis.fix_document import FixOutcome
from wirespeed.model.plan import AdvicePlan
from wirespeed.report.fix import fix_view
from wirespeed.report.fix_terminal import print_fix
from wirespeed.report.terminal import make_console


def run(plan: AdvicePlan, *, write: bool, as_json: bool) -> int:
    """Fix, and return the exit code: 1 where something that was written had to be rolled back."""
    with watching(sys.stderr) as listener:
        outcome = fix(plan, write=write, listener=listener)
    _print(outcome, only_diff=not write and not sys.stdout.isatty(), as_json=as_json)
    if outcome.interrupted:
        return INTERRUPTED
    return CHECK_FAILED if outcome.was_rolled_back else 0


def _print(outcome: FixOutcome, *, only_diff: bool, as_json: bool) -> None:
    """In a pipe, the diff alone stands on stdout, in the encoding of the files, and the rest on stderr."""
    if as_json:
        print_json(outcome.fix.to_json())
        return
    view = fix_view(outcome.fix)
    if only_diff:
        print_fix(view, make_console(sys.stderr), with_diff=False)
        print_bytes(outcome.patch)
    else:
        print_fix(view, make_console(sys.stdout), with_diff=True)
