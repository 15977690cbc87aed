"""The whole guard, on real repositories with real processes."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from wirespeed.experiment.events import ignore
from wirespeed.guard.deciding import certificate_of, decision_of
from wirespeed.guard.rounds import measure_rounds
from wirespeed.guard.trio import Asked, Trio, three_of
from wirespeed.model.guard import Guard, GuardDecision
from wirespeed.model.guard_plan import GuardPlan
from wirespeed.model.plan import RequestWishes
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject
from wirespeed.store import records

from .conftest import commit, git, write

pytestmark = pytest.mark.slow

Make = Callable[[dict[str, str]], Path]
SCRIPT = Path(sys.executable).with_name("wirespeed")

APP = """
import os
import time
from time import perf_counter

from fastapi import FastAPI

app = FastAPI()


def busy(seconds):
    ends = perf_counter() + seconds
    while perf_counter() < ends:
        pass


@app.get("/steady")
async def steady():
    busy(0.0005)
    return {"at": time.time(), "by": os.getpid()}


@app.get("/slower")
async def slower():
    busy(0.0005)
    return 1


@app.get("/body/{number}")
async def body(number: int = 7):
    return {"price": 1.5}


@app.get("/allowed")
async def allowed():
    return "old"


@app.get("/broken")
async def broken():
    return "fine"


@app.get("/repaired")
async def repaired():
    raise ValueError("not yet")


@app.get("/acting")
async def acting():
    with open("acted", "a") as file:
        file.write(os.getcwd())
    return 1


@app.get("/removed")
async def removed():
    return 1
