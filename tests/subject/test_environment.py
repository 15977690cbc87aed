"""The interpreter is the one the app's author would have used, and its environment variables are theirs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.errors import UsageError
from wirespeed.subject import environment
from wirespeed.subject.agent import AgentProcess
from wirespeed.subject.environment import app_environment, choose_interpreter
from wirespeed.subject.exits import explain_exit


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A virtual environment that wirespeed is taken to run in."""
    folder = make_venv(tmp_path / "ours")
    monkeypatch.setattr(environment, "_OWN_PREFIX", folder)
    monkeypatch.setattr(environment, "_OWN_PYTHON", folder / "bin/python")
    return folder


def make_venv(folder: Path) -> Path:
    venv.create(folder, symlinks=True)
    return folder


def test_the_interpreter_asked_for_comes_first(tmp_path: Path, ours: Path) -> None:
    asked, active = make_venv(tmp_path / "asked"), make_venv(tmp_path / "active")
    variables = {"VIRTUAL_ENV": str(active)}

    assert choose_interpreter(str(asked), tmp_path, variables) == asked / "bin/python"
    assert choose_interpreter(str(asked / "bin/python3"), tmp_path, variables) == asked / "bin/python3"


def test_the_active_environment_comes_before_the_projects_own(tmp_path: Path, ours: Path) -> None:
    active = make_venv(tmp_path / "active")
    make_venv(tmp_path / ".venv")

    assert choose_interpreter(None, tmp_path, {"VIRTUAL_ENV": str(active)}) == active / "bin/python"


def test_our_own_active_environment_is_nobodys_choice(tmp_path: Path, ours: Path) -> None:
    assert choose_interpreter(None, tmp_path, {"VIRTUAL_ENV": str(ours)}) == ours / "bin/python"

    project = make_venv(tmp_path / ".venv")
    assert choose_interpreter(None, tmp_path, {"VIRTUAL_ENV": str(ours)}) == project / "bin/python"
    assert choose_interpreter(None, tmp_path, {}) == project / "bin/python"


def test_an_interpreter_is_also_found_by_its_name_on_the_search_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_venv(tmp_path / "asked") / "bin"
    (folder / "python-of-mine").symlink_to(folder / "python")
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

    assert choose_interpreter("python-of-mine", tmp_path, {}) == folder / "python-of-mine"


def test_an_interpreter_that_is_not_there_is_never_replaced_by_another(tmp_path: Path, ours: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    deleted = {"VIRTUAL_ENV": str(tmp_path / "deleted")}

    for option, complaint in {
        "missing": "is not there",
        "file": "is not executable",
        "folder": "holds no",
    }.items():
        with pytest.raises(UsageError, match=complaint) as refusal:
            choose_interpreter(str(tmp_path / option), tmp_path, {})
        assert "--python" in str(refusal.value.advice)
    with pytest.raises(UsageError, match=r"active virtual environment .*deleted holds no interpreter"):
        choose_interpreter(None, tmp_path, deleted)


def test_what_our_environment_brought_is_taken_out_for_another_interpreter(
    tmp_path: Path, ours: Path
) -> None:
    variables = {
        "PATH": f"/usr/local/bin:{ours}/bin:/usr/bin:",
        "VIRTUAL_ENV": str(ours),
        "VIRTUAL_ENV_PROMPT": "(ours)",
        "PYTHONHOME": str(ours),
        "HOME": "/home/user",
    }

    seen = app_environment(variables, Path("/usr/bin/python3"), {})

    assert seen == {"PATH": "/usr/local/bin:/usr/bin:", "HOME": "/home/user"}


def test_what_the_user_brought_stays(tmp_path: Path, ours: Path) -> None:
    theirs = make_venv(tmp_path / "theirs")
    variables = {"PATH": f"{theirs}/bin:/usr/bin", "VIRTUAL_ENV": str(theirs), "PYTHONPATH": "/lib"}

    assert app_environment(variables, theirs / "bin/python", {}) == variables


@pytest.mark.parametrize("name", ["python", "python3"])
def test_nothing_is_taken_out_for_our_own_interpreter(name: str, ours: Path) -> None:
    variables = {"PATH": f"{ours}/bin:/usr/bin", "VIRTUAL_ENV": str(ours)}

    assert app_environment(variables, ours / "bin" / name, {}) == variables


def test_what_was_asked_for_wins(ours: Path) -> None:
    variables = {"PATH": "/usr/bin", "VIRTUAL_ENV": str(ours), "MODE": "dev"}
    asked = {"MODE": "prod", "VIRTUAL_ENV": "/mine"}

    assert app_environment(variables, Path("/usr/bin/python3"), asked) == {"PATH": "/usr/bin", **asked}


@pytest.mark.parametrize(
    ("returncode", "words"),
    [
        (0, "ended by itself with exit status 0"),
        (-9, "was ended by SIGKILL (killed from outside, most often because memory ran out)"),
        (-15, "was ended by SIGTERM"),
        (-250, "was ended by signal 250"),
    ],
)
def test_the_end_of_a_process_is_put_in_words(returncode: int, words: str) -> None:
    assert explain_exit(returncode) == words


@pytest.mark.matrix
@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13", "3.14"])
def test_an_app_runs_in_an_environment_that_has_nothing_but_fastapi(
    version: str,
    tmp_path: Path,
    write_app: Callable[..., Path],
    start_agent: Callable[..., AgentProcess],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    python = environment_with_fastapi(version, tmp_path / "theirs")
    folder = write_app(
        """
        import importlib.util
        from fastapi import FastAPI
        print([name for name in ("wirespeed", "numpy", "typer") if importlib.util.find_spec(name)])
        app = FastAPI()
        """
    )
    agent = start_agent(folder, python=python)

    booted = agent.boot()
    agent.close()

    assert booted.python.startswith(version + ".")
    assert booted.packages["fastapi"] == "0.115.12"
    assert "uvicorn" not in booted.packages
    assert agent.output == "[]\n"
    assert agent.shutdown_problem is None


def environment_with_fastapi(version: str, folder: Path) -> Path:
    """Skips where the interpreter is not on this machine."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not installed")
    environ = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    made = subprocess.run(
        [uv, "venv", "--quiet", "--python", version, folder], env=environ, capture_output=True
    )
    if made.returncode:
        pytest.skip(f"there is no Python {version} here")
    python = folder / "bin/python"
    subprocess.run([uv, "pip", "install", "--quiet", "--python", python, "fastapi==0.115.12"], check=True)
    return python


def test_this_interpreter_is_the_choice_where_there_is_no_other(tmp_path: Path) -> None:
    assert choose_interpreter(None, tmp_path, {}) == Path(sys.executable)
