"""``fix`` on a real app in a folder of its own: shown, written and proven, or put back to the byte."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.diagnosis import fix as fixing
from wirespeed.diagnosis.fix import fix
from wirespeed.diagnosis.fix_document import FixOutcome
from wirespeed.experiment.events import Event, Listener, Noted, RoundStarted, ignore
from wirespeed.model.fix import FixedFile
from wirespeed.model.plan import AdvicePlan
from wirespeed.source.disk import EditNotWritten

from .conftest import MakePlan

pytestmark = pytest.mark.slow

SOURCE = '''\
"""Rows,   with formatting of its own."""
from fastapi import FastAPI
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse

app = FastAPI()
ROWS = [{"n": n, "name": f"row {n}", "tags": ["a", "b"]} for n in range(2000)]   # kept as it is


@app.get("/untyped")
async def untyped():
    return ROWS  # so is this


@app.get("/by-hand")
async def by_hand():
    return JSONResponse(jsonable_encoder(ROWS))
'''
WRITTEN = {"async def untyped() -> ", "return ROWS\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A git repository with a commit, a change that is not committed, and a file that git does not know."""
    (tmp_path / "main.py").write_text(SOURCE)
    (tmp_path / "other.py").write_text("x = 1\n")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"],
    ):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    (tmp_path / "other.py").write_text("x = 2\n")
    (tmp_path / "new.py").write_text("y = 1\n")
    return tmp_path


@pytest.fixture
def plan(plan: MakePlan, folder: Path) -> AdvicePlan:
    return plan("main:app", folder, rounds=4, budget_s=120.0)


def source(folder: Path) -> str:
    return (folder / "main.py").read_text()


def states(outcome: FixOutcome) -> dict[str, str]:
    return {remedy.requests[0]: remedy.state for remedy in outcome.fix.remedies}


def test_the_diff_is_shown_and_nothing_is_written(plan: AdvicePlan, folder: Path) -> None:
    outcome = fix(plan, write=False)

    assert source(folder) == SOURCE
    assert states(outcome) == {"GET /untyped": "proposed", "GET /by-hand": "proposed"}
    subprocess.run(["git", "apply", "--check", "-"], cwd=folder, input=outcome.patch, check=True)
    assert outcome.fix.diff is not None
    assert outcome.patch.decode() == outcome.fix.diff


def test_what_is_written_is_proven_and_loses_nothing_else(plan: AdvicePlan, folder: Path) -> None:
    outcome = fix(plan, write=True)

    assert states(outcome) == {"GET /untyped": "written", "GET /by-hand": "written"}
    assert outcome.fix.files == (FixedFile(path="main.py", state="written"),)
    after = source(folder)
    kept = [line for line in SOURCE.splitlines() if "def " not in line and "JSONResponse" not in line]
    assert [line for line in kept if "jsonable" not in line and line not in after.splitlines()] == []
    assert all(part in after for part in WRITTEN)
    assert (folder / "other.py").read_text() == "x = 2\n"
    assert (folder / "new.py").read_text() == "y = 1\n"
    assert all(remedy.after is not None for remedy in outcome.fix.remedies)
    subprocess.run(["git", "apply", "-R", "-"], cwd=folder, input=outcome.patch, check=True)
    assert source(folder) == SOURCE


def test_only_the_rules_that_are_asked_for_are_written(plan: AdvicePlan, folder: Path) -> None:
    outcome = fix(plan.model_copy(update={"rules": ("WS103",)}), write=False)

    assert states(outcome) == {"GET /by-hand": "proposed"}
    assert "untyped() ->" not in (outcome.fix.diff or "")


def test_what_is_not_faster_once_written_is_taken_back_and_the_rest_stays(
    plan: AdvicePlan, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fixing.not_faster
    refused: list[object] = []

    def not_the_first(*args: object) -> str | None:
        refused.append(args)
        return "no gain" if len(refused) == 1 else real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(fixing, "not_faster", not_the_first)
    outcome = fix(plan, write=True)

    assert sorted(states(outcome).values()) == ["rolled back", "written"]
    assert outcome.was_rolled_back
    back = next(each for each in outcome.fix.remedies if each.state == "rolled back")
    assert back.reason is not None
    assert back.reason.endswith("no gain")
    assert sum(part in source(folder) for part in WRITTEN) == 1


def test_when_nothing_holds_every_byte_is_as_it_was(
    plan: AdvicePlan, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixing, "not_faster", lambda *args: "no gain")
    outcome = fix(plan, write=True)

    assert source(folder) == SOURCE
    assert set(states(outcome).values()) == {"rolled back"}
    assert not outcome.fix.written


def when(happens: Callable[[Event], bool], then: Callable[[], None]) -> Listener:
    def listener(event: Event) -> None:
        if happens(event):
            then()

    return listener


def interrupt() -> None:
    raise KeyboardInterrupt


def test_ctrl_c_after_writing_puts_everything_back(plan: AdvicePlan, folder: Path) -> None:
    outcome = fix(plan, write=True, listener=when(lambda event: isinstance(event, Noted), interrupt))

    assert source(folder) == SOURCE
    assert outcome.interrupted
    assert not outcome.fix.complete
    assert set(states(outcome).values()) == {"rolled back"}


def test_a_file_that_is_changed_while_it_is_measured_is_refused(plan: AdvicePlan, folder: Path) -> None:
    mine = SOURCE + "# a line of somebody else\n"
    edit = when(
        lambda event: isinstance(event, RoundStarted), lambda: (folder / "main.py").write_text(mine) and None
    )

    with pytest.raises(EditNotWritten, match=r"main\.py has been changed in the meantime"):
        fix(plan, write=True, listener=edit)

    assert source(folder) == mine


def test_a_bug_of_ours_after_writing_puts_everything_back(
    plan: AdvicePlan, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(fixing, "_failures", broken)

    with pytest.raises(ZeroDivisionError):
        fix(plan, write=True)

    assert source(folder) == SOURCE


def test_an_app_without_remedies_has_nothing_to_fix(plan: AdvicePlan, folder: Path) -> None:
    (folder / "main.py").write_text(
        "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/x')\nasync def x() -> int:\n    return 1\n"
    )
    outcome = fix(plan, write=True, listener=ignore)

    assert (outcome.fix.diff, outcome.fix.written, outcome.fix.remedies) == (None, False, ())
