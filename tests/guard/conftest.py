"""Repositories with an app, as guards find them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def write(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)


def commit(folder: Path) -> str:
    """Commit all that has changed; gives the hash."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", f"change {time.time_ns()}")
    return git(folder, "rev-parse", "HEAD").strip()


@pytest.fixture
def repository(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """A repository on the branch ``main`` with one commit of these files."""

    def make(files: dict[str, str]) -> Path:
        root = tmp_path / "repository"
        root.mkdir()
        git(root, "init", "--quiet", "--initial-branch=main")
        write(root, files)
        commit(root)
        return root

    return make
