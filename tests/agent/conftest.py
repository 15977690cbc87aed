"""The agent's own workbench around an app made by a test, in the test's process, without pipes."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from wirespeed_agent.asgi import Request
from wirespeed_agent.live import LiveCall
from wirespeed_agent.seams import watching
from wirespeed_agent.workbench import Study, Workbench


class Bench(Workbench):
    """A workbench for an app that is already there."""

    def __init__(self, app: Any) -> None:
        session = types.SimpleNamespace(
            app=app, state={}, folder=Path(__file__).parent, module=types.ModuleType("main")
        )
        super().__init__(session)  # type: ignore[arg-type]

    async def get(self, path: str, **options: Any) -> LiveCall:
        """One unwatched call."""
        return await self.call(Request("GET", path, [], b""), options.pop("deadline_s", 10.0), **options)

    async def study_of(self, path: str, *, calls: int = 2, method: str = "GET", body: bytes = b"") -> Study:
        """A few watched calls of one request, after one that warms up."""
        request = Request(method, path, [], body)
        with watching():
            await self.call(request, 10.0)
            seen = [await self.call(request, 10.0) for _ in range(calls)]
        return self.study(request, seen)


@pytest.fixture
def bench() -> Callable[[Any], Bench]:
    return Bench


@pytest.fixture
def run() -> Callable[[Callable[[], Awaitable[Any]]], Any]:
    """Run an async function on a loop of its own."""

    def run(work: Callable[[], Awaitable[Any]]) -> Any:
        async def main() -> Any:
            return await work()

        return asyncio.run(main())

    return run
