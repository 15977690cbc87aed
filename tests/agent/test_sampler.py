"""The function that is named is the one that a slow request's time goes to."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool

from wirespeed_agent.sampler import FEWEST_SAMPLES, HotFrame, Place, Sampler, Stack, hottest

HERE = __file__


def own(filename: str) -> bool:
    return filename.startswith("/app/")


LOOP = Place("/usr/lib/python3.13/asyncio/base_events.py", "run_forever", 1)
ROUTING = Place("/lib/site-packages/fastapi/routing.py", "run_endpoint_function", 2)
ENDPOINT = Place("/app/main.py", "report", 10)
HELPER = Place("/app/prices.py", "load_prices", 40)
DRIVER = Place("/lib/site-packages/driver/cursor.py", "execute", 7)
ENCODER = Place("/lib/site-packages/fastapi/encoders.py", "jsonable_encoder", 230)
SLEEP = Place("/usr/lib/python3.13/asyncio/tasks.py", "sleep", 9)


def named(*stacks: tuple[int, Stack]) -> HotFrame | None:
    return hottest([stack for count, stack in stacks for _ in range(count)], own)


# -- which function, from the samples ------------------------------------------------------------------------


def test_the_deepest_function_of_the_users_that_most_samples_go_through_is_named() -> None:
    hot = named((90, [LOOP, ROUTING, ENDPOINT, HELPER, DRIVER]), (10, [LOOP, ROUTING, ENDPOINT]))

    assert hot == HotFrame(0.9, HELPER)


def test_a_function_whose_parts_share_the_time_is_named_itself() -> None:
    other = HELPER._replace(name="load_names")
    hot = named((34, [ENDPOINT, HELPER]), (33, [ENDPOINT, other]), (33, [ENDPOINT]))

    assert hot == HotFrame(1.0, ENDPOINT)


def test_a_library_is_named_by_its_first_function_and_not_by_its_recursion() -> None:
    deeper = ENCODER._replace(line=310)

    assert named((20, [LOOP, ROUTING, ENCODER, deeper, deeper])) == HotFrame(1.0, ENCODER)


def test_the_line_is_the_one_seen_most_often() -> None:
    hot = named((12, [ENDPOINT._replace(line=11)]), (8, [ENDPOINT]))

    assert hot is not None
    assert hot.place.line == 11


def test_a_recursive_function_counts_once_a_sample() -> None:
    assert named((20, [ENDPOINT, HELPER, HELPER, HELPER])) == HotFrame(1.0, HELPER)


def test_waiting_is_blamed_on_who_waits() -> None:
    assert named((20, [LOOP, ROUTING, ENDPOINT, SLEEP])) == HotFrame(1.0, ENDPOINT)


def test_plumbing_alone_names_nobody() -> None:
    assert named((20, [LOOP, ROUTING])) is None
    assert named((20, [])) is None


def test_idle_samples_count_against_the_share() -> None:
    assert named((15, [ROUTING, ENDPOINT]), (15, [LOOP])) == HotFrame(0.5, ENDPOINT)


def test_a_few_samples_say_nothing() -> None:
    assert named((FEWEST_SAMPLES - 1, [ENDPOINT])) is None


# -- which stack, from a running app -------------------------------------------------------------------------


def spin(seconds: float = 0.15) -> None:
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends:
        json.dumps(list(range(100)))


async def waits() -> None:
    await asyncio.sleep(0.15)


def make_app() -> FastAPI:
    app = FastAPI()

    @app.get("/computes")
    async def computes() -> Any:
        spin()

    @app.get("/in-a-worker")
    def in_a_worker() -> Any:
        spin()

    @app.get("/blocks-a-worker")
    def blocks_a_worker() -> Any:
        time.sleep(0.15)

    @app.get("/waits")
    async def awaits() -> Any:
        await waits()

    @app.get("/hands-over")
    async def hands_over() -> Any:
        await run_in_threadpool(spin)

    @app.get("/to-an-executor")
    async def to_an_executor() -> Any:
        await asyncio.get_running_loop().run_in_executor(None, spin)

    return app


async def sampled(at_work: Any, path: str) -> str | None:
    with Sampler() as sampler:
        await at_work.get(path)
    hot = hottest(sampler.stacks, lambda filename: filename == HERE)
    return None if hot is None else hot.place.name


EXPECTED = {
    "/computes": "spin",
    "/in-a-worker": "spin",
    "/blocks-a-worker": "blocks_a_worker",
    "/waits": "waits",
    "/hands-over": "spin",
    "/to-an-executor": "spin",
}


@pytest.mark.parametrize(("path", "name"), EXPECTED.items())
def test_the_sampler_names_who_holds_the_request_up(run: Any, bench: Any, path: str, name: str) -> None:
    assert run(lambda: sampled(bench(make_app()), path)) == name


@contextlib.contextmanager
def heartbeat_thread() -> Iterator[None]:
    stop = threading.Event()

    def heartbeat() -> None:
        while not stop.is_set():
            time.sleep(0.001)

    thread = threading.Thread(target=heartbeat)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextlib.contextmanager
def heartbeat_in_an_executor() -> Iterator[None]:
    stop = threading.Event()

    def heartbeat() -> None:
        while not stop.is_set():
            time.sleep(0.001)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        pool.submit(heartbeat)
        try:
            yield
        finally:
            stop.set()


@pytest.mark.parametrize("heartbeat", [heartbeat_thread, heartbeat_in_an_executor])
@pytest.mark.parametrize("path", ["/waits", "/in-a-worker"])
def test_threads_that_beat_all_along_are_not_blamed(
    run: Any, bench: Any, heartbeat: Callable[[], Any], path: str
) -> None:
    with heartbeat():
        assert run(lambda: sampled(bench(make_app()), path)) == EXPECTED[path]


def test_a_task_that_waits_all_along_is_not_blamed_however_deep_it_waits(run: Any, bench: Any) -> None:
    async def deep(levels: int) -> None:
        await (deep(levels - 1) if levels else asyncio.sleep(3600))

    async def ask() -> str | None:
        task = asyncio.create_task(deep(100))
        await asyncio.sleep(0)
        name = await sampled(bench(make_app()), "/waits")
        task.cancel()
        return name

    assert run(ask) == "waits"


def test_the_interpreters_switch_interval_is_given_back(run: Any) -> None:
    before = sys.getswitchinterval()

    async def look() -> None:
        with Sampler():
            assert sys.getswitchinterval() < before
            await anyio.to_thread.run_sync(time.sleep, 0.01)

    run(look)

    assert sys.getswitchinterval() == before


def test_files_are_the_apps_own_unless_they_are_installed_or_made_up(bench: Any) -> None:
    owns = bench(FastAPI()).owns

    assert owns(HERE)
    assert owns("/srv/app/.hidden/main.py")
    assert not owns(json.__file__)
    assert not owns(str(Path(pytest.__file__)))
    assert not owns("<string>")
    assert owns("/venv/lib/python3.11/site-packages/main/api.py")
