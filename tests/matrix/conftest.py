"""Environments for other versions of FastAPI and Python, made by uv once a session."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest

OTHERS = ("orjson", "requests")
"""What the apps under study need beside FastAPI."""
INTERPRETERS = Path.home() / ".pyenv" / "versions"


class MakeEnvironment(Protocol):
    """Make (once) an environment with the packages on ``python``; gives its interpreter."""

    def __call__(self, requirement: str, python: Path, *besides: str) -> Path: ...


def uv() -> str:
    """The development environment's own, or the one on the path."""
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if found is None:
        pytest.fail("the matrix needs uv to make its environments: pip install uv")
    return found


def interpreter(version: str) -> Path:
    """The newest patch of this Python that pyenv has; the test is skipped where there is none."""
    found = sorted(INTERPRETERS.glob(f"{version}.*/bin/python"))
    if not found:
        pytest.skip(f"no Python {version} under {INTERPRETERS}")
    return found[-1]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> MakeEnvironment:
    made: dict[tuple[str, ...], Path] = {}

    def make(requirement: str, python: Path, *besides: str) -> Path:
        key = (requirement, str(python), *besides)
        if key not in made:
            folder = tmp_path_factory.mktemp("environment")
            _run(uv(), "venv", "--quiet", "--python", str(python), str(folder / "venv"))
            interpreter = folder / "venv" / "bin" / "python"
            packages = (requirement, *besides, *OTHERS)
            _run(uv(), "pip", "install", "--quiet", "--python", str(interpreter), *packages)
            made[key] = interpreter
        return made[key]

    return make


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
