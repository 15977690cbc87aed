"""Whole runs of a small suite: what is kept when one ends early, and what a failing step does to others."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.model.replication import ClaimVerdict
from wirespeed.replicate.experiments import Effort
from wirespeed.replicate.fingerprint import fingerprint
from wirespeed.replicate.results import Result
from wirespeed.replicate.run import StepStarted, Told, replicate
from wirespeed.replicate.suite import (
    Arm,
    Claim,
    Companion,
    Experiment,
    Ratio,
    SingleRuns,
    Source,
    Suite,
    at_least,
)

from .planting import PLANTED, PYTHON, QUICK, order

pytestmark = pytest.mark.slow

FAST, SLOW = Arm(name="fast", path="/async-def"), Arm(name="slow", path="/def")
GONE = Arm(name="gone", path="/nowhere")


class Memory:
    def __init__(self) -> None:
        self.kept: dict[str, Result] = {}

    def recall(self, key: str) -> Result | None:
        return self.kept.get(key)

    def keep(self, key: str, result: Result) -> None:
        self.kept[key] = result


def small(*extra: Experiment | SingleRuns) -> Suite:
    return Suite(
        name="small",
        summary="",
        source=Source(title="a test", published=None, versions={}),
        app=PLANTED / "sync_async.py",
        needs=("fastapi",),
        steps=(Experiment(name="rounds", arms=(SLOW, FAST), quick_budget_s=0.1), *extra),
        claims=(
            Claim(
                statement="slow takes twice as long",
                source="a test",
                evidence=(Ratio("rounds", "slow", "fast", at_least(2)),),
            ),
        ),
    )


SINGLY = SingleRuns(name="singly", arms=(SLOW, FAST), quick_requests=10, requests=10, repeats=2)


def stopping_at(step: str) -> Callable[[Told], None]:
    """Ctrl-C as soon as a step begins to start its app."""
    current = ""

    def watcher(told: Told) -> None:
        nonlocal current
        if isinstance(told, StepStarted):
            current = told.step
        elif current == step:
            raise KeyboardInterrupt

    return watcher


def test_a_run_is_measured_judged_and_told_with_its_single_runs() -> None:
    outcome = replicate(order(small(SINGLY)), Memory(), lambda told: None)

    (suite,) = outcome.document.suites
    (claim,) = suite.claims
    assert outcome.document.complete
    assert claim.verdict is ClaimVerdict.HOLDS
    assert [(arm.step, arm.name) for arm in suite.arms] == [
        ("rounds", "slow"),
        ("rounds", "fast"),
        ("singly, run 1", "slow"),
        ("singly, run 1", "fast"),
        ("singly, run 2", "slow"),
        ("singly, run 2", "fast"),
    ]
    assert [each.fastest for each in suite.conclusions] == [("fast",)]
    assert any("slow measured 2 times in sequence" in note for note in suite.method_notes)
    assert set(outcome.evidence) == {"small"}


def test_an_interrupted_run_keeps_its_steps_and_the_next_one_measures_only_the_others() -> None:
    suite, memory = small(SINGLY), Memory()
    interrupted = replicate(order(suite), memory, stopping_at("singly"))

    assert not interrupted.document.complete
    assert interrupted.document.suites[0].claims[0].verdict is ClaimVerdict.HOLDS
    assert [each.step for each in memory.kept.values()] == ["rounds"]

    begun: list[str] = []
    resumed = replicate(
        order(suite), memory, lambda told: begun.append(told.step) if isinstance(told, StepStarted) else None
    )
    assert begun == ["singly"]
    assert resumed.document.complete
    assert resumed.document.suites[0].claims == interrupted.document.suites[0].claims


def test_a_run_that_is_interrupted_at_once_can_tell_nothing() -> None:
    outcome = replicate(order(small()), Memory(), stopping_at("rounds"))
    (claim,) = outcome.document.suites[0].claims
    assert (claim.verdict, claim.reason) == (ClaimVerdict.CANNOT_TELL, "rounds was not measured")


def test_a_step_that_fails_is_told_and_the_others_go_on() -> None:
    broken = Experiment(name="broken", arms=(FAST, GONE), quick_budget_s=0.1)
    suite, memory = small(broken), Memory()
    outcome = replicate(order(suite), memory, lambda told: None)

    assert outcome.document.complete
    assert outcome.document.suites[0].claims[0].verdict is ClaimVerdict.HOLDS
    (note,) = (each for each in outcome.document.suites[0].method_notes if "broken" in each)
    assert "404" in note
    assert [each.step for each in memory.kept.values()] == ["rounds"], "it is tried again the next time"


def test_an_app_that_does_not_start_says_why(tmp_path: Path) -> None:
    app = tmp_path / "broken_app.py"
    app.write_text("import a_module_that_is_not_there\n")
    outcome = replicate(order(dataclasses.replace(small(), app=app)), Memory(), lambda told: None)
    assert "a_module_that_is_not_there" in outcome.document.suites[0].claims[0].reason


def test_the_app_finds_its_companion(tmp_path: Path) -> None:
    app = tmp_path / "asking.py"
    app.write_text(
        "import os, urllib.request\n"
        "from fastapi import FastAPI\n"
        "app = FastAPI()\n"
        "@app.get('/def')\n@app.get('/async-def')\n"
        "def ask(): return urllib.request.urlopen(os.environ['UPSTREAM'] + '/async-def').status\n"
    )
    companion = Companion(app=PLANTED / "sync_async.py", variable="UPSTREAM")
    asking = SingleRuns(name="asking", arms=(FAST,), requests=3, repeats=1, companion=companion)
    suite = dataclasses.replace(small(), app=app, steps=(asking,))

    outcome = replicate(order(suite), Memory(), lambda told: None)

    (arm,) = outcome.document.suites[0].arms
    assert (arm.requests, arm.errors) == (3, {})


def test_results_are_not_used_again_for_anything_else(tmp_path: Path) -> None:
    suite = small(SINGLY)
    rounds, singly = suite.steps
    other_app = tmp_path / "sync_async.py"
    other_app.write_text(suite.app.read_text() + "\n# changed\n")
    keys = {
        fingerprint(suite, rounds, PYTHON, QUICK),
        fingerprint(suite, singly, PYTHON, QUICK),
        fingerprint(suite, rounds, PYTHON, Effort(quick=False, seed=1, pairings=0)),
        fingerprint(dataclasses.replace(suite, app=other_app), rounds, PYTHON, QUICK),
        fingerprint(dataclasses.replace(suite, claims=()), rounds, PYTHON, QUICK),
        fingerprint(suite, dataclasses.replace(rounds, connections=2), PYTHON, QUICK),
    }
    assert len(keys) == 6
    assert fingerprint(suite, rounds, PYTHON, Effort(quick=True, seed=2, pairings=0)) in keys


@pytest.mark.parametrize("quick", [True, False])
def test_the_time_left_is_that_of_all_steps_to_come(quick: bool) -> None:
    suite = small(SINGLY)
    told: list[float] = []

    def watcher(event: Told) -> None:
        if isinstance(event, StepStarted):
            told.append(event.left_s)
        raise KeyboardInterrupt

    asked = dataclasses.replace(order(suite), effort=Effort(quick=quick, seed=1, pairings=0))
    with pytest.raises(KeyboardInterrupt):
        replicate(asked, Memory(), watcher)
    assert told == [0.1 + 2 * 2 * 0.5 if quick else 60 + 2 * 2 * 3.0]
