"""A process that has imported what every app imports, and becomes an agent with each fork.

Agents of one nursery have in common what a start draws at random: where the interpreter and its libraries lie
in memory, and how strings hash. Whatever differs between them is the app's own.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import socket
from typing import Any, Dict, List, Optional, Tuple

PRELOADED = ("fastapi", "anyio._backends._asyncio", "uvloop")

LARGEST_MESSAGE = 65_536
DESCRIPTORS = 4
"""Of a request: the agent's three pipes, and where it prints."""

Pipes = Tuple[int, int, int]
"""Commands, answers, lifeline: as ``run_agent`` takes them."""


def run_nursery(socket_fd: int) -> Optional[Pipes]:
    """Fork at every request until the conductor closes its end, then None; each child returns its pipes."""
    for name in PRELOADED:
        # What an environment lacks, or cannot import, the app will tell.
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    # A fork takes one thread along, and whatever locks the others hold.
    may_fork = len(os.listdir("/proc/self/task")) == 1
    connection = socket.socket(fileno=socket_fd)
    woken, wake = os.pipe()
    for fd in (woken, wake):
        os.set_blocking(fd, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, _notice)
    while True:
        readable, _, _ = select.select([connection.fileno(), woken], [], [])
        if woken in readable:
            os.read(woken, LARGEST_MESSAGE)
            _tell_exits(connection)
        if connection.fileno() not in readable:
            continue
        request, fds = _receive(connection)
        if request is None:
            return None
        if not may_fork:
            _close(*fds)
            _send(connection, {"started": None})
            continue
        started, start = os.pipe()
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            connection.close()
            _close(woken, wake, started)
            return _become_agent(request, fds, start)
        _close(*fds, start)
        # Only once it has a group of its own may it be told of: groups are what is ended.
        os.read(started, 1)
        _close(started)
        _send(connection, {"started": pid})


def _notice(number: int, frame: Any) -> None:
    """The signal is noticed by its byte; a handler there must be, or it would be dropped."""


def _close(*fds: int) -> None:
    for fd in fds:
        os.close(fd)


def _become_agent(request: Dict[str, Any], fds: List[int], start: int) -> Pipes:
    commands, answers, lifeline, printed = fds
    os.setsid()
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    os.chdir(request["folder"])
    _close(printed, start)
    return commands, answers, lifeline


def _tell_exits(connection: socket.socket) -> None:
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            _send(connection, {"ended": pid, "status": status})


def _receive(connection: socket.socket) -> Tuple[Optional[Dict[str, Any]], List[int]]:
    """One request and the four descriptors that come with it; None where the conductor has ended."""
    data, fds, _, _ = socket.recv_fds(connection, LARGEST_MESSAGE, DESCRIPTORS)
    return (json.loads(data) if data else None), fds


def _send(connection: socket.socket, message: Dict[str, Any]) -> None:
    # A conductor that is gone needs to know nothing; reading meets its end next.
    with contextlib.suppress(OSError):
        connection.send(json.dumps(message).encode())
