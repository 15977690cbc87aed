"""A served app is the user's own, its cost is known, and no process of it outlives its block."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from wirespeed.errors import SubjectDied, SubjectError, SubjectHung, UsageError
from wirespeed.model.subject import AppSubject, ServerSettings
from wirespeed.subject.port import reserved_port
from wirespeed.subject.server import ServedApp, served

WriteApp = Callable[..., Path]
Ends = Callable[[int], bool]

ASGI = """
import asyncio, json, os, signal, subprocess, sys, time

def starting(): ...
def stopping(): ...

def burn(seconds):
    ends = time.process_time() + seconds
    while time.process_time() < ends:
        sum(range(1000))

def pid(): return os.getpid()

async def app(scope, receive, send):
    if scope["type"] == "http":
        name, _, argument = scope["path"][1:].partition("/")
        answer = globals()[name](*[argument] if argument else [])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(answer).encode()})
        return
    while True:
        step = (await receive())["type"]
        starting() if step == "lifespan.startup" else stopping()
        await send({"type": step + ".complete"})
        if step == "lifespan.shutdown":
            return
"""


def serve(
    folder: Path, app: str = "main:app", *, workers: int = 1, deadline_s: float = 60, **fields: Any
) -> AbstractContextManager[ServedApp]:
    subject = AppSubject(**{"app": app, "folder": folder, "python": Path(sys.executable), **fields})
    return served(subject, ServerSettings(workers=workers), deadline_s=deadline_s)


def ask(app: ServedApp, path: str) -> Any:
    with urlopen(f"{app.base_url}/{path}", timeout=30) as answer:
        return json.load(answer)


def worker_pids(app: ServedApp, count: int) -> set[int]:
    """By asking several at once, as an idle worker may take all that come one by one."""
    found: set[int] = set()
    with ThreadPoolExecutor(8) as clients:
        for _ in range(50):
            found.update(clients.map(lambda _: ask(app, "pid"), range(8)))
            if len(found) == count:
                return found
    raise AssertionError(f"only {found} ever answered")


def eventually(condition: Callable[[], bool]) -> bool:
    for _ in range(400):
        if condition():
            return True
        time.sleep(0.05)
    return False


NAMED = (
    ASGI
    + """
prepared_with = []
def prepared(): return prepared_with

async def make():
    await asyncio.sleep(0)
    prepared_with.append("made")
    return app

def seed(given): prepared_with.append(given is app)
async def seed_later(given):
    await asyncio.sleep(0)
    prepared_with.append(given is app)
"""
)


@pytest.mark.parametrize(
    ("written", "prepare", "found", "prepared"),
    [
        ("shop/main.py", None, "shop.main:app", []),
        ("shop", "shop.main:seed", "shop.main:app", [True]),
        ("shop.main:make", "shop.main:seed_later", "shop.main:make()", ["made", True]),
    ],
)
def test_the_app_is_found_made_and_prepared_as_for_advise(
    written: str, prepare: str | None, found: str, prepared: list[Any], write_app: WriteApp
) -> None:
    with serve(write_app(NAMED, "shop.main"), written, prepare=prepare) as app:
        assert app.booted.app == found
        assert app.booted.file == str(app.subject.folder / "shop/main.py")
        assert ask(app, "prepared") == prepared


def test_the_app_finds_nothing_of_ours_in_its_process(write_app: WriteApp) -> None:
    folder = write_app(
        ASGI
        + """
def seen():
    ours = [name for name in (*sys.path, *sys.argv) if "wirespeed-" in name or "served-" in name]
    return dict(os.environ), sys.argv, ours, os.getcwd()
"""
    )
    for workers in (1, 2):
        with serve(folder, workers=workers, env={"DATABASE_URL": "sqlite://", "HOME": "/nowhere"}) as app:
            environment, arguments, ours, working_folder = ask(app, "seen")

        assert environment == {**os.environ, "DATABASE_URL": "sqlite://", "HOME": "/nowhere"}
        assert arguments == ["main:app"]
        assert ours == []
        assert working_folder == str(folder)


def cost_s(app: ServedApp, path: str) -> tuple[float, Any]:
    """CPU seconds that a request has cost, and its answer."""
    before = app.cpu_seconds()
    answer = ask(app, path)
    return app.cpu_seconds() - before, answer


BURNS = (
    ASGI
    + """
import resource

def own(): burn(0.5)
def nothing(): ...

def reaped_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

def in_children():
    before = reaped_s()
    for _ in range(4):
        subprocess.run([sys.executable, "-c", "import main; main.burn(0.1)"], check=True)
    return reaped_s() - before

