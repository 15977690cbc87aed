"""``wirespeed advise`` as a shell sees it: exit codes, one document, and nothing left running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from wirespeed.model.advice import Advice
from wirespeed.model.record import Record

pytestmark = pytest.mark.slow

SCRIPT = Path(sys.executable).with_name("wirespeed")

APP = """
import subprocess, sys
from pathlib import Path
from fastapi import FastAPI

with Path(__file__).with_name("starts").open("a") as starts:
    starts.write("x")
app = FastAPI()
ROWS = [{"n": n, "name": f"row {n}"} for n in range(300)]
CHILD = subprocess.Popen(["sleep", "600"])


@app.get("/rows")
async def rows():
    print("the app prints this")
    return ROWS
"""

FAILING = """
from fastapi import FastAPI, HTTPException

app = FastAPI()


@app.get("/raises")
async def raises():
    raise LookupError("no such table")


@app.get("/refuses")
async def refuses():
    raise HTTPException(401)
"""


def start(folder: Path, *arguments: str, mark: str = "") -> subprocess.Popen[str]:
    (folder / "main.py").exists() or (folder / "main.py").write_text(APP)
    return subprocess.Popen(
        [SCRIPT, "advise", "main:app", "--python", sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "MARKED": mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def processes_marked(mark: str) -> list[int]:
    """Processes that inherited our environment; those that have ended and wait to be reaped have none."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
        except OSError:
            continue
        if f"MARKED={mark}\0".encode() in environment:
            found.append(int(process.name))
    return found


def test_json_is_one_document_and_a_failed_check_ends_with_1(tmp_path: Path) -> None:
    with start(tmp_path, "--json", "--fail-on", "WS101", "--rounds", "5", "--no-save") as done:
        told, warned = done.communicate(timeout=120)

    advice = Advice.model_validate_json(told)
    assert json.loads(told)["format"] == "wirespeed/advice/1"
    (remedy,) = [arm for found in advice.endpoints for arm in found.arms if arm.recommended]
    assert done.returncode == 1
    assert warned == f"warning: WS101: {remedy.name} would make GET /rows faster\n"


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to find processes")
def test_ctrl_c_during_the_rounds_ends_with_130_a_record_and_no_process_left(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    with start(tmp_path, "--rounds", "12", mark=mark) as done:
        # Round 0 starts the app once; the third start is that of the second round.
        while len(_read(tmp_path / "starts")) < 3 or len(processes_marked(mark)) < 3:
            assert done.poll() is None, "it ended before the command, the app and the app's child were there"
            time.sleep(0.02)
        done.send_signal(signal.SIGINT)
        told, warned = done.communicate(timeout=60)

    (record,) = (tmp_path / ".wirespeed").glob("*.json")
    saved = Record.model_validate_json(record.read_text()).document
    assert done.returncode == 130, warned
    assert "Traceback" not in warned
    assert "GET /rows" in told
    assert isinstance(saved, Advice)
    assert saved.complete is False
    assert 1 <= saved.plan.rounds < 12
    assert processes_marked(mark) == []


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_a_wrong_name_ends_with_2_and_says_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("from fastapi import FastAPI\napplication = FastAPI()\n")
    with start(tmp_path) as done:
        told, warned = done.communicate(timeout=60)

    assert (done.returncode, told) == (2, "")
    assert "main:application" in warned


def test_nothing_that_can_be_measured_ends_with_4_and_the_reasons(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(FAILING)
    with start(tmp_path) as done:
        told, warned = done.communicate(timeout=60)

    assert (done.returncode, told) == (4, "")
    assert "GET /raises: answered 500: LookupError: no such table" in warned
    assert "GET /refuses: answered 401: give credentials with --header" in warned
