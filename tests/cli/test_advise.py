"""``wirespeed advise`` from the shell, on a small app."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from wirespeed.cli import advise_run
from wirespeed.cli.output import listing_json
from wirespeed.diagnosis.advise import Outcome
from wirespeed.model.advice import Advice
from wirespeed.model.plan import AdvicePlan, RequestListing, RequestPlan, RequestWishes
from wirespeed.model.request import PlannedRequest, Request, Route, Skipped
from wirespeed.model.subject import AppSubject

SCRIPT = Path(sys.executable).with_name("wirespeed")
ADVICE = Path(__file__).parents[1] / "data" / "advice.json"

APP = """
from fastapi import FastAPI

app = FastAPI()
print("the app prints this")


@app.get("/items")
def items(page: int = 1):
    return [{"id": number, "name": f"item {number}"} for number in range(300)]


@app.post("/orders")
def order(order: dict):
    return order
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.py").write_text(APP)
    return tmp_path


def advise(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, "advise", "main:app", "--python", sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_dry_run_lists_what_would_be_called_and_the_option_for_what_would_not(folder: Path) -> None:
    done = advise(folder, "--dry-run", "--get", "/items?page=2")

    assert (done.returncode, done.stderr) == (0, "")
    assert "GET /items?page=2" in done.stdout
    assert "--request 'POST /orders' --body @order.json" in done.stdout


def test_a_dry_run_as_json_is_one_document(folder: Path) -> None:
    done = advise(folder, "--dry-run", "--json")

    assert json.loads(done.stdout)["requests"] == [
        {"method": "GET", "path": "/items", "route": "/items", "named": False}
    ]


def test_json_is_one_document_and_the_record_is_kept(folder: Path) -> None:
    done = advise(folder, "--json", "--rounds", "2", "--budget", "6s", "--seed", "7")

    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["format"], document["plan"]["seed"]) == ("wirespeed/advice/1", 7)
    (record,) = (folder / ".wirespeed").glob("*.json")
    assert json.loads(record.read_text())["document"] == document


def test_without_saving_nothing_is_left_behind(folder: Path) -> None:
    done = advise(folder, "--no-save", "--rounds", "2", "--budget", "6s", "--only", "--get", "/items")

    assert done.returncode == 0, done.stderr
    assert "GET /items" in done.stdout
    assert not (folder / ".wirespeed").exists()


def test_an_app_that_does_not_import_ends_with_3_and_its_own_traceback(folder: Path) -> None:
    (folder / "main.py").write_text("print('starting up')\nimport no_such_module_anywhere\n")

    done = advise(folder)

    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "No module named 'no_such_module_anywhere'" in done.stderr
    assert "wirespeed/cli" not in done.stderr


def test_an_app_without_anything_to_call_ends_with_4(folder: Path) -> None:
    (folder / "main.py").write_text("from fastapi import FastAPI\napp = FastAPI()\n")

    assert advise(folder).returncode == 4


def test_ctrl_c_ends_with_130_and_no_traceback(folder: Path) -> None:
    (folder / "main.py").write_text("import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(60)\n")
    command = [SCRIPT, "advise", "main:app", "--python", sys.executable]

    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as done:
        while not (folder / "begun").exists():
            assert done.poll() is None
            time.sleep(0.02)
        done.send_signal(signal.SIGINT)
        told = done.communicate(timeout=30)[1]

    assert done.returncode == 130
    assert told == "interrupted\n"


# The exit code of a finished run


def outcome(*, interrupted: bool = False) -> Outcome:
    return Outcome(Advice.model_validate_json(ADVICE.read_text()), evidence={}, interrupted=interrupted)


def plan(folder: Path) -> AdvicePlan:
    return AdvicePlan(
        subject=AppSubject(app="main:app", python=Path(sys.executable), folder=folder),
        wishes=RequestWishes(),
        budget_s=60,
        margin=0.02,
        alpha=0.05,
        live_calls=3,
        rounds=None,
        seed=7,
        deadline_s=10,
    )


@pytest.mark.parametrize(
    ("fail_on", "interrupted", "code"),
    [
        ([], False, 0),
        (["WS101"], False, 1),
        (["ws1"], False, 1),
        (["WS102"], False, 0),
        (["WS101"], True, 130),
    ],
)
def test_the_exit_code_of_a_run_tells_checks_from_interruptions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fail_on: list[str], interrupted: bool, code: int
) -> None:
    monkeypatch.setattr(advise_run, "advise", lambda plan, listener: outcome(interrupted=interrupted))

    assert advise_run.measure(plan(tmp_path), fail_on=fail_on, as_json=False, save=False) == code


def test_a_check_fails_only_for_a_remedy_that_is_recommended() -> None:
    advice = outcome().advice

    assert list(advise_run.failed_checks(advice, ["WS1"])) == [
        "WS101: -> list[User] would make GET /untyped faster"
    ]
    assert list(advise_run.failed_checks(advice, [])) == []


def test_a_record_that_cannot_be_saved_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    occupied = tmp_path / ".wirespeed"
    occupied.write_text("not a folder")
    monkeypatch.setenv("XDG_DATA_HOME", str(occupied))
    monkeypatch.setattr(advise_run, "advise", lambda plan, listener: outcome())

    code = advise_run.measure(plan(tmp_path), fail_on=[], as_json=True, save=True)

    told = capfd.readouterr()
    assert code == 0
    assert json.loads(told.out)["format"] == "wirespeed/advice/1"
    assert told.err.startswith("warning: the record could not be saved")


def test_a_listing_as_json_carries_any_body_and_any_path() -> None:
    route = Route(id=3, methods=["POST"], path="/o/{x}", name="o", kind="api")
    body = Request(method="POST", path="/o/1", body=b"\xff")
    planned = [PlannedRequest(request=body, route_id=id_, named=True) for id_ in (3, None)]
    skipped = Skipped(method="GET", path="/\udcff", reason="odd", option=None)
    requests = RequestPlan(planned=tuple(planned), skipped=(skipped,))

    document: dict[str, Any] = json.loads(listing_json(RequestListing(routes=(route,), requests=requests)))

    assert [request["route"] for request in document["requests"]] == ["/o/{x}", None]
    assert document["skipped"][0]["path"] == "/?"
