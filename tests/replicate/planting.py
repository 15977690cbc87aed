"""Suites whose app is another one, measured for real with as little as possible."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from wirespeed.experiment.events import ignore
from wirespeed.model.replication import ClaimVerdict
from wirespeed.replicate.experiments import Effort
from wirespeed.replicate.judging import alpha_of, judge
from wirespeed.replicate.results import SuiteResults
from wirespeed.replicate.run import Order, measured
from wirespeed.replicate.suite import Experiment, Fact, Inspection, Ratio, SameBytes, SingleRuns, Step, Suite

PLANTED = Path(__file__).parent / "planted"
PYTHON = Path(sys.executable)
QUICK = Effort(quick=True, seed=1, pairings=0)
LONGER = Effort(quick=False, seed=1, pairings=0)
"""Five rounds instead of three, for intervals that a busy machine does not make too wide."""


def planted(suite: Suite, name: str, *steps: str) -> Suite:
    """The suite with ``planted/NAME.py`` for an app, and only the steps (all by default) that claims need."""
    wanted = {name for claim in suite.claims for name in map(_step_of, claim.evidence)}
    kept = [tiny(each) for each in suite.steps if each.name in wanted & set(steps or wanted)]
    return replace(suite, app=PLANTED / f"{name}.py", steps=tuple(kept))


def _step_of(evidence: Ratio | SameBytes | Fact) -> str:
    return evidence.step


def tiny(step: Step) -> Step:
    """As few rounds as there can be, four connections, one run of each arm."""
    match step:
        case Experiment():
            connections = min(step.connections, 4)
            return replace(
                step,
                budget_s=0.1,
                quick_budget_s=0.1,
                connections=connections,
                quick_connections=None,
                in_quick=True,
            )
        case SingleRuns():
            return replace(
                step, requests=20, quick_requests=20, duration_s=None, repeats=1, connections=1, rest_s=0.0
            )
        case Inspection():
            return step


def order(*suites: Suite, effort: Effort = QUICK) -> Order:
    return Order(suites=suites, effort=effort, python=PYTHON)


def results_of(suite: Suite) -> SuiteResults:
    asked = order(suite, effort=LONGER)
    return SuiteResults(steps=tuple(measured(suite, step, asked, ignore) for step in suite.steps))


def verdicts(suite: Suite) -> dict[str, ClaimVerdict]:
    """What becomes of every claim of a suite, measured now; the reasons are printed for whoever wonders."""
    results = results_of(suite)
    findings = {claim.statement: judge(claim, results, alpha_of(suite)) for claim in suite.claims}
    for statement, finding in findings.items():
        print(f"{finding.verdict}: {statement}: {finding.ours} {finding.interval} ({finding.reason})")
    return {statement: finding.verdict for statement, finding in findings.items()}
