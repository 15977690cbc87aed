"""The app starts up and shuts down as under a server; when it cannot, the report says where."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wirespeed.errors import SubjectError, SubjectHung
from wirespeed.subject import agent as agent_module
from wirespeed.subject.agent import AgentProcess
from wirespeed_agent.lifespan import Lifespan

StartAgent = Callable[..., AgentProcess]
WriteApp = Callable[..., Path]

FASTAPI = """
import asyncio, contextlib, os, sys, time
from fastapi import FastAPI

@contextlib.asynccontextmanager
async def lifespan(app):
    {before}
    yield
    {after}

app = FastAPI(lifespan=lifespan)
"""


PLAIN = """
import asyncio, contextlib, time

@contextlib.asynccontextmanager
async def lifespan():
    {before}
    yield
    {after}

async def app(scope, receive, send):
    await receive()
    async with lifespan():
        await send({"type": "lifespan.startup.complete"})
        await receive()
    await send({"type": "lifespan.shutdown.complete"})
"""


def plain_app_with(before: str = "pass", after: str = "pass") -> str:
    """The same without FastAPI, whose import takes long enough to be mistaken for a hang."""
    return PLAIN.replace("{before}", before).replace("{after}", after)


def app_with(before: str = "pass", after: str = "pass") -> str:
    return FASTAPI.format(before=before, after=after)


def test_a_start_up_that_fails_shows_the_apps_own_traceback(
    write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(app_with(before="raise ConnectionError('no database')"))

    with pytest.raises(SubjectError, match="startup failed: ConnectionError: no database") as failure:
        start_agent(folder).boot()

    traceback = str(failure.value.app_traceback)
    assert f'{folder / "main.py"}", line 7, in lifespan' in traceback
    assert "wirespeed_agent" not in traceback


def test_a_start_up_that_ends_the_program_is_explained(write_app: WriteApp, start_agent: StartAgent) -> None:
    folder = write_app(app_with(before="sys.exit('no licence')"))

    with pytest.raises(SubjectError, match="startup failed: SystemExit: no licence"):
        start_agent(folder).boot()


@pytest.mark.parametrize("wait", ["time.sleep(600)", "await asyncio.sleep(600)"])
def test_a_start_up_that_hangs_is_named_with_the_line_it_hangs_in(
    wait: str, write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(plain_app_with(before=wait))

    with pytest.raises(SubjectHung) as hang:
        start_agent(folder).boot(deadline_s=3)

    assert hang.value.during == "starting main:app (starting the app up)"
    assert f"line 6, in lifespan\n    {wait}" in str(hang.value.app_traceback)


def test_a_shutdown_that_hangs_is_noted_and_ended(
    write_app: WriteApp, start_agent: StartAgent, ends: Callable[[int], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_module, "SHUTDOWN_DEADLINE_S", 1)
    agent = start_agent(write_app(plain_app_with(after="await asyncio.sleep(600)")))
    agent.boot()
    pid = agent.pid

    agent.close()

    assert isinstance(agent.shutdown_problem, SubjectHung)
    assert agent.shutdown_problem.during == "shutting main:app down (shutting the app down)"
    assert "line 8, in lifespan" in str(agent.shutdown_problem.app_traceback)
    assert ends(pid)


def test_a_shutdown_that_fails_is_noted(write_app: WriteApp, start_agent: StartAgent) -> None:
    agent = start_agent(write_app(app_with(after="raise OSError('disk full')")))
    agent.boot()

    agent.close()

    assert isinstance(agent.shutdown_problem, SubjectError)
    assert agent.shutdown_problem.message == "The app's shutdown failed: OSError: disk full"


def test_the_app_is_shut_down_and_its_process_ends_by_itself(
    write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(
        plain_app_with(after="print('shut down')")
        + """
import atexit, threading
atexit.register(print, "cleaned up")
threading.Thread(target=lambda: threading.main_thread().join() or print("thread ended")).start()
"""
    )
    agent = start_agent(folder)
    agent.boot()

    agent.close()

    assert agent.shutdown_problem is None
    assert agent.output.splitlines() == ["shut down", "thread ended", "cleaned up"]


def test_a_process_that_outlives_the_apps_shutdown_is_noted_and_ended(
    write_app: WriteApp, start_agent: StartAgent, ends: Callable[[int], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_module, "EXIT_DEADLINE_S", 1)
    forever = "import threading; threading.Thread(target=time.sleep, args=(600,)).start()"
    agent = start_agent(write_app(plain_app_with(before=forever)))
    agent.boot()
    pid = agent.pid

    agent.close()

    assert isinstance(agent.shutdown_problem, SubjectHung)
    assert "did not end within 1 s of its shutdown" in agent.shutdown_problem.message
    assert ends(pid)


def test_an_app_without_a_lifespan_runs_and_a_note_says_so(
    write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(
        "async def app(scope, receive, send):\n    assert scope['type'] == 'http', 'only http'"
    )

    (note,) = start_agent(folder).boot().notes

    assert "without a lifespan" in note
    assert "AssertionError: only http" in note


def test_what_start_up_puts_in_the_state_is_kept_for_requests() -> None:
    async def app(scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        scope["state"]["pool"] = "open"
        await receive()
        await send({"type": "lifespan.startup.complete"})

    async def state_after_startup() -> dict[str, Any]:
        lifespan = Lifespan(app)
        await lifespan.startup()
        await lifespan.shutdown()
        return lifespan.state

    assert asyncio.run(state_after_startup()) == {"pool": "open"}


def test_a_refusal_to_start_without_an_exception_gives_its_reason() -> None:
    async def app(scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no licence"})

    with pytest.raises(Exception, match="The app's startup failed: no licence"):
        asyncio.run(Lifespan(app).startup())
