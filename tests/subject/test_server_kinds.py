"""Every kind of server, in old and new versions, serves an app alike."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from wirespeed.errors import SubjectDied, SubjectError, SubjectHung, UsageError
from wirespeed.model.subject import AppSubject, RouteVariant, ServerName, ServerSettings
from wirespeed.subject.server import ServedApp, served

pytestmark = pytest.mark.matrix

WriteApp = Callable[..., Path]
Ends = Callable[[int], bool]

FASTAPI = """
import asyncio, os, sys, time
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from fastapi import FastAPI

prepared = []

@asynccontextmanager
async def lifespan(app):
    starting()
    yield
    print("saw the end", flush=True)

def starting(): ...

app = FastAPI(lifespan=lifespan)

async def make():
    await asyncio.sleep(0)
    return app

async def seed(given):
    await asyncio.sleep(0)
    prepared.append(given is app)

@app.get("/seen")
def seen():
    return {"environment": dict(os.environ), "argv": sys.argv, "path": sys.path, "prepared": prepared}

@app.get("/pid")
def pid():
    return os.getpid()

@app.get("/burn")
def burn():
    ends = time.process_time() + 0.5
    while time.process_time() < ends:
        sum(range(1000))

@app.get("/when")
def when():
    return {"at": datetime(2025, 1, 1, tzinfo=timezone.utc)}
