"""Agents of one nursery differ by the app alone, and end as all others do."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.errors import AgentFailed, SubjectDied
from wirespeed.model.subject import AppSubject
from wirespeed.subject.agent import AgentProcess
from wirespeed.subject.nursery import Nursery, can_share_a_start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nurseries need Linux")

WriteApp = Callable[..., Path]
Ends = Callable[[int], bool]

DRAWN = """
from fastapi import FastAPI

print("drawn", hash("a"), id(FastAPI))
app = FastAPI()


@app.get("/")
async def root():
    return {}
"""


def subject_in(folder: Path, **fields: object) -> AppSubject:
    return AppSubject.model_validate(
        {"app": "main:app", "folder": folder, "python": Path(sys.executable), **fields}
    )


def drawn(nursery: Nursery, subject: AppSubject) -> str:
    with AgentProcess(subject, nursery.start) as agent:
        agent.boot()
    return next(line for line in agent.output.splitlines() if line.startswith("drawn"))


def test_what_a_start_draws_is_one_nurserys_and_another_draws_anew(write_app: WriteApp) -> None:
    subject = subject_in(write_app(DRAWN))
    with Nursery(subject) as first, Nursery(subject) as second:
        one, other, anew = drawn(first, subject), drawn(first, subject), drawn(second, subject)

    assert one == other
    assert one != anew


def test_each_agent_runs_in_the_folder_of_its_own_app(tmp_path: Path) -> None:
    folders = [tmp_path / "base", tmp_path / "head"]
    for folder in folders:
        folder.mkdir()
        (folder / "main.py").write_text(f"import os\nprint(os.getcwd(), {folder.name!r})\n{DRAWN}")
    base, head = map(subject_in, folders)
    with Nursery(base) as nursery:
        for subject in (base, head):
            with AgentProcess(subject, nursery.start) as agent:
                agent.boot()
            assert agent.output.splitlines()[0] == f"{subject.folder} {subject.folder.name}"


def test_an_agent_that_exits_is_told_by_its_status(write_app: WriteApp) -> None:
    subject = subject_in(write_app("import os\nos._exit(3)"))
    with (
        Nursery(subject) as nursery,
        AgentProcess(subject, nursery.start) as agent,
        pytest.raises(SubjectDied, match="3"),
    ):
        agent.boot()


def test_several_live_at_once_and_the_end_of_one_is_not_the_end_of_another(write_app: WriteApp) -> None:
    subject = subject_in(write_app(DRAWN))
    with (
        Nursery(subject) as nursery,
        AgentProcess(subject, nursery.start) as one,
        AgentProcess(subject, nursery.start) as other,
    ):
        one.boot()
        other.boot()
        one.kill()

        assert other.call("routes", {}, deadline_s=10, doing="listing")["routes"]


def test_without_its_nursery_an_agent_goes_on_and_no_other_starts(write_app: WriteApp, ends: Ends) -> None:
    subject = subject_in(write_app(DRAWN))
    with Nursery(subject) as nursery:
        with AgentProcess(subject, nursery.start) as agent:
            pid = agent.pid
            agent.boot()
            nursery.end()
            assert agent.call("routes", {}, deadline_s=10, doing="listing")["routes"]
        with pytest.raises(AgentFailed, match="has ended"):
            AgentProcess(subject, nursery.start).__enter__()

    assert ends(pid)


def test_an_interpreter_that_starts_threads_by_itself_is_not_forked(
    write_app: WriteApp, tmp_path: Path
) -> None:
    (tmp_path / "ahead").mkdir()
    (tmp_path / "ahead" / "sitecustomize.py").write_text(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    )
    subject = subject_in(write_app(DRAWN), env={"PYTHONPATH": str(tmp_path / "ahead")})
    with Nursery(subject) as nursery:
        assert drawn(nursery, subject) != drawn(nursery, subject)


SCRIPT = """
import sys, time
from pathlib import Path
from wirespeed.model.subject import AppSubject
from wirespeed.subject.agent import AgentProcess
from wirespeed.subject.nursery import Nursery

subject = AppSubject(app="main:app", folder=Path(sys.argv[1]), python=Path(sys.executable))
with Nursery(subject) as nursery, AgentProcess(subject, nursery.start) as agent:
    agent.boot()
    print(nursery.pid, agent.pid, flush=True)
    time.sleep(600)
"""


def test_when_wirespeed_is_killed_nursery_and_agents_end(write_app: WriteApp, ends: Ends) -> None:
    command = [sys.executable, "-c", SCRIPT, str(write_app(DRAWN))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as conductor:
        assert conductor.stdout is not None
        pids = list(map(int, conductor.stdout.readline().split()))
        conductor.kill()

    assert len(pids) == 2
    assert all(map(ends, pids))


def test_an_environment_without_fastapi_has_nurseries_too(write_app: WriteApp, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    asgi = "async def app(scope, receive, send):\n    await receive()"
    subject = subject_in(write_app(asgi), python=tmp_path / "bare" / "bin" / "python")
    started = time.monotonic()
    with Nursery(subject) as nursery, AgentProcess(subject, nursery.start) as agent:
        with pytest.raises(Exception, match=r"FastAPI|lifespan|fastapi"):
            agent.boot()
        assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    ("change", "shares"),
    [({}, True), ({"env": {"MODE": "fast"}}, False), ({"python": Path("/other/bin/python")}, False)],
)
def test_only_what_differs_by_the_app_alone_shares_a_start(
    tmp_path: Path, change: dict[str, object], shares: bool
) -> None:
    assert can_share_a_start([subject_in(tmp_path), subject_in(tmp_path, **change)]) is shares


@pytest.mark.parametrize("name", ["fastapi/__init__.py", "src/pydantic/__init__.py", "uvloop.py"])
def test_a_working_copy_of_what_is_imported_ahead_is_what_the_app_gets(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).touch()

    assert not can_share_a_start([subject_in(tmp_path)])
