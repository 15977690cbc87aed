"""What a real agent process reports of requests to real apps; each app is booted once a session."""

from __future__ import annotations

import asyncio
import sys
import types
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from wirespeed.diagnosis.observation import Observation, Work
from wirespeed.diagnosis.rules import all_rules
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject
from wirespeed.subject.agent import AgentProcess
from wirespeed_agent.workbench import Workbench

APPS = Path(__file__).parent / "apps"
CASES = Path(__file__).parents[1] / "cases"

Observe = Callable[..., Observation]


@pytest.fixture(scope="session")
def observe() -> Iterator[Observe]:
    """``observe(file, path)``: what one probe of a GET shows."""
    agents: dict[Path, AgentProcess] = {}
    with ExitStack() as stack:

        def observe(file: Path, path: str) -> Observation:
            if file not in agents:
                subject = AppSubject(app=file.name, python=Path(sys.executable), folder=file.parent, env={})
                agents[file] = stack.enter_context(AgentProcess(subject))
                agents[file].boot()
            args = {
                "key": 0,
                "request": Request(method="GET", path=path).for_agent(),
                "watch": False,
                "calls": 12,
                "seconds": 1.0,
                "deadline_s": 10.0,
            }
            report = agents[file].call("probe", args, deadline_s=60.0, doing=path)
            return Observation.model_validate(report)

        yield observe


@pytest.fixture
def bench() -> Callable[[Any], Workbench]:
    """The agent's workbench around an app made by a test, in the test's own process."""

    def around(app: Any) -> Workbench:
        session = types.SimpleNamespace(app=app, state={}, folder=APPS, module=types.ModuleType("main"))
        return Workbench(session)  # type: ignore[arg-type]

    return around


@pytest.fixture
def run() -> Callable[[Callable[[], Awaitable[Any]]], Any]:
    """Run an async function on a loop of its own."""

    def run(work: Callable[[], Awaitable[Any]]) -> Any:
        async def main() -> Any:
            return await work()

        return asyncio.run(main())

    return run


def work(seen: Observation, name: str) -> Work:
    return next(each for each in seen.works if each.name == name)


def fired(seen: Observation) -> list[str]:
    return [code for code, rule in all_rules().items() if rule.evidence(seen) is not None]


def remedies(seen: Observation, code: str) -> list[str]:
    return [change.name for change in all_rules()[code].remedies(seen)]
