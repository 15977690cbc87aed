"""What becomes of a remedy when the edited app's times contradict its arm's."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wirespeed.diagnosis import together
from wirespeed.diagnosis.beside import BesideReport, run_beside
from wirespeed.model.advice import Arm

from .conftest import MakePlan, advise_quickly

pytestmark = pytest.mark.slow

APP = """
from fastapi import FastAPI

ROWS = [{"n": n, "name": f"row {n}"} for n in range(500)]
app = FastAPI()


@app.get("/rows")
async def rows():
    return ROWS
"""


def remedy_with_contradictions(
    number: int, plan: MakePlan, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Arm, int]:
    """The fastest arm, and how often the edited app was tried; the first ``number`` trials see it slow."""
    trials: list[BesideReport] = []

    def contradicting(*arguments: Any, **options: Any) -> BesideReport:
        report = run_beside(*arguments, **options)
        trials.append(report)
        if len(trials) > number:
            return report
        slow = (replace(each, whole=tuple(x + math.log(50) for x in each.whole)) for each in report.endpoints)
        return replace(report, endpoints=tuple(slow))

    monkeypatch.setattr(together, "run_beside", contradicting)
    (folder / "main.py").write_text(APP)
    (found,) = advise_quickly(plan("main:app", folder, rounds=5)).advice.endpoints
    contradicted = (each for each in found.arms if each.recommended or each.verdict == "invalid")
    return next(contradicted), len(trials)


def test_one_trial_that_contradicts_it_is_made_again(
    plan: MakePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remedy, trials = remedy_with_contradictions(1, plan, tmp_path, monkeypatch)

    assert remedy.recommended
    assert remedy.confirmed_by == "edit"
    assert trials == 2


def test_two_trials_that_contradict_it_make_it_invalid(
    plan: MakePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remedy, trials = remedy_with_contradictions(2, plan, tmp_path, monkeypatch)

    assert not remedy.recommended
    assert remedy.reason is not None and remedy.reason.startswith("the edited app does not hold it")
    assert trials == 2
