"""The conductor's side of one agent: a process that runs the user's app and answers commands about it.

What lives here: starting that process, asking it, and ending it, come what may. It has a session of its own,
so that Ctrl-C on the terminal is ours alone; no exception, time-out or death of either side leaves a process
behind. What the operations mean is not known here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from wirespeed.errors import AgentFailed, SubjectDied, SubjectHung, WirespeedError
from wirespeed.model.subject import AppSubject, Booted

from .booting import as_error, boot_args
from .exits import explain_exit
from .output import OutputTail
from .process import Process, RunningAgent, start_agent

BOOT_DEADLINE_S = 60.0
SHUTDOWN_DEADLINE_S = 10.0
EXIT_DEADLINE_S = 5.0

_WHEREABOUTS_S = 1.0


Running = RunningAgent[Process]
Start = Callable[[AppSubject], Running]


class AgentProcess:
    """One process with the app in it, from ``__enter__`` to ``__exit__``. Not safe for several threads."""

    def __init__(self, subject: AppSubject, start: Start = start_agent) -> None:
        self.subject = subject
        self._start = start
        self.shutdown_problem: WirespeedError | None = None
        """What went wrong while the app shut down; kept, not raised, as the measurements stand."""
        self._running: Running | None = None
        self._output: OutputTail | None = None
        self.booted: Booted | None = None
        """What the app's start told, once it has started."""
        self._last_id = 0
        self._doing: str | None = None

    def __enter__(self) -> Self:
        self._running = self._start(self.subject)
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
        args = boot_args(self.subject)
        booted = self.call("boot", args, deadline_s=deadline_s, doing=f"starting {self.subject.app}")
        self.booted = Booted.model_validate(booted)
        return self.booted

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
            raise as_error(answer["error"], self.output)
        return answer["result"]

    def close(self) -> None:
        """Shut the app down and end its process; what the app does wrong is left in ``shutdown_problem``."""
        if self._running is None:
            return
        try:
            if self.booted is not None:
                self._shut_down()
        finally:
            self.kill()

    def kill(self) -> None:
        """End the process and everything in its group at once."""
        running, self._running = self._running, None
        if running is not None:
            running.end()

    def end_abruptly(self) -> None:
        """Kill the process from another thread than the one that waits for its answer.

        That one then finds it dead, and cleans up.
        """
        if (running := self._running) is not None:
            running.kill()

    def _shut_down(self) -> None:
        try:
            self.call("shutdown", deadline_s=SHUTDOWN_DEADLINE_S, doing=f"shutting {self.subject.app} down")
        except WirespeedError as error:
            self.shutdown_problem = error
        if self._running is not None and not self._running.ends_within(EXIT_DEADLINE_S):
            self._running.terminate()
            self.shutdown_problem = self.shutdown_problem or _outlived(self.subject)

    def _require_running(self) -> Running:
        if self._running is None:
            raise AgentFailed(f"The process of {self.subject.app} is not running.")
        return self._running

    def _ask(self, running: Running, op: str, args: dict[str, Any], deadline: float) -> dict[str, Any]:
        """The answer to one command; what arrives before it tells what the agent is doing."""
        self._last_id += 1
        self._doing = None
        running.pipes.send({"id": self._last_id, "op": op, "args": args}, deadline)
        while True:
            message = running.pipes.receive(deadline)
            if message.get("event") == "doing":
                self._doing = message["what"]
            elif "id" in message and message["id"] in (self._last_id, None):
                return message

    def _during(self, doing: str) -> str:
        return f"{doing} ({self._doing})" if self._doing else doing

    def _hung(self, running: Running, doing: str, deadline_s: float) -> SubjectHung:
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

    def _whereabouts(self, running: Running) -> str | None:
        """Where the app's code is stuck, if its interpreter can still tell."""
        try:
            answer = self._ask(running, "whereabouts", {}, time.monotonic() + _WHEREABOUTS_S)
        except (TimeoutError, EOFError):
            return None
        return answer.get("result") or None

    def _died(self, running: Running, doing: str) -> SubjectDied:
        during = self._during(doing)
        returncode = running.returncode_soon()
        self.kill()
        how = "closed the pipe to wirespeed" if returncode is None else explain_exit(returncode)
        never_spoke = self.booted is None and self._doing is None
        return SubjectDied(
            f"The app's process {how} while {during}.",
            during=during,
            advice=f"Check that {self.subject.python} is a working Python." if never_spoke else None,
            output=self.output,
        )


def _outlived(subject: AppSubject) -> SubjectHung:
    return SubjectHung(
        f"The process of {subject.app} did not end within {EXIT_DEADLINE_S:g} s of its shutdown.",
        during=f"ending the process of {subject.app}",
        advice="A thread that is no daemon, or a function registered with atexit, may keep it.",
    )
