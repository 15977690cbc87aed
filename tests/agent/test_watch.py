"""What a first call does to the world is seen, whoever does it for the call; what others do is not."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
import uvloop
from fastapi import BackgroundTasks, Depends, FastAPI

from wirespeed_agent.watch import MAX_ACTIONS, watching_actions

Job = Callable[[], Any]
ELSEWHERE = ("192.0.2.1", 9)
"""An address that is kept for documentation: nobody answers there."""


def seen_during(work: Callable[[], Awaitable[Any]], loop: Any = asyncio.new_event_loop) -> list[str]:
    """The actions that are seen while ``work`` runs as a watched call does."""

    async def call() -> list[str]:
        with watching_actions(asyncio.get_running_loop()) as watch:
            await asyncio.ensure_future(work())
        return watch.actions

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(call())


def seen(job: Job) -> list[str]:
    async def work() -> None:
        job()

    return seen_during(work)


def connect(address: Any, family: int = socket.AF_INET) -> None:
    """Try to, without waiting for anybody."""
    with socket.socket(family, socket.SOCK_STREAM) as client, contextlib.suppress(OSError):
        client.setblocking(False)
        client.connect(address)


def send_datagram(address: Any) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client, contextlib.suppress(OSError):
        client.setblocking(False)
        client.sendto(b"x", address)


# -- what acts -----------------------------------------------------------------------------------------------


def touch_by_number(path: Path | bytes) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT))


ACTIONS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a file is written": (lambda p: (p / "f").write_text("x"), "wrote to {p}/f"),
    "a file is appended to": (lambda p: (p / "f").open("a").close(), "wrote to {p}/f"),
    "a file is opened to be changed": (lambda p: (p / "old").open("r+").close(), "wrote to {p}/old"),
    "a file is made by number": (lambda p: touch_by_number(p / "f"), "wrote to {p}/f"),
    "a file's name is bytes": (lambda p: touch_by_number(bytes(p / "f")), "wrote to {p}/f"),
    "a folder is made": (lambda p: (p / "d").mkdir(), "made the folder {p}/d"),
    "a folder is removed": (lambda p: (p / "empty").rmdir(), "removed the folder {p}/empty"),
    "a tree is removed": (lambda p: shutil.rmtree(p / "empty"), "removed the folder {p}/empty"),
    "a file is removed": (lambda p: (p / "old").unlink(), "removed {p}/old"),
    "a file is renamed": (lambda p: (p / "old").rename(p / "new"), "renamed {p}/old"),
    "a link is made": (lambda p: (p / "l").symlink_to(p / "old"), "linked {p}/old"),
    "a mode is changed": (lambda p: (p / "old").chmod(0o600), "changed the mode of {p}/old"),
    "a file is cut": (lambda p: os.truncate(p / "old", 0), "truncated {p}/old"),
    "a process is started": (lambda p: subprocess.run(["true", "x"]), "started a process: true x"),
    "a shell is started": (lambda p: os.system("true"), "ran the command true"),
    "another machine is called": (lambda p: connect(ELSEWHERE), "opened a connection to 192.0.2.1:9"),
    "another machine is sent to": (lambda p: send_datagram(ELSEWHERE), "opened a connection to 192.0.2.1:9"),
}


@pytest.mark.parametrize(("act", "what"), ACTIONS.values(), ids=ACTIONS)
def test_it_is_seen_when(act: Callable[[Path], Any], what: str, tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "empty").mkdir()

    assert what.format(p=tmp_path) in seen(lambda: act(tmp_path))


def test_a_fork_is_seen() -> None:
    """The event alone: forking the process that runs the tests would run them twice."""
    assert seen(lambda: sys.audit("os.fork")) == ["forked a process"]


def test_an_action_is_reported_once_and_only_the_first_ones_are(tmp_path: Path) -> None:
    twice = seen(lambda: [(tmp_path / "f").write_text("x") for _ in range(2)])
    many = seen(lambda: [(tmp_path / f"f{n}").write_text("x") for n in range(30)])

    assert twice == [f"wrote to {tmp_path}/f"]
    assert len(many) == MAX_ACTIONS


# -- what does not -------------------------------------------------------------------------------------------


def compile_a_module(folder: Path) -> None:
    import py_compile

    source = folder / "module.py"
    py_compile.compile(str(source), cfile=str(folder / "__pycache__" / "module.cpython-311.pyc"))


HARMLESS: dict[str, Callable[[Path], Any]] = {
    "a file is read": lambda p: (p / "module.py").read_text(),
    "a folder is listed": lambda p: list(p.iterdir()),
    "a device is written": lambda p: Path("/dev/null").write_text("x"),
    "bytecode is cached": compile_a_module,
    "a file that is open is written": lambda p: os.write(1, b""),
    "this machine is called": lambda p: connect(("127.0.0.1", 9)),
    "this machine is called by IPv6": lambda p: connect(("::1", 9), socket.AF_INET6),
    "any address of this machine is called": lambda p: connect(("0.0.0.0", 9)),
    "a local socket is called": lambda p: connect(str(p / "socket"), socket.AF_UNIX),
    "something is looked up": lambda p: p.stat(),
}


@pytest.mark.parametrize("act", HARMLESS.values(), ids=HARMLESS)
def test_it_is_no_action_when(act: Callable[[Path], Any], tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text("x = 1")
    (tmp_path / "__pycache__").mkdir()

    assert seen(lambda: act(tmp_path)) == []


def test_a_bytecode_folder_of_its_own_is_harmless_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()

    assert seen(lambda: (tmp_path / "cache" / "module.tmp.1234").write_text("x")) == []


def test_nothing_is_seen_before_and_after(tmp_path: Path) -> None:
    actions = seen(lambda: None)
    (tmp_path / "later").write_text("x")

    assert actions == []


def test_what_goes_wrong_in_the_watch_does_not_reach_the_app(tmp_path: Path) -> None:
    assert seen(lambda: sys.audit("os.mkdir", object(), 0, -1)) == []


# -- who did it ----------------------------------------------------------------------------------------------


def write(path: Path) -> None:
    path.write_text("x")


async def in_a_worker_of_anyio(path: Path) -> None:
    await anyio.to_thread.run_sync(write, path)


async def in_the_loops_executor(path: Path) -> None:
    await asyncio.get_running_loop().run_in_executor(None, write, path)


async def in_an_executor_of_the_calls_own(path: Path) -> None:
    with concurrent.futures.ThreadPoolExecutor() as pool:
        pool.submit(write, path).result()


async def in_a_thread_that_the_call_starts(path: Path) -> None:
    thread = threading.Thread(target=write, args=(path,))
    thread.start()
    thread.join()


async def in_a_task_that_the_call_starts(path: Path) -> None:
    async def later() -> None:
        await asyncio.sleep(0)
        write(path)

    await asyncio.create_task(later())


WORKERS = [
    in_a_worker_of_anyio,
    in_the_loops_executor,
    in_an_executor_of_the_calls_own,
    in_a_thread_that_the_call_starts,
    in_a_task_that_the_call_starts,
]


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("work", WORKERS, ids=lambda work: work.__name__)
def test_it_is_seen(work: Callable[[Path], Awaitable[None]], loop: Any, tmp_path: Path) -> None:
    assert seen_during(lambda: work(tmp_path / "f"), loop) == [f"wrote to {tmp_path}/f"]


def test_a_worker_that_was_there_before_works_for_the_call_all_the_same(tmp_path: Path) -> None:
    async def twice() -> list[str]:
        await in_a_worker_of_anyio(tmp_path / "before")
        await in_the_loops_executor(tmp_path / "before")
        with watching_actions(asyncio.get_running_loop()) as watch:
            await asyncio.ensure_future(in_a_worker_of_anyio(tmp_path / "by anyio"))
            await asyncio.ensure_future(in_the_loops_executor(tmp_path / "by asyncio"))
        return watch.actions

    assert asyncio.run(twice()) == [f"wrote to {tmp_path}/by {name}" for name in ("anyio", "asyncio")]


def test_an_older_thread_of_the_apps_own_is_not_the_calls_doing(tmp_path: Path) -> None:
    beat, done = threading.Event(), threading.Event()

    def heartbeat() -> None:
        beat.wait()
        write(tmp_path / "heartbeat")
        done.set()

    thread = threading.Thread(target=heartbeat)
    thread.start()
    actions = seen(lambda: (beat.set(), done.wait()))
    thread.join()

    assert (tmp_path / "heartbeat").exists()
    assert actions == []


def test_an_older_task_of_the_apps_own_is_not_the_calls_doing(tmp_path: Path) -> None:
    async def both() -> list[str]:
        beat, done = asyncio.Event(), asyncio.Event()

        async def heartbeat() -> None:
            await beat.wait()
            write(tmp_path / "heartbeat")
            done.set()

        task = asyncio.create_task(heartbeat())
        await asyncio.sleep(0)
        with watching_actions(asyncio.get_running_loop()) as watch:
            beat.set()
            await done.wait()
        await task
        return watch.actions

    assert asyncio.run(both()) == []


# -- uvloop, whose ways out raise no audit event -------------------------------------------------------------


async def open_connection(host: str) -> None:
    with contextlib.suppress(OSError, asyncio.TimeoutError):
        await asyncio.wait_for(asyncio.open_connection(host, 9), 0.05)


async def open_datagrams(host: str) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        transport, _ = await loop.create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=(host, 9))
        transport.close()


async def run_program() -> None:
    process = await asyncio.create_subprocess_exec("true", "x")
    await process.wait()


async def run_shell() -> None:
    process = await asyncio.create_subprocess_shell("true x")
    await process.wait()


LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize("opened", [open_connection, open_datagrams])
def test_connections_of_the_loop_itself_are_seen_where_they_leave_the_machine(opened: Any, loop: Any) -> None:
    assert seen_during(lambda: opened("192.0.2.1"), loop) == ["opened a connection to 192.0.2.1:9"]
    assert seen_during(lambda: opened("127.0.0.1"), loop) == []


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize("started", [run_program, run_shell])
def test_processes_of_the_loop_itself_are_seen(started: Any, loop: Any) -> None:
    assert any("true x" in action for action in seen_during(started, loop))


def test_the_loop_is_left_as_it_was() -> None:
    async def look() -> None:
        loop = asyncio.get_running_loop()
        with watching_actions(loop):
            assert "create_connection" in vars(loop)
        assert "create_connection" not in vars(loop)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(look())


# -- through the app -----------------------------------------------------------------------------------------


def test_endpoints_dependencies_and_background_tasks_are_all_the_calls_doing(
    run: Any, bench: Any, tmp_path: Path
) -> None:
    app = FastAPI()

    async def opens() -> AsyncIterator[None]:
        write(tmp_path / "dependency")
        yield
        write(tmp_path / "teardown")

    @app.get("/x", dependencies=[Depends(opens)])
    def endpoint(tasks: BackgroundTasks) -> Any:
        tasks.add_task(write, tmp_path / "background")
        write(tmp_path / "endpoint")

    async def ask() -> list[str]:
        with watching_actions(asyncio.get_running_loop()) as watch:
            await bench(app).get("/x")
        return watch.actions

    assert {Path(action).name for action in run(ask)} == {"dependency", "endpoint", "background", "teardown"}
