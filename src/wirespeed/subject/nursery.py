"""The conductor's side of a nursery: a process that forks agents which differ by the app alone.

Starting three interpreters draws three layouts of memory and three seeds of hashing, which is one to several
per cent of speed that has nothing to do with the app (Mytkowicz et al. 2009, "Producing wrong data without
doing anything obviously wrong!"). Forks of one process share what was drawn, so that it leaves their ratio;
another nursery draws anew. And importing FastAPI once is quicker than importing it three times.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from wirespeed.errors import AgentFailed
from wirespeed.model.subject import AppSubject

from .process import Fds, Process, RunningAgent, spawn_python, start_agent, start_with

PATIENCE_S = 60.0
"""Importing FastAPI takes half a second; machines that are so busy that it takes this are hopeless."""
LARGEST_MESSAGE = 4096
_IMPORTED = ("fastapi", "starlette", "pydantic", "anyio", "uvloop")


def can_share_a_start(subjects: Sequence[AppSubject]) -> bool:
    """Whether agents of these apps may be forks of one process.

    They run on one interpreter and environment, and nothing in their folders bears the name of what the
    nursery imports, as in a working copy of FastAPI itself.
    """
    if sys.platform != "linux":
        return False
    first, *others = subjects
    alike = all((each.python, each.env) == (first.python, first.env) for each in others)
    return alike and not any(_brings_its_own(each) for each in subjects)


def _brings_its_own(subject: AppSubject) -> bool:
    named = (subject.folder / folder / name for folder in ("", "src") for name in _IMPORTED)
    return any(path.is_dir() or path.with_suffix(".py").exists() for path in named)


class Nursery:
    """One such process, from ``__enter__`` to ``__exit__``; all agents must have ended by then.

    Safe for several threads.
    """

    def __init__(self, subject: AppSubject) -> None:
        self._subject = subject
        self._asking = threading.Lock()
        self._told = threading.Condition()
        self._started: list[int | None] = []
        self._ended: dict[int, int] = {}
        self._is_over = False

    def __enter__(self) -> Self:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ExitStack() as failing, theirs, Path(os.devnull).open("wb") as nowhere:
            failing.callback(self._ours.close)
            arguments = "--nursery", str(theirs.fileno())
            self._process = spawn_python(self._subject, arguments, (theirs.fileno(),), nowhere.fileno())
            failing.callback(self.end)
            self._reader = threading.Thread(target=self._read, name="wirespeed-nursery", daemon=True)
            self._reader.start()
            failing.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        self._reader.join()
        self._ours.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def end(self) -> None:
        """Start no more agents; those that run are not concerned."""
        self._process.kill()
        self._process.wait()

    def start(self, subject: AppSubject) -> RunningAgent[Process]:
        """An agent of its own session, as ``start_agent`` gives one, which it is where forking is not safe.

        Raises AgentFailed or UsageError.
        """
        try:
            return start_with(subject, lambda fds: self._fork(subject, fds))
        except _NotSafeError:
            return start_agent(subject)

    def _fork(self, subject: AppSubject, fds: Fds) -> Process:
        request = json.dumps({"folder": str(subject.folder.absolute())}).encode()
        with self._asking:
            try:
                socket.send_fds(self._ours, [request], fds)
            except OSError as error:
                raise AgentFailed("The process that starts the app's processes has ended.") from error
            with self._told:
                if not self._told.wait_for(lambda: self._started or self._is_over, PATIENCE_S):
                    raise AgentFailed(f"No process could be started within {PATIENCE_S:g} s.")
                if not self._started:
                    raise AgentFailed("The process that starts the app's processes has ended.")
                pid = self._started.pop()
        if pid is None:
            raise _NotSafeError
        return ForkedProcess(self, pid)

    def returncode_of(self, pid: int, timeout: float | None) -> int:
        """Raises TimeoutError where the process has not ended by then."""
        with self._told:
            if not self._told.wait_for(lambda: pid in self._ended or self._is_over, timeout):
                raise TimeoutError
            # Without a nursery nobody can say how it ended.
            return self._ended.get(pid, -signal.SIGKILL)

    def _read(self) -> None:
        while message := self._receive():
            with self._told:
                if "started" in message:
                    self._started.append(message["started"])
                else:
                    self._ended[int(message["ended"])] = os.waitstatus_to_exitcode(int(message["status"]))
                self._told.notify_all()
        with self._told:
            self._is_over = True
            self._told.notify_all()

    def _receive(self) -> dict[str, Any]:
        """Nothing where there is no more, or what came is none of ours."""
        try:
            message: dict[str, Any] = json.loads(self._ours.recv(LARGEST_MESSAGE) or b"{}")
        except (OSError, ValueError):
            return {}
        return message


class _NotSafeError(Exception):
    """The interpreter runs threads as soon as it starts, as some that are instrumented do."""


class ForkedProcess:
    """A child of the nursery."""

    def __init__(self, nursery: Nursery, pid: int) -> None:
        self._nursery = nursery
        self.pid = pid
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        try:
            self.returncode = self._nursery.returncode_of(self.pid, timeout)
        except TimeoutError:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0) from None
        return self.returncode
