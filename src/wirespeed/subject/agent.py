"""The conductor's side of one agent: a process that runs the user's app and answers commands about it.

What lives here: starting that process, asking it, and ending it, come what may. It has a session of its own,
so that Ctrl-C on the terminal is ours alone; no exception, time-out or death of either side leaves a process
behind. What the operations mean is not known here.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from wirespeed.errors import (
    AgentFailed,
    SubjectDied,
    SubjectError,
    SubjectHung,
    UsageError,
    WirespeedError,
)
from wirespeed.model.subject import AppSubject, Booted

from .bundle import agent_folder, bytecode_folder
from .environment import app_environment
from .exits import explain_exit
from .output import OutputTail
from .pipes import LinePipes
from .project import declared_entrypoint

BOOT_DEADLINE_S = 60.0
SHUTDOWN_DEADLINE_S = 10.0

_WHEREABOUTS_S = 1.0
_EXIT_S = 5.0
_TERMINATION_S = 2.0


class AgentProcess:
    """One process with the app in it, from ``__enter__`` to ``__exit__``. Not safe for several threads."""

    def __init__(self, subject: AppSubject) -> None:
        self.subject = subject
        self.shutdown_problem: WirespeedError | None = None
        """What went wrong while the app shut down; kept, not raised, as the measurements stand."""
        self._running: _Running | None = None
        self._output: OutputTail | None = None
        self._booted = False
        self._last_id = 0
        self._doing: str | None = None

    def __enter__(self) -> Self:
        self._running = _start(self.subject)
        self._output = self._running.output
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or isinstance(error, Exception):
            self.close()
        else:
            self.kill()

    @property
    def pid(self) -> int:
        return self._require_running().process.pid

    @property
    def output(self) -> str:
        """The end of what the app has printed: until now, or altogether once the process has ended."""
        return self._output.text() if self._output else ""

    def boot(self, *, deadline_s: float = BOOT_DEADLINE_S) -> Booted:
        """Import the app, run ``--prepare`` and its start-up.

        Raises UsageError, SubjectError with the app's own traceback, SubjectHung or SubjectDied.
        """
        subject = self.subject
        app, folder = _entrypoint(subject)
        args = {
            "app": app,
            "folder": str(folder.resolve()),
            "prepare": subject.prepare,
            "bytecode": str(bytecode_folder()),
        }
        booted = self.call("boot", args, deadline_s=deadline_s, doing=f"starting {subject.app}")
        self._booted = True
        return Booted.model_validate(booted)

    def call(self, op: str, args: dict[str, Any] | None = None, *, deadline_s: float, doing: str) -> Any:
        """Have the agent perform one operation; ``doing`` names it to the user.

        Raises SubjectHung after ``deadline_s`` and SubjectDied when the process ends; no agent is left then.
        Errors that the agent answers (UsageError, SubjectError, AgentFailed) leave it as it was.
        """
        running = self._require_running()
        try:
            answer = self._ask(running, op, args or {}, time.monotonic() + deadline_s)
        except TimeoutError:
            raise self._hung(running, doing, deadline_s) from None
        except EOFError:
            raise self._died(running, doing) from None
        except BaseException:
            self.kill()
            raise
        if "error" in answer:
            raise _as_error(answer["error"], self.output)
        return answer["result"]

    def close(self) -> None:
        """Shut the app down and end its process; what the app does wrong is left in ``shutdown_problem``."""
        if self._running is None:
            return
        try:
            if self._booted:
                self._shut_down()
        finally:
            self.kill()

    def kill(self) -> None:
        """End the process and everything in its group at once."""
        running, self._running = self._running, None
        if running is not None:
            running.end()

    def _shut_down(self) -> None:
        try:
            self.call("shutdown", deadline_s=SHUTDOWN_DEADLINE_S, doing=f"shutting {self.subject.app} down")
        except WirespeedError as error:
            self.shutdown_problem = error
        if self._running is not None and not self._running.ends_within(_EXIT_S):
            self._running.terminate()

    def _require_running(self) -> _Running:
        if self._running is None:
            raise AgentFailed(f"The process of {self.subject.app} is not running.")
        return self._running

    def _ask(self, running: _Running, op: str, args: dict[str, Any], deadline: float) -> dict[str, Any]:
        """The answer to one command; what arrives before it tells what the agent is doing."""
        self._last_id += 1
        self._doing = None
        running.pipes.send({"id": self._last_id, "op": op, "args": args}, deadline)
        while True:
            message = running.pipes.receive(deadline)
            if message.get("event") == "doing":
                self._doing = message["what"]
            elif message.get("id") in (self._last_id, None):
                return message

    def _during(self, doing: str) -> str:
        return f"{doing} ({self._doing})" if self._doing else doing

    def _hung(self, running: _Running, doing: str, deadline_s: float) -> SubjectHung:
        during = self._during(doing)
        where = self._whereabouts(running)
        self.kill()
        return SubjectHung(
            f"Gave up {during} after {deadline_s:g} s.",
            during=during,
            advice="The traceback shows where it was waiting." if where else None,
            app_traceback=where,
            output=self.output,
        )

    def _whereabouts(self, running: _Running) -> str | None:
        """Where the app's code is stuck, if its interpreter can still tell."""
        try:
            answer = self._ask(running, "whereabouts", {}, time.monotonic() + _WHEREABOUTS_S)
        except (TimeoutError, EOFError):
            return None
        return answer.get("result") or None

    def _died(self, running: _Running, doing: str) -> SubjectDied:
        during = self._during(doing)
        returncode = running.returncode_soon()
        self.kill()
        how = "closed the pipe to wirespeed" if returncode is None else explain_exit(returncode)
        never_spoke = not self._booted and self._doing is None
        return SubjectDied(
            f"The app's process {how} while {during}.",
            during=during,
            advice=f"Check that {self.subject.python} is a working Python." if never_spoke else None,
            output=self.output,
        )


