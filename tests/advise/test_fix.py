"""``fix`` on a real app in a folder of its own: shown, written and proven, or put back to the byte.

The app is advised on once; what becomes of the advice is what most of the tests are about.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wirespeed.diagnosis import fix as fixing
from wirespeed.diagnosis.advise import Advised, study_app
from wirespeed.diagnosis.fix import fix, fix_as_advised
from wirespeed.diagnosis.fix_document import FixOutcome
from wirespeed.experiment.events import Event, Listener, Noted, ignore
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


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with a commit, a change that is not committed, and a file that git does not know."""
    folder = tmp_path_factory.mktemp("repository")
    (folder / "main.py").write_text(SOURCE)
    (folder / "other.py").write_text("x = 1\n")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    (folder / "other.py").write_text("x = 2\n")
    (folder / "new.py").write_text("y = 1\n")
    return folder


@pytest.fixture
def folder(repository: Path) -> Iterator[Path]:
    """The repository as it was when it was advised on, whatever a test does to it."""
    yield repository
    (repository / "main.py").write_text(SOURCE)


@pytest.fixture(scope="module")
def ours(plan: MakePlan, repository: Path) -> AdvicePlan:
    return plan("main:app", repository, rounds=4, budget_s=120.0)


@pytest.fixture(scope="module")
def advised(ours: AdvicePlan) -> Advised:
    return study_app(ours, ignore, time.monotonic())


Carry = Callable[..., FixOutcome]


@pytest.fixture
def carry_out(advised: Advised, ours: AdvicePlan, folder: Path) -> Carry:
    """What ``fix`` does once it has advised."""

    def carry_out(*, write: bool = True, listener: Listener = ignore) -> FixOutcome:
        return fix_as_advised(advised, ours, write=write, listener=listener, started=time.monotonic())

    return carry_out


def source(folder: Path) -> str:
    return (folder / "main.py").read_text()


def states(outcome: FixOutcome) -> dict[str, str]:
    return {remedy.requests[0]: remedy.state for remedy in outcome.fix.remedies}


def test_the_diff_is_shown_and_nothing_is_written(carry_out: Carry, folder: Path) -> None:
    outcome = carry_out(write=False)

    assert source(folder) == SOURCE
    assert states(outcome) == {"GET /untyped": "proposed", "GET /by-hand": "proposed"}
    subprocess.run(["git", "apply", "--check", "-"], cwd=folder, input=outcome.patch, check=True)
    assert outcome.fix.diff is not None
    assert outcome.patch.decode() == outcome.fix.diff


def test_what_is_written_is_proven_and_loses_nothing_else(ours: AdvicePlan, folder: Path) -> None:
    outcome = fix(ours, write=True)

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


def test_only_the_rules_that_are_asked_for_are_written(ours: AdvicePlan, folder: Path) -> None:
    outcome = fix(ours.model_copy(update={"rules": ("WS103",)}), write=False)

    assert states(outcome) == {"GET /by-hand": "proposed"}
    assert "untyped() ->" not in (outcome.fix.diff or "")


def test_what_is_not_faster_once_written_is_taken_back_and_the_rest_stays(
    carry_out: Carry, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fixing.not_faster
    refused: list[object] = []

    def not_the_first(*args: object) -> str | None:
        refused.append(args)
        return "no gain" if len(refused) == 1 else real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(fixing, "not_faster", not_the_first)
    outcome = carry_out()

    assert sorted(states(outcome).values()) == ["rolled back", "written"]
    assert outcome.was_rolled_back
    back = next(each for each in outcome.fix.remedies if each.state == "rolled back")
    assert back.reason is not None
    assert back.reason.endswith("no gain")
    assert sum(part in source(folder) for part in WRITTEN) == 1


def test_when_nothing_holds_every_byte_is_as_it_was(
    carry_out: Carry, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixing, "not_faster", lambda *args: "no gain")
    outcome = carry_out()

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


def test_ctrl_c_after_writing_puts_everything_back(carry_out: Carry, folder: Path) -> None:
    outcome = carry_out(listener=when(lambda event: isinstance(event, Noted), interrupt))

    assert source(folder) == SOURCE
    assert outcome.interrupted
    assert not outcome.fix.complete
    assert set(states(outcome).values()) == {"rolled back"}


def test_a_file_that_was_changed_since_it_was_measured_is_refused(carry_out: Carry, folder: Path) -> None:
    mine = SOURCE + "# a line of somebody else\n"
    (folder / "main.py").write_text(mine)

    with pytest.raises(EditNotWritten, match=r"main\.py has been changed in the meantime"):
        carry_out()

    assert source(folder) == mine


def test_a_bug_of_ours_after_writing_puts_everything_back(
    carry_out: Carry, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(fixing, "_failures", broken)

    with pytest.raises(ZeroDivisionError):
        carry_out()

    assert source(folder) == SOURCE


def test_an_app_without_remedies_has_nothing_to_fix(plan: MakePlan, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/x')\nasync def x() -> int:\n    return 1\n"
    )
    outcome = fix(plan("main:app", tmp_path, rounds=4, budget_s=120.0), write=True)

    assert (outcome.fix.diff, outcome.fix.written, outcome.fix.remedies) == (None, False, ())


# -- disks that cannot be written ----------------------------------------------------------------------------


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """The app's folder on a file system of its own, of 64 kB."""
    names = ("main.py", "other.py", "new.py")
    contents = {name: (folder / name).read_bytes() for name in names}
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        pytest.skip(f"a file system can be mounted by root only: {made.stderr.strip()}")
    try:
        for name, content in contents.items():
            (folder / name).write_bytes(content)
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_full_disk_is_told_and_every_file_is_as_it_was(carry_out: Carry, small_disk: Path) -> None:
    free = os.statvfs(small_disk)
    (small_disk / "filler").write_bytes(b"x" * (free.f_bavail * free.f_bsize))
    before = files(small_disk)

    with pytest.raises(EditNotWritten, match=r"main\.py cannot be written: No space left on device"):
        carry_out()

    assert files(small_disk) == before


def test_a_read_only_folder_is_told_and_every_file_is_as_it_was(carry_out: Carry, small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    before = files(small_disk)

    with pytest.raises(EditNotWritten, match=r"main\.py cannot be written: (the file is|Read-only)") as told:
        carry_out()

    assert files(small_disk) == before
    assert told.value.advice is not None
    assert "apply the diff by hand" in told.value.advice
