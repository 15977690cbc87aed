"""An agent can be trusted to end: whatever the app does, and however wirespeed itself ends."""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from wirespeed.errors import AgentFailed, SubjectDied, SubjectError, SubjectHung, UsageError
from wirespeed.model.subject import AppSubject
from wirespeed.subject.agent import AgentProcess
from wirespeed.subject.bundle import bytecode_folder
from wirespeed.subject.nursery import Nursery

StartAgent = Callable[..., AgentProcess]
WriteApp = Callable[..., Path]
Ends = Callable[[int], bool]

ASGI = """
import os, signal, subprocess, sys, threading, time

def starting(): ...

async def app(scope, receive, send):
    while scope["type"] == "lifespan":
        step = (await receive())["type"]
        if step == "lifespan.startup":
            starting()
        await send({"type": step + ".complete"})
        if step == "lifespan.shutdown":
            return
"""


@pytest.fixture(params=["by itself", "from a nursery"])
def start_agent(request: pytest.FixtureRequest) -> Iterator[StartAgent]:
    """What an agent can be trusted with holds however its process came to be."""
    if request.param != "by itself" and sys.platform != "linux":
        pytest.skip("nurseries need Linux")
    with ExitStack() as stack:

        def start(folder: Path, app: str = "main:app", **fields: Any) -> AgentProcess:
            subject = AppSubject(**{"app": app, "folder": folder, "python": Path(sys.executable), **fields})
            if request.param == "by itself":
                return stack.enter_context(AgentProcess(subject))
            nursery = stack.enter_context(Nursery(subject))
            return stack.enter_context(AgentProcess(subject, nursery.start))

        yield start


def await_file(file: Path) -> str:
    """The content of a file that another process writes."""
    for _ in range(400):
        if file.is_file() and file.read_text().endswith("\n"):
            return file.read_text()
        time.sleep(0.05)
    raise AssertionError(f"{file} was never written")


def test_a_hang_at_import_is_named_with_the_line_it_hangs_in(
    write_app: WriteApp, start_agent: StartAgent, ends: Ends
) -> None:
    write_app("import time\ndef connect():\n    time.sleep(600)\nconnect()", "database")
    agent = start_agent(write_app("import database"))
    pid = agent.pid

    with pytest.raises(SubjectHung, match=r"Gave up starting main:app .* after 1 s") as hang:
        agent.boot(deadline_s=1)

    assert hang.value.during == "starting main:app (importing main)"
    assert str(hang.value.app_traceback).splitlines()[-1].strip() == "time.sleep(600)"
    assert "in connect" in str(hang.value.app_traceback)
    assert "wirespeed_agent" not in str(hang.value.app_traceback)
    assert ends(pid)


LOCKED = "import re\nopen('started', 'w').write('yes\\n')\nre.match('(a+)+$', 'a' * 60 + 'b')"


def test_a_hang_in_c_code_that_keeps_the_interpreter_locked_is_ended(
    write_app: WriteApp, start_agent: StartAgent, ends: Ends
) -> None:
    agent = start_agent(write_app(LOCKED))
    pid = agent.pid

    with pytest.raises(SubjectHung) as hang:
        agent.boot(deadline_s=1)

    assert hang.value.app_traceback is None
    assert ends(pid)


