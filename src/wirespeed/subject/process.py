"""The operating system's side of an agent: its process and session, the pipes to it, and how they end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess

from wirespeed.errors import UsageError
from wirespeed.model.subject import AppSubject

from .bundle import agent_folder
from .environment import app_environment
from .output import OutputTail
from .pipes import LinePipes

_TERMINATION_S = 2.0


class RunningAgent:
    """A started agent; ``end`` must be called, once."""

    def __init__(self, process: subprocess.Popen[bytes], pipes: LinePipes, lifeline: int, output: OutputTail):
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


def start_agent(subject: AppSubject, *arguments: str) -> RunningAgent:
    """``arguments`` are for the agent's command line.

    Raises UsageError where the folder or the interpreter cannot be used.
    """
    if not subject.folder.is_dir():
        raise UsageError(f"There is no folder {subject.folder}.")
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
        commands_in, commands = _pipe(theirs, ours)
        lifeline_in, lifeline = _pipe(theirs, ours)
        answers, answers_out = _pipe(ours, theirs)
        printed, printed_out = _pipe(ours, theirs)
        fds = (commands_in, answers_out, lifeline_in)
        command = [str(agent_folder()), *map(str, fds), *arguments]
        process = _spawn(subject, command, fds, printed_out)
        ours.pop_all()
    return RunningAgent(process, LinePipes(commands, answers), lifeline, OutputTail(printed))


def _pipe(readers: contextlib.ExitStack, writers: contextlib.ExitStack) -> tuple[int, int]:
    """A pipe whose ends are closed with the stack of the side they belong to."""
    reading, writing = os.pipe()
    readers.callback(os.close, reading)
    writers.callback(os.close, writing)
    return reading, writing


def _spawn(
    subject: AppSubject, command: list[str], fds: tuple[int, int, int], printed_out: int
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [str(subject.python.absolute()), *command],
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
