"""Fixtures for load on real servers."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .servers import Behaviour, Server, say_ok, start

Serve = Callable[..., Server]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """``serve(behave)`` starts a server that is stopped after the test."""
    servers: list[Server] = []

    def serve(behave: Behaviour = say_ok, *, tls: bool = False, unix: Path | None = None) -> Server:
        servers.append(start(behave, tls=tls, unix=unix))
        return servers[-1]

    yield serve
    for server in servers:
        server.stop()


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that refuses connections, and that nobody else gets meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]