def test_an_app_that_ends_its_process_is_told_from_one_that_hangs(
    write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app("import os\nprint('no licence')\nos._exit(3)")

    with pytest.raises(SubjectDied, match="ended by itself with exit status 3 while starting") as death:
        start_agent(folder, env={"PYTHONUNBUFFERED": ""}).boot()

    assert death.value.during == "starting main:app (importing main)"
    assert death.value.output == "no licence\n"


def test_a_crash_is_named_by_its_signal(write_app: WriteApp, start_agent: StartAgent) -> None:
    folder = write_app("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")

    with pytest.raises(SubjectDied, match=r"was ended by SIGSEGV \(a crash in C code\)"):
        start_agent(folder).boot()


def test_an_app_that_closes_our_pipes_is_reported_and_ended(
    write_app: WriteApp, start_agent: StartAgent, ends: Ends
) -> None:
    agent = start_agent(write_app("import os, time\nos.closerange(3, 4096)\ntime.sleep(600)"))
    pid = agent.pid

    with pytest.raises(SubjectDied, match="closed the pipe"):
        agent.boot()

    assert ends(pid)


def test_an_app_may_print_more_than_any_pipe_holds(write_app: WriteApp, start_agent: StartAgent) -> None:
    folder = write_app(
        ASGI
        + """
for stream in (sys.stdout, sys.stderr):
    for number in range(20_000):
        print("line", number, "é" * 40, file=stream)
print("the last line", flush=True)
"""
    )
    agent = start_agent(folder)

    agent.boot()
    agent.close()

    first, *_, last = agent.output.splitlines()
    assert first.endswith(" " + "é" * 40)
    assert last == "the last line"
    assert len(agent.output.encode()) <= 1 << 16


CHILDREN = {
    "subprocess": "return subprocess.Popen(['sleep', '600'], close_fds=False).pid",
    "shell in the background": "os.system('sleep 600 & echo $! > shell'); return open('shell').read()",
    "fork": "pid = os.fork(); time.sleep(0 if pid else 600); return pid",
    "fork of a fork": "pid = os.fork(); pid or os.fork(); time.sleep(0 if pid else 600); return pid",
    **{
        f"multiprocessing {method}": f"""
    import multiprocessing
    process = multiprocessing.get_context({method!r}).Process(target=work)
    process.start()
    while not os.path.exists('working'): time.sleep(0.05)
    return process.pid"""
        for method in ("fork", "spawn", "forkserver")
    },
}


def with_child(start: str) -> str:
    """An app with a thread, which starts a child when it starts up and leaves its process id in a file."""
    return ASGI + WORK.replace("START", start)


WORK = """
def work():
    open('working', 'w').close()
    time.sleep(600)

def start_child():
    START

def starting():
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    child = start_child()
    open('child', 'w').write(str(child).strip() + '\\n')
"""


@pytest.mark.parametrize("start", CHILDREN.values(), ids=CHILDREN)
def test_the_apps_children_end_with_it(
    start: str, write_app: WriteApp, start_agent: StartAgent, ends: Ends
) -> None:
    folder = write_app(with_child(start))
    agent = start_agent(folder)

    agent.boot()
    agent.kill()

    assert ends(int((folder / "child").read_text()))


@pytest.mark.parametrize("child", ["fork", "multiprocessing fork", "subprocess"])
def test_a_child_that_lives_on_does_not_hide_the_death_of_the_app(
    child: str, write_app: WriteApp, start_agent: StartAgent, ends: Ends
) -> None:
    folder = write_app(with_child(CHILDREN[child]) + "    os._exit(4)\n")

    with pytest.raises(SubjectDied, match="exit status 4"):
        start_agent(folder).boot(deadline_s=30)

    assert ends(int((folder / "child").read_text()))


def test_a_forked_child_that_ends_as_scripts_do_ends(write_app: WriteApp, start_agent: StartAgent) -> None:
    fork = (
        "import os, sys\nchild = os.fork()\nif not child: print('worked'); sys.exit()\nos.waitpid(child, 0)"
    )
    agent = start_agent(write_app(fork + ASGI))

    agent.boot()
    agent.close()

    assert agent.output == "worked\n"


CONDUCTOR = """
import signal, sys
from pathlib import Path
from wirespeed.model.subject import AppSubject
from wirespeed.subject.agent import AgentProcess
from wirespeed.subject.bundle import bytecode_folder
with AgentProcess(AppSubject(app="main:app", python=sys.executable, folder=Path(sys.argv[1]))) as agent:
    print(agent.pid, flush=True)
    agent.boot(deadline_s=600)
    signal.pause()
"""


def start_conductor(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """A wirespeed process of its own, and its agent's process id."""
    command = [sys.executable, "-c", CONDUCTOR, str(folder)]
    environ = {**os.environ, "TMPDIR": str(folder)}  # what it has no time to remove
    conductor = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)
    assert conductor.stdout is not None
    with conductor.stdout:
        return conductor, int(conductor.stdout.readline())


@pytest.mark.parametrize("child", ["subprocess", "fork", "multiprocessing spawn"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_when_wirespeed_ends_the_app_and_its_children_end(
    child: str, end: signal.Signals, write_app: WriteApp, ends: Ends
) -> None:
    folder = write_app(with_child(CHILDREN[child]))
    conductor, agent_pid = start_conductor(folder)
    child_pid = int(await_file(folder / "child"))

    conductor.send_signal(end)
    conductor.wait()

    assert ends(agent_pid)
    assert ends(child_pid)


@pytest.mark.skipif(not hasattr(fcntl, "F_SETSIG"), reason="needs a kernel that signals for a pipe (Linux)")
def test_when_wirespeed_is_killed_even_an_app_locked_in_c_code_ends(write_app: WriteApp, ends: Ends) -> None:
    folder = write_app(LOCKED)
    conductor, agent_pid = start_conductor(folder)
    await_file(folder / "started")

    conductor.kill()
    conductor.wait()

    assert ends(agent_pid)


def test_ctrl_c_on_the_terminal_does_not_reach_the_app(write_app: WriteApp, start_agent: StartAgent) -> None:
    folder = write_app("import os\nprint(os.getpgrp() == os.getsid(0) == os.getpid(), flush=True)" + ASGI)
    agent = start_agent(folder)

    agent.boot()
    agent.close()

    assert agent.output == "True\n"


def test_an_operation_that_fails_leaves_the_agent_as_it_was(
    write_app: WriteApp, start_agent: StartAgent
) -> None:
    agent = start_agent(write_app(ASGI))

    with pytest.raises(AgentFailed, match="no operation 'dance'"):
        agent.call("dance", deadline_s=10, doing="dancing")

    assert agent.boot().app == "main:app"


def test_an_agent_that_has_ended_takes_no_more_commands(write_app: WriteApp, start_agent: StartAgent) -> None:
    agent = start_agent(write_app(ASGI))
    agent.close()
    agent.close()

    with pytest.raises(AgentFailed, match="not running"):
        agent.boot()


def test_the_apps_environment_is_the_users_and_what_was_asked_for(
    write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app("import json, os\nprint(json.dumps(dict(os.environ)), flush=True)" + ASGI)
    agent = start_agent(folder, env={"DATABASE_URL": "sqlite://", "HOME": "/nowhere"})

    agent.boot()
    agent.close()

    seen = json.loads(agent.output)
    assert seen == {**os.environ, "DATABASE_URL": "sqlite://", "HOME": "/nowhere"}


def test_nothing_of_ours_can_be_imported_in_another_environment(
    write_app: WriteApp, start_agent: StartAgent, tmp_path: Path
) -> None:
    """Ours has FastAPI, and an app that could import it there would be measured with the wrong one."""
    venv.create(tmp_path / "bare", symlinks=True)
    folder = write_app(ASGI)

    with pytest.raises(
        SubjectError, match=r"FastAPI is not installed in the environment of .*bare"
    ) as refusal:
        start_agent(folder, python=tmp_path / "bare/bin/python").boot()

    assert refusal.value.advice == "Name the app's own interpreter with --python."


def test_an_interpreter_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = importlib.import_module("wirespeed_agent.__main__")
    monkeypatch.setattr(sys, "version_info", (3, 8, 18))
    commands, answers = os.pipe(), os.pipe()
    os.write(commands[1], b"boot")

    agent.main(commands[0], answers[1], lifeline_fd=0)

    answer = json.loads(os.read(answers[0], 1000))
    assert answer["error"]["kind"] == "environment"
    assert "needs Python 3.9 or later" in answer["error"]["message"]
    assert answer["error"]["message"].endswith("is 3.8.18.")
    for fd in (*commands, *answers):
        os.close(fd)


def test_an_app_in_another_environment_sees_only_that_environment(
    write_app: WriteApp, start_agent: StartAgent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for FastAPI is all that the bare environment has."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    venv.create(tmp_path / "bare", symlinks=True)
    python = tmp_path / "bare/bin/python"
    (tmp_path / "fastapi.py").touch()
    ask = "import importlib.util as u; print([n for n in ('wirespeed', 'numpy') if u.find_spec(n)])"
    agent = start_agent(write_app(ask + ASGI), python=python)

    booted = agent.boot()
    agent.close()

    assert agent.output == "[]\n"
    assert booted.packages == {}
    assert booted.event_loop == "asyncio"


@pytest.mark.parametrize("environment", [{"PYTHONDONTWRITEBYTECODE": "1"}, {"PYTHONDONTWRITEBYTECODE": ""}])
def test_bytecode_is_cached_where_the_environment_writes_none(
    environment: dict[str, str],
    write_app: WriteApp,
    start_agent: StartAgent,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    writes_none = environment["PYTHONDONTWRITEBYTECODE"] == "1"
    folder = write_app(ASGI)

    booted = start_agent(folder, env=environment).boot()

    cached = list((tmp_path / "cache/wirespeed/bytecode").rglob("main.*.pyc"))
    beside = list((folder / "__pycache__").glob("main.*.pyc"))
    assert booted.dont_write_bytecode is writes_none
    assert (len(cached), len(beside)) == ((1, 0) if writes_none else (0, 1))


def test_a_user_without_a_home_has_bytecode_kept_for_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/invalid")

    assert bytecode_folder().is_absolute()


def test_a_folder_or_an_interpreter_that_is_not_there_is_a_mistake_of_the_user(
    write_app: WriteApp, start_agent: StartAgent, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        start_agent(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="cannot be run: No such file"):
        start_agent(write_app(ASGI), python=tmp_path / "python")
