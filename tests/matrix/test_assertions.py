"""``wirespeed.testing`` sees how an answer was made on every FastAPI, and says which has no fast path."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .conftest import MakeEnvironment, interpreter

pytestmark = pytest.mark.matrix

SOURCES = Path(__file__).parents[2] / "src"
WITHOUT_FAST_PATH = ["0.100.1", "0.115.12", "0.129.0"]
WITH_FAST_PATH = ["0.130.0", "0.131.0", "0.137.2", "0.142.4", "0.165.0"]

SCRIPT = """
import time
from typing import List
import fastapi
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse
from wirespeed.testing import (
    assert_body_size, assert_fast_path, assert_no_blocking, assert_same_bytes
)

app, router = FastAPI(), APIRouter()

@router.get("/typed")
async def typed() -> List[int]:
    return [1]

@router.get("/typed-def")
def typed_def() -> List[int]:
    return [1]

@router.get("/untyped")
async def untyped():
    return [1]

@router.get("/class", response_class=JSONResponse)
async def of_a_class() -> List[int]:
    return [1]

@router.get("/by-hand", response_model=List[int])
async def by_hand():
    return JSONResponse([1])

@router.get("/blocking")
async def blocking() -> int:
    time.sleep(0.06)
    return 1

app.include_router(router, prefix="/api")

@app.middleware("http")
async def pass_on(request: Request, call_next):
    return await call_next(request)

outer = FastAPI()
outer.mount("/sub", app)

def told(path, check=assert_fast_path, **options):
    try:
        check(outer, "/sub/api" + path, **options)
    except AssertionError as failure:
        return str(failure)
    return ""

for path in ("/typed", "/typed-def", "/untyped", "/class", "/by-hand"):
    print(path, told(path).partition(":")[0])
assert_same_bytes(outer, "/sub/api/typed", "/sub/api/untyped")
assert_body_size(outer, "/sub/api/typed", at_most=3)
assert_no_blocking(outer, "/sub/api/typed-def", longest="30ms")
message = told("/blocking", assert_no_blocking, longest="20ms")
print("/blocking", "in blocking" if "  blocking" in message else "unseen")
"""


def outcome(environment: MakeEnvironment, release: str) -> dict[str, str]:
    python = environment(f"fastapi=={release}", interpreter("3.11"))
    done = subprocess.run(
        [str(python), "-c", SCRIPT],
        env={"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("release", WITH_FAST_PATH)
def test_what_is_off_the_fast_path_is_told_with_its_rule(environment: MakeEnvironment, release: str) -> None:
    told = outcome(environment, release)

    off = "GET /sub/api{} is not on FastAPI's fast path ({})"
    assert told == {
        "/typed": "",
        "/typed-def": "",
        "/untyped": off.format("/untyped", "WS101"),
        "/class": off.format("/class", "WS102"),
        "/by-hand": off.format("/by-hand", "WS103"),
        "/blocking": "in blocking",
    }


@pytest.mark.parametrize("release", WITHOUT_FAST_PATH)
def test_before_0_130_nothing_is_on_the_fast_path(environment: MakeEnvironment, release: str) -> None:
    told = outcome(environment, release)

    assert told.pop("/blocking") == "in blocking"
    assert set(told.values()) == {f"GET /sub/api{path} is not on FastAPI's fast path" for path in told}