"""

RECENT = "fastapi==0.165.0"


@dataclass(frozen=True)
class Kind:
    server: ServerName
    version: str
    python: str = f"{sys.version_info.major}.{sys.version_info.minor}"
    fastapi: str = RECENT

    def __str__(self) -> str:
        return f"{self.server}-{self.version}-{self.python}"


KINDS = [
    Kind("uvicorn", "0.54.0"),
    Kind("uvicorn", "0.20.0", "3.9", "fastapi==0.100.1"),
    Kind("granian", "2.8.9"),
    Kind("granian", "1.7.6", "3.10", "fastapi==0.115.12"),
    Kind("hypercorn", "0.18.0"),
    Kind("hypercorn", "0.15.0", "3.9", "fastapi==0.115.12"),
]


@pytest.fixture(scope="session", params=KINDS, ids=str)
def kind(request: pytest.FixtureRequest) -> Kind:
    chosen: Kind = request.param
    return chosen


@pytest.fixture(scope="session")
def python(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of an environment with that server; skips where the interpreter is not on this machine."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not installed")
    folder = tmp_path_factory.mktemp("environments") / str(kind)
    environ = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    made = subprocess.run(
        [uv, "venv", "-q", "--python", kind.python, folder], env=environ, capture_output=True
    )
    if made.returncode:
        pytest.skip(f"there is no Python {kind.python} here")
    interpreter = folder / "bin/python"
    packages = (f"{kind.server}=={kind.version}", kind.fastapi)
    subprocess.run([uv, "pip", "install", "-q", "--python", interpreter, *packages], check=True)
    return interpreter


@pytest.fixture
def serve(kind: Kind, python: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    monkeypatch.delenv("PYTHONPATH", raising=False)

    def start(folder: Path, app: str = "main:app", *, workers: int = 1, **options: Any) -> Any:
        fields = {name: options.pop(name) for name in ("prepare", "env") if name in options}
        subject = AppSubject(app=app, folder=folder, python=python, **fields)
        return served(subject, ServerSettings(name=kind.server, workers=workers), **options)

    return start


def ask(app: ServedApp, path: str, *headers: tuple[str, str]) -> Any:
    with urlopen(Request(app.base_url + path, headers=dict(headers)), timeout=30) as answer:
        return json.load(answer)


def worker_pids(app: ServedApp, count: int) -> set[int]:
    found: set[int] = set()
    with ThreadPoolExecutor(8) as clients:
        for _ in range(50):
            found.update(clients.map(lambda _: ask(app, "/pid"), range(8)))
            if len(found) == count:
                return found
    raise AssertionError(f"only {found} ever answered")


def test_workers_serve_the_app_that_was_made_and_prepared(
    serve: Callable[..., Any], write_app: WriteApp, ends: Ends
) -> None:
    folder = write_app(FASTAPI, "shop.main")
    with serve(folder, "shop.main:make", prepare="shop.main:seed", workers=2, env={"MODE": "test"}) as app:
        pids = worker_pids(app, 2)
        seen = ask(app, "/seen")
        misplaced = [entry for entry in seen["path"] if "wirespeed-" in entry]

    assert app.booted.app == "shop.main:make()"
    assert seen["environment"] == {**expected_environment(), "MODE": "test"}
    assert seen["argv"] == ["shop.main:make"]
    assert seen["prepared"] == [True]
    assert misplaced == []
    assert all(map(ends, pids))
    assert app.output.count("saw the end") == 2


def expected_environment() -> dict[str, str]:
    from wirespeed.subject.environment import app_environment

    return app_environment(os.environ, Path("/usr/bin/python"), {})


def test_cpu_time_and_memory_are_those_of_the_worker(serve: Callable[..., Any], write_app: WriteApp) -> None:
    with serve(write_app(FASTAPI)) as app:
        before = app.cpu_seconds()
        ask(app, "/burn")
        burnt_s = app.cpu_seconds() - before

        # What the server's own threads take comes on top.
        assert 0.45 < burnt_s < 1.0
        assert app.peak_memory_bytes() > 20e6


def test_a_worker_that_crashes_is_noticed(serve: Callable[..., Any], write_app: WriteApp) -> None:
    """Some servers start another one, others end."""
    folder = write_app(FASTAPI)

    with suppress(SubjectDied), serve(folder, workers=2) as app:
        one, _ = worker_pids(app, 2)
        assert not app.restarts()
        os.kill(one, signal.SIGKILL)
        for _ in range(400):
            if app.restarts() or not app.alive():
                break
            time.sleep(0.05)
        else:
            raise AssertionError("nothing was noticed")


def test_failures_at_the_start_are_the_apps_own(serve: Callable[..., Any], write_app: WriteApp) -> None:
    with pytest.raises(UsageError, match="main:ap is not there"), serve(write_app(FASTAPI), "main:ap"):
        ...

    write_app(FASTAPI + "raise OSError('no database')", "broken")
    with pytest.raises(SubjectError, match="OSError: no database"), serve(write_app(FASTAPI), "broken:app"):
        ...

    write_app(FASTAPI + "def starting(): raise OSError('no licence')", "refusing")
    complaint = "startup failed: OSError: no licence"
    with pytest.raises(SubjectError, match=complaint) as refusal, serve(write_app(FASTAPI), "refusing:app"):
        ...
    assert "in starting" in str(refusal.value.app_traceback)

    write_app("import os; os._exit(3)", "leaving")
    with pytest.raises(SubjectDied), serve(write_app(FASTAPI), "leaving:app"):
        ...

    write_app(FASTAPI + "def starting(): time.sleep(600)", "hanging")
    with pytest.raises(SubjectHung) as hang, serve(write_app(FASTAPI), "hanging:app", deadline_s=5):
        ...
    assert "time.sleep(600)" in str(hang.value.app_traceback)


def test_a_variant_answers_in_every_worker(serve: Callable[..., Any], write_app: WriteApp) -> None:
    annotation = {
        "expression": "Any",
        "imports": ["from typing import Any"],
        "definitions": [],
        "kind": "any",
        "by_type": False,
    }
    change = {"annotation": annotation, "response_class": "keep", "options": "keep"}
    variant = RouteVariant(route_id=3, path="/when", methods=("GET",), change=change)
    with serve(write_app(FASTAPI), workers=2, variants=[variant]) as app:
        with ThreadPoolExecutor(8) as clients:
            headers = ((), (app.variant_header(0),)) * 30
            answers = set(clients.map(lambda given: (given, ask(app, "/when", *given)["at"]), headers))

        assert answers == {
            ((), "2025-01-01T00:00:00+00:00"),
            ((app.variant_header(0),), "2025-01-01T00:00:00Z"),
        }
        assert app.variant_misses(0) == 0
