"""Real pytest runs in processes of their own, as whoever installed wirespeed has them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from wirespeed.model.suite import SuiteAdvice, SuiteEndpoint

from .sample import APP, SLOW, TESTS


@dataclass(frozen=True)
class SuiteRun:
    status: int
    output: str
    told: SuiteAdvice | None

    def endpoint(self, path: str, method: str = "GET") -> SuiteEndpoint:
        assert self.told is not None
        return next(each for each in self.told.endpoints if (each.method, each.path) == (method, path))


RunSuite = Callable[..., SuiteRun]


def run_pytest(folder: Path, *arguments: str, timeout_s: float = 60) -> SuiteRun:
    """``pytest --wirespeed`` in ``folder``; ``told`` is its JSON."""
    written = folder / "told.json"
    written.unlink(missing_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONUTF8": "1", "NO_COLOR": "1"}
    options = (
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:asyncio",
        "--rootdir",
        str(folder),
        f"--wirespeed-json={written}",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *arguments, str(folder)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )
    # Of pytest itself only usage errors go there.
    assert done.returncode == pytest.ExitCode.USAGE_ERROR or done.stderr == ""
    told = SuiteAdvice.model_validate(json.loads(written.read_bytes())) if written.exists() else None
    return SuiteRun(done.returncode, done.stdout + done.stderr, told)


@pytest.fixture
def run_suite(tmp_path: Path) -> RunSuite:
    """Write ``files`` (name to source) and run the suite they are."""

    def run(files: dict[str, str], *arguments: str) -> SuiteRun:
        for name, source in files.items():
            (tmp_path / name).write_text(textwrap.dedent(source), encoding="utf-8")
        return run_pytest(tmp_path, *arguments)

    return run


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    (folder / "main.py").write_text(APP, encoding="utf-8")
    (folder / "test_orders.py").write_text(TESTS, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def sample_run(sample_folder: Path) -> SuiteRun:
    """One run of the sample, shared by all who only read what it showed.

    It is run once more where others on the machine hid a gain: what one process sees is noisy.
    """
    options = f"--wirespeed-html={sample_folder / 'told.html'}", "--wirespeed-budget=15"
    seen = run_pytest(sample_folder, *options)
    if any(seen.endpoint(path).conclusion != "remedy" for path in SLOW):
        seen = run_pytest(sample_folder, *options)
    return seen