def allocate():
    return len(bytearray(os.urandom(1)) * 100_000_000)
"""
)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no CPU clocks of processes")
def test_cpu_time_counts_workers_and_children_that_have_ended(write_app: WriteApp) -> None:
    with serve(write_app(BURNS), workers=2) as app:
        idle_s, _ = cost_s(app, "nothing")
        own_s, _ = cost_s(app, "own")
        children_s, used_s = cost_s(app, "in_children")

    assert idle_s < 0.05
    assert own_s == pytest.approx(0.5, rel=0.15)
    assert used_s > 0.4
    assert children_s == pytest.approx(used_s, rel=0.15)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_peak_memory_remembers_what_has_been_given_back(write_app: WriteApp) -> None:
    with serve(write_app(BURNS)) as app:
        before = app.peak_memory_bytes()
        assert ask(app, "allocate") == 100_000_000
        after = app.peak_memory_bytes()

    assert before is not None
    assert after is not None
    assert after - before == pytest.approx(100e6, rel=0.1)


def test_every_worker_has_started_when_the_block_begins_and_one_that_crashes_is_noticed(
    write_app: WriteApp,
) -> None:
    with serve(write_app("import time; time.sleep(0.2)" + ASGI), workers=2) as app:
        one, _ = worker_pids(app, 2)
        assert not app.restarts()

        os.kill(one, signal.SIGKILL)

        assert eventually(app.restarts)
        assert app.alive()


def test_a_server_that_dies_is_blamed_for_what_its_requests_failed_with(write_app: WriteApp) -> None:
    with pytest.raises(SubjectDied) as death, serve(write_app(ASGI)) as app:
        os.kill(ask(app, "pid"), signal.SIGSEGV)
        while True:
            ask(app, "pid")

    assert death.value.message == "uvicorn was ended by SIGSEGV (a crash in C code) while serving main:app."
    assert "Application startup complete" in death.value.output
    assert isinstance(death.value.__cause__, OSError)
    assert not app.alive()


def test_a_server_that_dies_unnoticed_is_noticed_at_the_end(write_app: WriteApp) -> None:
    folder = write_app(ASGI + "def leave(): os._exit(7)")

    with (
        pytest.raises(SubjectDied, match="ended by itself with exit status 7 while serving"),
        serve(folder) as app,
    ):
        with suppress(URLError, OSError):
            ask(app, "leave")
        assert eventually(lambda: not app.alive())
        with pytest.raises(SubjectDied):
            app.cpu_seconds()


def test_the_app_shuts_down_and_nothing_of_it_stays(write_app: WriteApp, ends: Ends) -> None:
    folder = write_app(
        ASGI
        + """
def child(own_session):
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    return subprocess.Popen(sleeper, start_new_session=own_session == "own").pid

def stopping(): print("saw the end", flush=True)
"""
    )
    with serve(folder, workers=2) as app:
        pids = {*worker_pids(app, 2), ask(app, "child/own"), ask(app, "child/same")}

    assert all(map(ends, pids))
    assert app.output.count("saw the end") == 2


def test_an_error_of_the_block_is_its_own_and_ends_the_server(write_app: WriteApp, ends: Ends) -> None:
    with pytest.raises(KeyError), serve(write_app(ASGI)) as app:
        pid = ask(app, "pid")
        raise KeyError

    assert ends(pid)


CONDUCTOR = """
import sys
from pathlib import Path
from wirespeed.model.subject import AppSubject, ServerSettings
from wirespeed.subject.server import served
subject = AppSubject(app="main:app", python=sys.executable, folder=Path(sys.argv[1]))
with served(subject, ServerSettings(workers=2)) as app:
    print(app.base_url, flush=True)
    sys.stdin.read()
