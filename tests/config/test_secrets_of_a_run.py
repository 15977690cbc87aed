"""A token from the environment, in a run of each command against an app that repeats it wherever it can."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).with_name("wirespeed")
TOKEN = "tok-" + "planted-secret-" * 9

APP = """
import sys
from datetime import timedelta
from fastapi import FastAPI, Header, HTTPException, Request

app = FastAPI()


@app.get("/echo")
def echo(authorization: str = Header()):
    print("printed", authorization, file=sys.stderr)
    # Typed, the duration is another text: a difference beside the token, and one in it.
    return {"token": authorization, "took": [timedelta(seconds=1)] * 20, authorization: 1.5e-05}


@app.get("/refuses")
def refuses(authorization: str = Header()):
    raise HTTPException(401, authorization)


@app.get("/raises")
def raises(request: Request):
    raise ValueError(f"cannot use {dict(request.headers)}")
"""
CONFIGURATION = """
[tool.wirespeed]
app = "main:app"
headers = { Authorization = { env = "API_TOKEN", prefix = "Bearer " } }

[tool.wirespeed.advise]
requests = [{ get = "/echo", headers = { X-Other = { env = "API_TOKEN" } } }, { get = "/raises" }]
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *arguments, "--python", sys.executable],
        cwd=folder,
        env={**os.environ, "API_TOKEN": TOKEN},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.py").write_text(APP)
    (tmp_path / "pyproject.toml").write_text(CONFIGURATION)
    return tmp_path


def everything_told(folder: Path, done: subprocess.CompletedProcess[str]) -> str:
    written = [*(folder / ".wirespeed").glob("*.json"), *folder.glob("report.*")]
    records = [path.read_text() for path in written]
    return "\n".join([done.stdout, done.stderr, *records])


@pytest.mark.slow
@pytest.mark.parametrize("output", ["--json", "--all"])
def test_advise_tells_no_secret_and_saves_none(folder: Path, output: str) -> None:
    formats = ("markdown", "junit", "sarif", "gitlab")
    reports = [part for name in formats for part in ("--report", f"{name}=report.{name}")]
    done = run(folder, "advise", output, "--rounds", "2", "--budget", "5s", *reports)

    assert done.returncode == 0, done.stderr
    assert "/echo" in done.stdout
    assert len(list((folder / ".wirespeed").glob("*.json"))) == 1
    told = everything_told(folder, done)
    assert TOKEN[:8] not in told
    # The app was sent it, or nothing would have been at stake.
    assert "***" in told


@pytest.mark.slow
def test_compare_and_load_tell_no_secret(folder: Path) -> None:
    compared = run(folder, "compare", "--get", "/echo", "--get", "/raises", "--json", "--budget", "4s")
    loaded = run(folder, "load", "--get", "/echo", "--get", "/refuses", "--json", "-n", "50", "-c", "2")

    assert json.loads(loaded.stdout)["requests"]["status"] == {"200": 25, "401": 25}
    assert TOKEN[:8] not in everything_told(folder, compared)
    assert TOKEN[:8] not in everything_told(folder, loaded)


def test_an_app_that_does_not_start_tells_no_secret(folder: Path) -> None:
    (folder / "main.py").write_text(
        "import os\nprint(os.environ['API_TOKEN'])\nraise OSError(os.environ['API_TOKEN'])\n"
    )
    done = run(folder, "advise")

    assert done.returncode == 3
    assert TOKEN[:8] not in done.stderr
    assert "***" in done.stderr


def test_config_tells_where_values_come_from_and_no_secret(folder: Path) -> None:
    done = subprocess.run(
        [SCRIPT, "config"],
        cwd=folder,
        env={**os.environ, "API_TOKEN": TOKEN},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "app" in done.stdout
    assert "pyproject.toml:3:1" in done.stdout
    assert "*** (from the environment: API_TOKEN)" in done.stdout
    assert "default" in done.stdout
    assert TOKEN[:8] not in done.stdout
