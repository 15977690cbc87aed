"""Findings that a comment or a baseline settles, from the shell and on a real app."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).with_name("wirespeed")
APP = """
from fastapi import FastAPI

app = FastAPI()


@app.get("/items")
async def items():{comment}
    return [{{"id": number, "name": f"item {{number}}", "price": 1.5}} for number in range(400)]
"""
OTHER = """

@app.get("/others")
async def others():  # wirespeed: ignore[WS101]
    return {"a": 1}
"""
PLAN = ("--python", sys.executable, "--rounds", "3", "--budget", "6s", "--select", "WS101", "--seed", "7")


def run(folder: Path, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, command, "main:app", *PLAN, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def write(folder: Path, comment: str = "") -> Path:
    (folder / "main.py").write_text(APP.format(comment=comment))
    return folder


@pytest.mark.slow
def test_only_what_the_baseline_does_not_have_fails_a_check(tmp_path: Path) -> None:
    folder = write(tmp_path)
    before = run(folder, "advise", "--no-save", "--fail-on", "WS1", "--write-baseline", "known.json")
    after = run(folder, "advise", "--no-save", "--fail-on", "WS1", "--baseline", "known.json")

    assert before.returncode == 1, before.stderr
    assert json.loads((folder / "known.json").read_text())["findings"] == [
        {"rule": "WS101", "method": "GET", "path": "/items", "file": "main.py"}
    ]
    assert after.returncode == 0, after.stderr
    assert "known: in the baseline" in " ".join(after.stdout.split())


@pytest.mark.slow
def test_a_comment_settles_a_finding_for_a_reason(tmp_path: Path) -> None:
    folder = write(tmp_path, "  # wirespeed: ignore[WS101] only we read it")
    fixed = run(folder, "fix")
    with (folder / "main.py").open("a") as file:
        file.write(OTHER)
    advised = run(folder, "advise", "--json", "--no-save", "--get", "/items", "--fail-on", "WS1", "--only")
    document = json.loads(advised.stdout)
    (endpoint,) = document["endpoints"]

    assert (fixed.returncode, fixed.stdout) == (0, ""), fixed.stderr
    assert advised.returncode == 0, advised.stderr
    assert [(each["code"], each["ignored"]) for each in endpoint["findings"]] == [
        ("WS101", "only we read it")
    ]
    assert endpoint["arms"] == []
    assert [note.partition(",")[0] for note in document["notes"] if "main.py" in note] == [
        "main.py:13: the comment ignores nothing"
    ]
