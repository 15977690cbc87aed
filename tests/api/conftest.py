"""A small app to measure, and what is left of its processes."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

APP = """
from fastapi import FastAPI

app = FastAPI()


@app.get("/items")
def items():
    return [{"id": number, "name": f"item {number}"} for number in range(200)]


@app.get("/typed")
async def typed() -> dict[str, int]:
    return {"a": 1}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.py").write_text(APP)
    return tmp_path


def _processes_in(folder: Path) -> list[int]:
    """What runs with this working directory, as agents and servers of the app do."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (each / "cwd").readlink() == folder and int(each.name) != os.getpid():
                found.append(int(each.name))
    return found


@pytest.fixture
def processes_in() -> Callable[[Path], list[int]]:
    return _processes_in
