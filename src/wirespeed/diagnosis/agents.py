"""A live agent, always: another is started when an endpoint took the last one down."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Self

from wirespeed.errors import SubjectDied, SubjectError, SubjectHung, UsageError, WirespeedError
from wirespeed.experiment.events import Booting, Listener
from wirespeed.model.subject import AppSubject, Booted
from wirespeed.subject.agent import AgentProcess, Start
from wirespeed.subject.process import start_agent


@contextmanager
def booted_agent(
    subject: AppSubject, start: Start = start_agent, *, hangs_at_shutdown: bool = False
) -> Iterator[AgentProcess]:
    """A fresh process with the app imported and started, until the end of the block.

    An app that is known to hang at shutdown is ended without one, or every round would wait for its deadline.
    """
    with AgentProcess(subject, start) as agent:
        agent.boot()
        yield agent
        if hangs_at_shutdown:
            agent.kill()


class RestartFailed(Exception):
    """The app started once, and does not start again."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class AgentHolder:
    """The agent of round 0, and what its first start told."""

    def __init__(self, subject: AppSubject, listener: Listener) -> None:
        self._subject = subject
        self._listener = listener
        self._stack = ExitStack()
        self._agent: AgentProcess | None = None
        self._booted: Booted | None = None
        self.process = 0
        """How many have been started so far: what one of them remembers, the next does not."""
        self.boot_s = 0.0
        """The longest start so far."""
        self.shutdown_problem: WirespeedError | None = None
        """What went wrong when the app shut down."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stack.__exit__(*exc_info)  # type: ignore[arg-type]

    def close(self) -> None:
        """Shut the app down, if it runs."""
        agent, self._agent = self._agent, None
        self._stack.close()
        if agent is not None:
            self.shutdown_problem = agent.shutdown_problem

    @property
    def is_running(self) -> bool:
        return self._agent is not None

    def ready(self) -> Booted:
        """Start the app if it is not running. Raises SubjectError or UsageError, later RestartFailed."""
        if self._agent is None:
            self._listener(Booting(self._subject.app))
            started = time.monotonic()
            try:
                self._start()
            except (SubjectError, UsageError) as error:
                if self._booted is None:
                    raise
                raise RestartFailed(error.message) from error
            self.boot_s = max(self.boot_s, time.monotonic() - started)
        assert self._booted is not None
        return self._booted

    def _start(self) -> None:
        agent = self._stack.enter_context(AgentProcess(self._subject))
        booted = agent.boot()
        self.process += 1
        self._agent, self._booted = agent, self._booted or booted

    def call(self, op: str, args: dict[str, Any], *, deadline_s: float, doing: str) -> Any:
        """One operation on a running app; after SubjectHung or SubjectDied the next one starts it anew."""
        self.ready()
        assert self._agent is not None
        try:
            return self._agent.call(op, args, deadline_s=deadline_s, doing=doing)
        except (SubjectHung, SubjectDied):
            self._stack.close()
            self._stack, self._agent = ExitStack(), None
            raise
