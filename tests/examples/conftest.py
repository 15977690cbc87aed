"""Starts an example the way its users do: uvicorn, in a process of its own, from the examples folder."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@contextmanager
def served(app: str) -> Iterator[httpx.Client]:
    """A client of ``app``. The listening socket is ours, so requests wait in it while the app starts."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, "-m", "uvicorn", app, "--log-level", "critical"]
        server = subprocess.Popen(
            [*command, "--fd", str(listener.fileno())], cwd=EXAMPLES, pass_fds=[listener.fileno()]
        )
        try:
            with httpx.Client(
                base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=30, trust_env=False
            ) as client:
                yield client
        finally:
            server.terminate()
            server.wait(timeout=10)


@pytest.fixture(scope="session")
def users() -> Iterator[httpx.Client]:
    with served("users:app") as client:
        yield client


@pytest.fixture(scope="session")
def shop() -> Iterator[httpx.Client]:
    with served("shop.main:app") as client:
        yield client
