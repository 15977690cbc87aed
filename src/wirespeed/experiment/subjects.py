"""From the plan's arms to what can be started: environments made, revisions checked out, hosts shared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import UsageError
from wirespeed.http.event_loop import Runner
from wirespeed.http.limits import make_room
from wirespeed.model.comparison_plan import ComparisonPlan, HostedApp
from wirespeed.model.subject import BaseUrl, Booted
from wirespeed.subject.agent import AgentProcess
from wirespeed.subject.packages import environment_with
from wirespeed.subject.revision import uncommitted, worktree
from wirespeed.subject.server import served

from .confirm import Agent
from .direct_lens import DirectLens, StartAgent
from .events import Listener
from .http_lens import Host, HttpLens, RunningServer, Server, Traffic
from .stage import Lens, StagedArm


@dataclass(frozen=True)
class Cast:
    """The arms, and what answers them, by number: arms that ask the same subject share a host."""

    arms: tuple[StagedArm, ...]
    subjects: tuple[HostedApp | BaseUrl, ...]
    """As they are started: in their own environment, from their own folder."""
    uncommitted: tuple[str, ...] = ()
    """Files with changes that no revision has, though revisions are compared."""

    def subject_of(self, arm: int) -> HostedApp | BaseUrl:
        return self.subjects[self.arms[arm].host]

    @property
    def processes(self) -> int:
        """Server processes alive at once, as far as they are ours."""
        return sum(each.server.workers for each in self.subjects if isinstance(each, HostedApp))


@contextmanager
def cast_of(plan: ComparisonPlan, listener: Listener) -> Iterator[Cast]:
    """What the plan's arms need, for as long as the block runs.

    Raises ``UsageError`` for a revision that is not there, or packages that cannot be installed.
    """
    distinct: list[HostedApp | BaseUrl] = []
    for arm in plan.arms:
        if arm.subject not in distinct:
            distinct.append(arm.subject)
    with ExitStack() as stack:
        changes = _Changes(stack, listener)
        subjects = [changes.applied(each) if isinstance(each, HostedApp) else each for each in distinct]
        arms = [StagedArm(arm.name, distinct.index(arm.subject), arm.request) for arm in plan.arms]
        yield Cast(tuple(arms), tuple(subjects), _in_no_revision(distinct))


def _in_no_revision(subjects: Sequence[HostedApp | BaseUrl]) -> tuple[str, ...]:
    apps = [each for each in subjects if isinstance(each, HostedApp)]
    folders = {each.app.folder for each in apps if each.revision is not None}
    return tuple(sorted({name for folder in folders for name in uncommitted(folder)}))


@contextmanager
def lens_of(plan: ComparisonPlan, cast: Cast) -> Iterator[Lens]:
    """The lens the plan asks for, and the event loop it needs."""
    if plan.lens == "direct":
        apps = [each for each in cast.subjects if isinstance(each, HostedApp)]
        yield DirectLens(cast.arms, [_agent_of(each) for each in apps], plan.timeout_s)
        return
    make_room(plan.connections * len(cast.subjects))
    traffic = Traffic(plan.connections, plan.lens == "load", plan.timeout_s, plan.verify_tls)
    with Runner() as runner:
        yield HttpLens(runner, cast.arms, [_host_of(each) for each in cast.subjects], traffic)


class _Changes:
    """Environments and worktrees, each made once."""

    def __init__(self, stack: ExitStack, listener: Listener) -> None:
        self._stack = stack
        self._listener = listener
        self._worktrees: dict[tuple[Path, str], Path] = {}

    def applied(self, hosted: HostedApp) -> HostedApp:
        app = hosted.app
        if hosted.requirements:
            python = environment_with(app.python, hosted.requirements, self._listener)
            app = app.model_copy(update={"python": python})
        if hosted.revision is not None:
            app = app.model_copy(update={"folder": self._worktree(app.folder, hosted.revision)})
        return hosted.model_copy(update={"app": app})

    def _worktree(self, folder: Path, revision: str) -> Path:
        key = folder, revision
        if key not in self._worktrees:
            self._worktrees[key] = self._stack.enter_context(worktree(folder, revision))
        return self._worktrees[key]


def _host_of(subject: HostedApp | BaseUrl) -> Host:
    if isinstance(subject, BaseUrl):
        running: Server = RunningServer(subject.url)
        return Host(lambda: nullcontext(running), subject.remote)

    @contextmanager
    def start() -> Iterator[Server]:
        with served(subject.app, subject.server) as app:
            require_own_revision(subject, app.booted)
            yield app

    return Host(start)


def _agent_of(subject: HostedApp) -> StartAgent:
    @contextmanager
    def start() -> Iterator[Agent]:
        with AgentProcess(subject.app) as agent:
            require_own_revision(subject, agent.boot())
            yield agent

    return start


def require_own_revision(subject: HostedApp, booted: Booted) -> None:
    """Refuse an app that was checked out, but imported from elsewhere: files that no revision changes.

    Raises ``UsageError``.
    """
    if subject.revision is None or booted.file is None:
        return
    folder = subject.app.folder.resolve()
    tree = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
    if not Path(booted.file).resolve().is_relative_to(tree):
        raise UsageError(
            f"at revision {subject.revision} the app was still imported from {booted.file}",
            advice="Its environment has it installed; put the folder first, as in --env PYTHONPATH=src.",
        )