"""


def test_when_wirespeed_is_killed_the_server_and_its_workers_end(write_app: WriteApp, ends: Ends) -> None:
    folder = write_app(ASGI + "def pids(): return os.getpid(), os.getppid()")
    command = [sys.executable, "-c", CONDUCTOR, str(folder)]
    environ = {**os.environ, "TMPDIR": str(folder)}  # what it has no time to remove
    with subprocess.Popen(
        command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as conductor:
        assert conductor.stdout is not None
        with urlopen(f"{conductor.stdout.readline().strip()}/pids", timeout=30) as answer:
            pids = json.load(answer)

        conductor.kill()

    assert all(map(ends, pids))


def test_a_wrong_name_is_answered_with_a_better_one(write_app: WriteApp) -> None:
    with (
        pytest.raises(UsageError, match="main:ap is not there") as refusal,
        serve(write_app(ASGI), "main:ap"),
    ):
        ...

    assert refusal.value.advice == "main has main:app."


@pytest.mark.parametrize("workers", [1, 2])
def test_an_app_that_cannot_be_imported_gives_its_own_traceback(workers: int, write_app: WriteApp) -> None:
    write_app("def connect():\n    raise OSError('no database')", "database")
    folder = write_app("import database\nprint('connecting')\ndatabase.connect()")

    with pytest.raises(SubjectError, match="OSError: no database") as failure, serve(folder, workers=workers):
        ...

    *_, frame, _code, message = str(failure.value.app_traceback).splitlines()
    assert frame.strip().endswith("in connect")
    assert message == "OSError: no database"
    assert "wirespeed_agent" not in str(failure.value.app_traceback)
    assert "connecting" in failure.value.output


def test_an_app_that_refuses_to_start_says_why(write_app: WriteApp) -> None:
    folder = write_app(
        """
        from contextlib import asynccontextmanager
        from fastapi import FastAPI

        @asynccontextmanager
        async def lifespan(app):
            raise RuntimeError("no licence")
            yield

        app = FastAPI(lifespan=lifespan)
        """
    )
    with (
        pytest.raises(SubjectError, match="startup failed: RuntimeError: no licence") as failure,
        serve(folder),
    ):
        ...

    assert 'raise RuntimeError("no licence")' in str(failure.value.app_traceback)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_app_that_ends_its_process_while_it_is_imported_is_told_from_one_that_hangs(
    workers: int, write_app: WriteApp
) -> None:
    """uvicorn would start such a worker again for ever."""
    folder = write_app("import os\nprint('no licence', flush=True)\nos._exit(3)")

    with pytest.raises(SubjectDied) as death, serve(folder, workers=workers):
        ...

    assert death.value.during == "starting main:app (importing main)"
    assert "no licence" in death.value.output


HANGS = {
    "importing main": "def connect():\n    time.sleep(600)\nconnect()",
    "starting the app up": "def connect():\n    time.sleep(600)\ndef starting():\n    connect()",
}


@pytest.mark.parametrize("doing", HANGS)
def test_a_start_that_hangs_is_given_up_with_the_line_it_hangs_in(
    doing: str, write_app: WriteApp, ends: Ends
) -> None:
    folder = write_app(ASGI + f"print(os.getpid(), flush=True)\n{HANGS[doing]}")

    with pytest.raises(SubjectHung, match=r"Gave up .* after 3 s") as hang, serve(folder, deadline_s=3):
        ...

    assert hang.value.during == f"starting main:app ({doing})"
    assert str(hang.value.app_traceback).splitlines()[-1].strip() == "time.sleep(600)"
    assert "wirespeed_agent" not in str(hang.value.app_traceback)
    assert ends(int(next(line for line in hang.value.output.splitlines() if line.isdigit())))


def test_an_app_without_a_lifespan_is_served_and_that_is_noted(write_app: WriteApp) -> None:
    folder = write_app(
        """
        async def app(scope, receive, send):
            assert scope["type"] == "http"
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"1"})
        """
    )
    with serve(folder) as app:
        assert ask(app, "") == 1
        assert "AssertionError" in app.booted.notes[0]


def test_apps_that_are_served_at_once_have_ports_of_their_own(write_app: WriteApp) -> None:
    folder = write_app(ASGI + "def name(): return os.environ['NAME']")
    with ExitStack() as running:
        apps = {name: running.enter_context(serve(folder, env={"NAME": name})) for name in "ab"}

        assert {name: ask(app, "name") for name, app in apps.items()} == {"a": "a", "b": "b"}


def test_a_reserved_port_is_given_to_nobody_else() -> None:
    with ExitStack() as stack:
        ports = [stack.enter_context(reserved_port()) for _ in range(300)]

    assert len(set(ports)) == 300


@pytest.fixture
def bare_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An interpreter with a stand-in for FastAPI beside the app, and nothing else."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    venv.create(tmp_path / "bare", symlinks=True)
    (tmp_path / "fastapi.py").touch()
    yield tmp_path / "bare/bin/python"


def test_a_server_that_is_not_installed_is_named(write_app: WriteApp, bare_python: Path) -> None:
    complaint = r"uvicorn is not installed in the environment of .*bare"

    with pytest.raises(UsageError, match=complaint) as refusal, serve(write_app(ASGI), python=bare_python):
        ...

    assert refusal.value.advice == f"Install it there: {bare_python} -m pip install uvicorn"
