"""Comparisons across versions of packages and kinds of servers, each started as its users start it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wirespeed.model.comparison import Comparison, MetricEstimate

from .conftest import uv

pytestmark = pytest.mark.matrix

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPT = Path(sys.executable).with_name("wirespeed")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with FastAPI and two servers."""
    folder = tmp_path_factory.mktemp("servers")
    interpreter = folder / "bin" / "python"
    packages = ("fastapi>=0.165", "uvicorn", "granian")
    subprocess.run([uv(), "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
    subprocess.run([uv(), "pip", "install", "--quiet", "--python", str(interpreter), *packages], check=True)
    return interpreter


def compared(python: Path, caches: Path, *arguments: str) -> Comparison:
    done = subprocess.run(
        [
            *(SCRIPT, "compare", "users:app", "--get", "/typed", "--python", python),
            *(*arguments, "--json", "--no-save", "--budget", "30s"),
        ],
        cwd=EXAMPLES,
        env={**os.environ, "XDG_CACHE_HOME": str(caches), "XDG_DATA_HOME": str(caches)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Comparison.model_validate_json(done.stdout)


def verdict(comparison: Comparison) -> MetricEstimate:
    (found,) = (each for each in comparison.estimates if each.verdict is not None)
    return found


def test_a_newer_fastapi_shows_its_fast_path(python: Path, tmp_path: Path) -> None:
    comparison = compared(python, tmp_path, "--with", "fastapi==0.129.0", "--with", "fastapi==0.165.0")

    assert [arm.name for arm in comparison.arms] == ["fastapi==0.129.0", "fastapi==0.165.0"]
    found = verdict(comparison)
    assert (found.verdict, comparison.validity.reasons) == ("faster", ())
    assert found.ratio is not None
    assert found.ratio < 0.8


def test_servers_with_two_workers_are_compared_with_all_their_processes(python: Path, tmp_path: Path) -> None:
    comparison = compared(python, tmp_path, "--server", "uvicorn", "--server", "granian", "--workers", "2")

    assert comparison.validity.reasons == ()
    assert verdict(comparison).verdict != "invalid"
    for arm in comparison.arms:
        assert arm.subject is not None
        assert arm.subject.workers == 2
        assert arm.cpu_s_per_request is not None
        assert arm.memory_bytes is not None
        # A supervisor and two workers, each with FastAPI imported.
        assert arm.memory_bytes > 80_000_000
