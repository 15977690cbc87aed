"""``wirespeed selfcheck`` behind its options: plan, measure, print, and the exit code."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from wirespeed.cli.commands import INTERRUPTED
from wirespeed.cli.failures import tell, warn
from wirespeed.cli.interpreter import choose_python
from wirespeed.cli.output import print_json
from wirespeed.cli.progress import watching
from wirespeed.cli.values import chosen_seed, enough_rounds
from wirespeed.errors import RecordNotSaved
from wirespeed.experiment.selfcheck import selfcheck
from wirespeed.model.plan import SelfcheckPlan
from wirespeed.model.selfcheck import Selfcheck
from wirespeed.report.selfcheck import print_selfcheck
from wirespeed.report.terminal import make_console
from wirespeed.store import machine_check


def selfcheck_plan(python: str | None, rounds: int, seed: int | None) -> SelfcheckPlan:
    """The plan behind the options; raises ``UsageError`` for the first that cannot be."""
    return SelfcheckPlan(
        python=choose_python(python, Path.cwd(), os.environ),
        rounds=enough_rounds(rounds),
        seed=chosen_seed(seed),
    )


def measure(plan: SelfcheckPlan, *, as_json: bool) -> int:
    """Check the machine, and return the exit code: only Ctrl-C leaves a check incomplete."""
    with watching(sys.stderr) as listener:
        checked = selfcheck(plan, listener)
    if as_json:
        print_json(checked.to_json())
    else:
        print_selfcheck(checked, make_console(sys.stdout))
    _keep(checked)
    return 0 if checked.complete else INTERRUPTED


def _keep(checked: Selfcheck) -> None:
    """Later measurements take how rounds depend on each other from here; a short check does not know."""
    if all(kind.pairings is None for kind in checked.kinds):
        return
    try:
        path = machine_check.keep(checked, os.environ)
    except RecordNotSaved as error:
        warn(error.message, error.advice)
    else:
        tell(f"Later measurements go by this check, in {path}")
