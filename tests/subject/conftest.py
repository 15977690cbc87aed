from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from wirespeed.model.subject import AppSubject
from wirespeed.subject.agent import AgentProcess

StartAgent = Callable[..., AgentProcess]


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("caches")


@pytest.fixture(autouse=True)
def users_caches_stay_clean(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches))


@pytest.fixture
def start_agent() -> Iterator[StartAgent]:
    """Start an agent, not booted yet, for an app in a folder; none outlives the test."""
    with ExitStack() as agents:

        def start(folder: Path, app: str = "main:app", **fields: Any) -> AgentProcess:
            subject = AppSubject(**{"app": app, "folder": folder, "python": Path(sys.executable), **fields})
            return agents.enter_context(AgentProcess(subject))

        yield start


@pytest.fixture
def ends() -> Callable[[int], bool]:
    """Whether a process ends before long; one that nobody has reaped yet has ended."""

    def ends(pid: int) -> bool:
        for _ in range(200):
            shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
            if shown.stdout.strip()[:1] in ("", "Z"):
                return True
            time.sleep(0.05)
        return False

    return ends
