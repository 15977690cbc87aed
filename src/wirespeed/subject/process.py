"""The operating system's side of an agent: its process and session, the pipes to it, and how they end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from wirespeed.errors import UsageError
from wirespeed.model.subject import AppSubject

from .bundle import agent_folder
from .environment import app_environment
from .output import OutputTail
from .pipes import LinePipes

_TERMINATION_S = 2.0


class Process(Protocol):
    """As much of ``subprocess.Popen`` as agents need."""

    @property
    def pid(self) -> int:
        """Of the leader of a process group."""

    @property
    def returncode(self) -> int | None:
        """None until ``wait`` has met its end."""

    def wait(self, timeout: float | None = None) -> int:
        """Raises ``subprocess.TimeoutExpired``."""


P = TypeVar("P", bound=Process, covariant=True)


class RunningAgent(Generic[P]):
    """A started agent; ``end`` must be called, once."""

    def __init__(self, process: P, pipes: LinePipes, lifeline: int, output: OutputTail):
        self.process = process
        self.pipes = pipes
        self.output = output
        self._lifeline = lifeline

    def ends_within(self, seconds: float) -> bool:
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def returncode_soon(self) -> int | None:
        """The return code of a process that has closed its pipe; None where it lives on all the same."""
        self.ends_within(_TERMINATION_S)
        return self.process.returncode

    def terminate(self) -> None:
        """Ask the group to end, which gives its signal handlers a chance."""
        self._signal(signal.SIGTERM)
        self.ends_within(_TERMINATION_S)

    def kill(self) -> None:
        """Kill the group, and keep the pipes: whoever reads them finds their end."""
        self._signal(signal.SIGKILL)

    def end(self) -> None:
        try:
            self.kill()
            self.process.wait()
        finally:
            os.close(self._lifeline)
            self.pipes.close()
            self.output.close()

    def _signal(self, number: signal.Signals) -> None:
        # The group outlives its leader as long as the app's children do; of zombies alone, macOS says EPERM.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


Fds = tuple[int, int, int, int]
"""The agent's ends of its pipes: commands, answers, lifeline, and what it prints."""


def start_agent(subject: AppSubject, *arguments: str) -> RunningAgent[subprocess.Popen[bytes]]:
    """``arguments`` are for the agent's command line.

    Raises UsageError where the folder or the interpreter cannot be used.
    """

    def spawn(fds: Fds) -> subprocess.Popen[bytes]:
        *agents, printed_out = fds
        return spawn_python(subject, [*map(str, agents), *arguments], agents, printed_out)

    return start_with(subject, spawn)


def start_with(subject: AppSubject, start: Callable[[Fds], P]) -> RunningAgent[P]:
    """``start`` gets the agent's ends, which are closed here afterwards. Raises UsageError."""
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
        commands_in, commands = _pipe(theirs, ours)
        lifeline_in, lifeline = _pipe(theirs, ours)
        answers, answers_out = _pipe(ours, theirs)
        printed, printed_out = _pipe(ours, theirs)
        process = start((commands_in, answers_out, lifeline_in, printed_out))
        ours.pop_all()
    return RunningAgent(process, LinePipes(commands, answers), lifeline, OutputTail(printed))


def _pipe(readers: contextlib.ExitStack, writers: contextlib.ExitStack) -> tuple[int, int]:
    """A pipe whose ends are closed with the stack of the side they belong to."""
    reading, writing = os.pipe()
    readers.callback(os.close, reading)
    writers.callback(os.close, writing)
    return reading, writing


def spawn_python(
    subject: AppSubject, arguments: Sequence[str], fds: Sequence[int], printed_out: int
) -> subprocess.Popen[bytes]:
    """The agent on the subject's interpreter, in its folder and environment, a session of its own.

    Raises UsageError where the folder is not there, or the interpreter cannot be run.
    """
    if not subject.folder.is_dir():
        raise UsageError(f"There is no folder {subject.folder}.")
    try:
        return subprocess.Popen(
            [str(subject.python.absolute()), str(agent_folder()), *arguments],
            cwd=subject.folder,
            env=app_environment(os.environ, subject.python, subject.env),
            stdin=subprocess.DEVNULL,
            stdout=printed_out,
            stderr=subprocess.STDOUT,
            pass_fds=fds,
            start_new_session=True,
        )
    except OSError as error:
        raise UsageError(
            f"{subject.python} cannot be run: {error.strerror}.",
            advice="Name the app's interpreter with --python.",
        ) from error
