"""From a suite's arms to what can be started: which file, which interpreter, which environment variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wirespeed.model.comparison_plan import ArmPlan, HostedApp
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject, ServerSettings
from wirespeed.subject.packages import Listener, environment_with
from wirespeed.subject.server import served

from .suite import Arm, Companion


@dataclass(frozen=True)
class Stand:
    """Where a suite's arms stand: its app, the interpreter, and what its companion has to say."""

    app: Path
    python: Path
    env: Mapping[str, str]

    def hosted(self, arm: Arm) -> HostedApp:
        app = _subject(self.app, self.python, {**self.env, **arm.env})
        return HostedApp(app=app, server=ServerSettings(name=arm.server), requirements=arm.requirements)

    def subject(self, arm: Arm, listener: Listener) -> AppSubject:
        """The same with its environment made, for those who start it themselves."""
        app = self.hosted(arm).app
        if not arm.requirements:
            return app
        return app.model_copy(update={"python": environment_with(app.python, arm.requirements, listener)})

    def plan(self, arm: Arm) -> ArmPlan:
        return ArmPlan(name=arm.name, subject=self.hosted(arm), request=request_of(arm))


def request_of(arm: Arm) -> Request:
    return Request(method="GET", path=arm.path)


@contextmanager
def stand_of(app: Path, python: Path, companion: Companion | None) -> Iterator[Stand]:
    """The stand for one step; its companion answers for as long as the block runs."""
    if companion is None:
        yield Stand(app, python, {})
        return
    upstream = _subject(companion.app, python, companion.env)
    with served(upstream, ServerSettings(workers=companion.workers)) as running:
        yield Stand(app, python, {companion.variable: running.base_url})


def _subject(app: Path, python: Path, env: Mapping[str, str]) -> AppSubject:
    return AppSubject(app=app.name, python=python, folder=app.parent, env=dict(env))
