import asyncio
import threading
import time
from typing import Any

import anyio
import pytest
from fastapi import Depends, FastAPI, Request, Response
from fastapi.testclient import TestClient

from wirespeed.errors import UsageError
from wirespeed.testing import assert_no_blocking, assert_no_blocking_async

WAIT_S = 0.06
"""Long beside the limits below, and beside what a busy machine adds to short waits."""

app = FastAPI()


def load_slowly() -> str:
    time.sleep(WAIT_S)
    return "loaded"


def compute() -> int:
    ends = time.thread_time() + WAIT_S
    count = 0
    while time.thread_time() < ends:
        count += 1
    return count


@app.get("/blocking")
async def blocking() -> str:
    return load_slowly()


@app.get("/awaiting")
async def awaiting() -> str:
    await asyncio.sleep(WAIT_S)
    return "awaited"


@app.get("/in-a-thread")
def in_a_thread() -> str:
    return load_slowly()


@app.get("/computing")
async def computing() -> int:
    return compute()


@app.get("/locked")
async def locked() -> str:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire(timeout=WAIT_S)
    return "gave up"


@app.get("/gathering")
async def gathering() -> list[str]:
    async def one() -> str:
        return load_slowly()

    return await asyncio.gather(one(), one())


async def blocking_dependency() -> str:
    return load_slowly()


@app.get("/dependent")
async def dependent(loaded: str = Depends(blocking_dependency)) -> str:
    return loaded


def message_of(path: str, of: Any = app, longest: str = "20ms") -> str:
    with pytest.raises(AssertionError) as failure:
        assert_no_blocking(of, path, longest=longest)
    return str(failure.value)


def test_a_blocking_call_fails_and_its_line_is_named() -> None:
    message = message_of("/blocking")

    assert message.startswith("GET /blocking holds the event loop for ")
    assert "at most 20.0 ms are allowed (WS201)" in message
    assert "test_no_blocking.py:21  load_slowly" in message
    assert "run_in_threadpool" in message


@pytest.mark.parametrize("path", ["/awaiting", "/in-a-thread"])
def test_waiting_without_holding_the_loop_passes(path: str) -> None:
    held = assert_no_blocking(app, path, longest="20ms")

    assert held.blocked_ns < 20_000_000


def test_computing_is_told_apart_from_waiting() -> None:
    held = assert_no_blocking(app, "/computing", longest="20ms")

    assert held.computing_ns > 20_000_000 > held.blocked_ns


def test_waiting_for_a_lock_is_blocking_too() -> None:
    assert "in locked" in message_of("/locked").replace("  locked", " in locked")


@pytest.mark.parametrize("path", ["/gathering", "/dependent"])
def test_tasks_and_dependencies_of_the_request_are_watched(path: str) -> None:
    assert "load_slowly" in message_of(path)


def test_below_middleware_that_starts_a_task_the_endpoint_is_still_watched() -> None:
    layered = FastAPI()
    layered.add_api_route("/blocking", blocking)

    @layered.middleware("http")
    async def pass_on(request: Request, call_next: Any) -> Response:
        return await call_next(request)

    assert "load_slowly" in message_of("/blocking", layered)


def test_a_blocking_middleware_is_named() -> None:
    layered = FastAPI()
    layered.add_api_route("/awaiting", awaiting)

    @layered.middleware("http")
    async def waiting_middleware(request: Request, call_next: Any) -> Response:
        load_slowly()
        return await call_next(request)

    assert "load_slowly" in message_of("/awaiting", layered)


def test_the_line_of_a_library_that_waits_is_named_below_the_users_own() -> None:
    import subprocess
    import sys

    shelling = FastAPI()

    def shell_out() -> int:
        return subprocess.run([sys.executable, "-c", "import time; time.sleep(0.1)"], check=True).returncode

    @shelling.get("/")
    async def shell() -> int:
        return shell_out()

    message = message_of("/", shelling)

    assert "shell_out" in message
    assert "waits in subprocess.py:" in message


def test_a_limit_that_is_longer_than_the_wait_passes() -> None:
    assert_no_blocking(app, "/blocking", longest="10s")


def test_a_limit_needs_a_unit() -> None:
    with pytest.raises(UsageError, match="is not a duration"):
        assert_no_blocking(app, "/blocking", longest="10")


def test_a_client_is_watched_in_the_loop_that_it_has() -> None:
    with TestClient(app) as client:
        assert "load_slowly" in message_of("/blocking", client)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_coroutine_awaits_the_async_twin_on_either_event_loop(backend: str) -> None:
    async def check() -> None:
        await assert_no_blocking_async(app, "/in-a-thread", longest="20ms")
        with pytest.raises(AssertionError, match="load_slowly"):
            await assert_no_blocking_async(app, "/blocking", longest="20ms")
        with pytest.raises(AssertionError, match="load_slowly"):
            await assert_no_blocking_async(app, "/dependent", longest="20ms")

    anyio.run(check, backend=backend)


def test_several_may_be_awaited_at_once_and_leave_the_loop_as_it_was() -> None:
    async def check() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(lambda: assert_no_blocking_async(app, "/in-a-thread", longest="1s"))
        assert asyncio.get_running_loop().get_task_factory() is None

    asyncio.run(check())


def test_what_the_endpoint_raises_is_raised() -> None:
    failing = FastAPI()

    @failing.get("/")
    async def fail() -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        assert_no_blocking(failing, "/")