"""
EDITS = {
    "busy(0.0005)\n    return 1": "busy(0.001)\n    return 1",
    '{"price": 1.5}': '{"price": "1.5"}',
    '"old"': '"new"',
    'return "fine"': "return 1 / 0",
    'raise ValueError("not yet")': "return 1",
    '"/removed"': '"/added"',
}


def wirespeed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_DATA_HOME": str(folder.parent)}
    command = [SCRIPT, "guard", "main:app", "--base", "main", "--seed", "1", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def edited() -> str:
    source = APP
    for before, after in EDITS.items():
        assert before in source
        source = source.replace(before, after)
    return source


def test_everything_that_changed_is_told_and_only_the_slower_endpoint_is_called_slower(
    repository: Make,
) -> None:
    """Head is what is not committed."""
    root = repository({"main.py": APP})
    write(root, {"main.py": edited()})

    done = wirespeed(root, "--json", "--budget", "10s", "--allow-body-change", "/allowed")

    assert done.returncode == 1, done.stderr
    document = Guard.model_validate_json(done.stdout)
    speeds = {each.request: each.decision for each in document.endpoints}
    assert speeds["GET /slower"] is GuardDecision.FAIL
    assert [name for name, decision in speeds.items() if decision is GuardDecision.FAIL] == ["GET /slower"]
    slower = next(each for each in document.endpoints if each.request == "GET /slower")
    assert slower.ratio is not None
    assert slower.ratio > 1.3
    changes = {each.request: (each.change, each.allowed) for each in document.behaviour}
    assert changes == {
        "GET /body/1": ("body", False),
        "GET /allowed": ("body", True),
        "GET /broken": ("failed", False),
        "GET /repaired": ("status", True),
        "GET /removed": ("removed", False),
    }
    assert {speeds[name] for name in ("GET /body/1", "GET /broken", "GET /repaired")} == {None}
    assert document.added == ("GET /added",)
    assert "GET /acting" not in speeds
    assert [each.path for each in document.skipped] == ["/acting"]
    assert (root / "acted").exists() is False
    (path,) = (root / ".wirespeed").glob("*-guard.json")
    saved = records.load(path)
    assert saved.document == document
    assert len(saved.evidence["rounds"]) == len(document.rounds)


def test_a_branch_without_changes_of_its_own_passes_though_main_has_become_slower(repository: Make) -> None:
    root = repository({"services/shop/main.py": APP})
    git(root, "checkout", "--quiet", "-b", "feature")
    git(root, "checkout", "--quiet", "main")
    write(root, {"services/shop/main.py": edited()})
    commit(root)
    git(root, "checkout", "--quiet", "feature")

    done = wirespeed(
        root / "services" / "shop", "--get", "/steady", "--get", "/slower", "--max-slowdown", "30%"
    )

    assert done.returncode == 0, done.stderr
    assert "pass: nothing is more than 30 % slower" in done.stdout
    assert "main has gone on" in done.stdout.replace("\n", " ")
    assert len(git(root, "worktree", "list").splitlines()) == 1


BROKEN = "import not_there\n"


@pytest.mark.parametrize(("side", "sources"), [("base", (BROKEN, APP)), ("head", (APP, BROKEN))])
def test_a_side_that_does_not_import_is_named_with_its_own_traceback(
    side: str, sources: tuple[str, str], repository: Make
) -> None:
    root = repository({"main.py": sources[0]})
    write(root, {"main.py": sources[1]})

    done = wirespeed(root)

    assert (done.returncode, done.stdout) == (3, "")
    assert f"error: {side}: " in done.stderr
    assert "import not_there" in done.stderr


def test_what_no_request_can_be_found_for_is_no_verdict(repository: Make) -> None:
    root = repository({"main.py": "from fastapi import FastAPI\napp = FastAPI()\n"})
    done = wirespeed(root)
    assert (done.returncode, done.stdout) == (4, "")
    assert "no endpoint can be compared" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--max-slowdown", "5"), "--max-slowdown"),
        (("--inconclusive", "maybe"), "fail or pass"),
        (("--allow-body-change", "orders"), "does not start with a slash"),
        (("--base-with", "fastapi,"), "--base-with names no package"),
        (("--head", "nowhere"), "no revision 'nowhere'"),
    ],
)
def test_what_is_asked_wrongly_is_told(arguments: Sequence[str], said: str, repository: Make) -> None:
    done = wirespeed(repository({"main.py": APP}), *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_base_that_differs_from_itself_makes_nobody_guilty(write_app: Callable[..., Path]) -> None:
    """The twin and head are slowed by a variable, as a machine may slow whatever is started later."""
    folder = write_app(
        APP.replace("busy(0.0005)\n    return 1", "busy(float(os.environ['BUSY']))\n    return 1")
    )
    subjects = [
        AppSubject(app="main:app", python=Path(sys.executable), folder=folder, env={"BUSY": str(seconds)})
        for seconds in (0.0005, 0.001, 0.001)
    ]
    plan = GuardPlan(
        subject=subjects[0],
        base="main",
        wishes=RequestWishes(),
        max_slowdown=0.05,
        alpha=0.05,
        budget_s=5.0,
        seed=1,
        deadline_s=10.0,
    )

    @contextmanager
    def theatre(asked: Sequence[Asked], rng: random.Random) -> Iterator[Trio]:
        with three_of(subjects, rng, asked, plan.deadline_s) as trio:
            yield trio

    asked = [Asked(Request(method="GET", path="/slower"), 200, 1e6)]
    ends = time.monotonic() + plan.budget_s
    evidence = measure_rounds(theatre, asked, plan, start_s=0.1, ends=ends, listener=ignore)
    certificate = certificate_of(evidence, ["GET /slower"])

    assert evidence.judgements[0].decision is GuardDecision.FAIL
    assert certificate.unfit == ("GET /slower",)
    decisions = [each.decision for each in evidence.judgements.values()]
    assert decision_of((), certificate, decisions) is GuardDecision.INCONCLUSIVE


def processes_with(variable: str) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if variable.encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_ctrl_c_leaves_neither_a_process_nor_a_checkout(repository: Make) -> None:
    root = repository({"main.py": APP})
    mark = f"GUARDED_BY_TEST={os.getpid()}"
    command = [SCRIPT, "guard", "main:app", "--base", "main", "--json", "--no-save", "--env", mark]
    command += ["--get", "/steady", "--max-slowdown", "0.01%"]
    guarding = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE)
    try:
        # The first processes compare answers; others are those of a round.
        first: set[int] = set()
        while guarding.poll() is None and not (first and set(processes_with(mark)) - first):
            alive = set(processes_with(mark))
            first = first or (alive if len(alive) == 3 else set())
            time.sleep(0.01)
        guarding.send_signal(signal.SIGINT)
        printed, _ = guarding.communicate(timeout=30)
    finally:
        guarding.kill()

    assert guarding.returncode == 130
    assert json.loads(printed)["complete"] is False
    # What was just being started hears of the end by itself.
    for _ in range(100):
        if not processes_with(mark):
            break
        time.sleep(0.05)
    assert processes_with(mark) == []
    assert len(git(root, "worktree", "list").splitlines()) == 1