class _Running:
    """The operating system's side of a started agent."""

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

    def end(self) -> None:
        try:
            self._signal(signal.SIGKILL)
            self.process.wait()
        finally:
            os.close(self._lifeline)
            self.pipes.close()
            self.output.close()

    def _signal(self, number: signal.Signals) -> None:
        # The group outlives its leader as long as the app's children do; of zombies alone, macOS says EPERM.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


def _start(subject: AppSubject) -> _Running:
    """Raises UsageError where the folder or the interpreter cannot be used."""
    if not subject.folder.is_dir():
        raise UsageError(f"There is no folder {subject.folder}.")
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
        commands_in, commands = _pipe(theirs, ours)
        lifeline_in, lifeline = _pipe(theirs, ours)
        answers, answers_out = _pipe(ours, theirs)
        printed, printed_out = _pipe(ours, theirs)
        process = _spawn(subject, (commands_in, answers_out, lifeline_in), printed_out)
        ours.pop_all()
    return _Running(process, LinePipes(commands, answers), lifeline, OutputTail(printed))


def _pipe(readers: contextlib.ExitStack, writers: contextlib.ExitStack) -> tuple[int, int]:
    """A pipe whose ends are closed with the stack of the side they belong to."""
    reading, writing = os.pipe()
    readers.callback(os.close, reading)
    writers.callback(os.close, writing)
    return reading, writing


def _spawn(subject: AppSubject, fds: tuple[int, int, int], printed_out: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [str(subject.python), str(agent_folder()), *map(str, fds)],
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


def _entrypoint(subject: AppSubject) -> tuple[str, Path]:
    """What names the app, and the folder it is seen from.

    A folder's declared entry point wins over the files found in it, as for the ``fastapi`` command.
    """
    folder = subject.folder / subject.app
    declared = declared_entrypoint(folder) if folder.is_dir() else None
    return (declared, folder) if declared else (subject.app, subject.folder)


def _as_error(error: dict[str, Any], output: str) -> WirespeedError:
    """An error that the agent answered, named by whose fault it is."""
    message, advice, trace = error["message"], error.get("advice"), error.get("traceback")
    match error["kind"]:
        case "usage":
            return UsageError(message, advice=advice)
        case "internal":
            return AgentFailed(message, traceback=trace)
        case _:
            return SubjectError(message, advice=advice, app_traceback=trace, output=output)
