"""``wirespeed fix``: what it prints where, and what it ends with."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from wirespeed.cli import fix_run
from wirespeed.cli.advise_plan import AdviseOptions, advice_plan
from wirespeed.diagnosis.fix_document import FixOutcome
from wirespeed.errors import UsageError
from wirespeed.model.fix import Fix
from wirespeed.model.plan import AdvicePlan

PATCH = "--- a/main.py\n+++ b/main.py\n@@ -1 +1 @@\n-# caf\xe9\n+# th\xe9\n".encode("latin-1")


def plan(tmp_path: Path, **changes: Any) -> AdvicePlan:
    options = AdviseOptions(
        app="main:app",
        gets=(),
        requests=(),
        bodies=(),
        headers=(),
        only=False,
        prepare=None,
        python=sys.executable,
        folder=str(tmp_path),
        env=(),
        budget="60s",
        margin="2%",
        live=3,
        rounds=None,
        seed=7,
        deadline="10s",
        **changes,
    )
    return advice_plan(options)


def outcome(state: str = "proposed", *, interrupted: bool = False) -> FixOutcome:
    remedy = {
        "code": "WS101",
        "name": "-> Any",
        "requests": ["GET /x"],
        "state": state,
        "edit": None,
        "whole": None,
        "parallel": None,
        "fidelity": "identical",
    }
    document = {
        "created": datetime(2026, 1, 1, tzinfo=UTC),
        "wirespeed": "0.1.0",
        "subject": {"app": "main:app", "python": "3.13.0", "packages": {}},
        "environment": dict.fromkeys(["load_1m", "steal", "event_loop"])
        | {"cpu": "c", "cores": 1, "os": "L"},
        "plan": {"budget_s": 60, "margin": 0.02, "alpha": 0.05, "seed": 7, "rounds": 8, "live_calls": 3},
        "diff": PATCH.decode("latin-1"),
        "written": state == "written",
        "remedies": [remedy],
        "files": [],
    }
    return FixOutcome(Fix.model_validate(document), PATCH, interrupted)


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> Any:
    def fixed(found: FixOutcome) -> None:
        monkeypatch.setattr(fix_run, "fix", lambda plan, write, listener: found)

    return fixed


def test_in_a_pipe_the_diff_is_all_of_stdout_in_the_encoding_of_the_file(
    fixed: Any, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    fixed(outcome())

    assert fix_run.run(plan(tmp_path), write=False, as_json=False) == 0
    told = capfdbinary.readouterr()
    assert told.out == PATCH
    assert b"WS101  -> Any" in told.err


def test_with_write_the_report_is_what_is_printed(
    fixed: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fixed(outcome("written"))

    assert fix_run.run(plan(tmp_path), write=True, as_json=False) == 0
    assert "WS101  -> Any  written" in capfd.readouterr().out


def test_json_is_one_document_and_nothing_else(
    fixed: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fixed(outcome())

    fix_run.run(plan(tmp_path), write=False, as_json=True)
    told = capfd.readouterr()
    assert json.loads(told.out)["format"] == "wirespeed/fix/1"
    assert told.err == ""


@pytest.mark.parametrize(
    ("state", "interrupted", "code"),
    [("written", False, 0), ("rolled back", False, 1), ("rolled back", True, 130), ("by hand", False, 0)],
)
def test_the_exit_code_tells_what_was_rolled_back(
    fixed: Any, tmp_path: Path, state: str, interrupted: bool, code: int
) -> None:
    fixed(outcome(state, interrupted=interrupted))

    assert fix_run.run(plan(tmp_path), write=True, as_json=False) == code


def test_rules_are_asked_for_by_code_or_family_and_unknown_ones_refused(tmp_path: Path) -> None:
    assert plan(tmp_path, rules=("ws101,WS2",)).rules == ("WS101", "WS2")
    assert "WS101".startswith(plan(tmp_path).rules)
    with pytest.raises(UsageError, match="--select names no rule"):
        plan(tmp_path, rules=("WS9",))
