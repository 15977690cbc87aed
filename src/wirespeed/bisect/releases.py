"""The releases that are bisected: as they can be named, made ready to run, and staged to be measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from wirespeed.experiment.events import Listener
from wirespeed.experiment.stage import Lens, StagedArm
from wirespeed.experiment.subjects import Cast, lens_of
from wirespeed.model.bisection_plan import BisectionPlan, PackageRange
from wirespeed.model.comparison_plan import ArmPlan, ComparisonPlan, HostedApp
from wirespeed.subject.packages import environment_with
from wirespeed.subject.releases import releases_between
from wirespeed.subject.revision import commits_between, worktree

SHORT_HASH = 10


@dataclass(frozen=True, slots=True)
class Release:
    """A version of a package, or a commit."""

    name: str
    """``0.130.0``; the beginning of the hash."""
    title: str | None = None
    """Of the commit."""
    requirement: str | None = None
    revision: str | None = None


def releases_of(plan: BisectionPlan) -> tuple[Release, ...]:
    """From one end to the other. Raises ``UsageError`` where there is no such range."""
    wanted = plan.range
    if isinstance(wanted, PackageRange):
        versions = releases_between(plan.app.python, wanted.package, wanted.first, wanted.last)
        return tuple(Release(each, requirement=f"{wanted.package}=={each}") for each in versions)
    commits = commits_between(plan.app.folder, wanted.first, wanted.last)
    return tuple(Release(each.hash[:SHORT_HASH], each.title, revision=each.hash) for each in commits)


class Workshop:
    """Makes releases ready, each once: environments stay in the user's caches, worktrees as long as
    ``stack``.
    """

    def __init__(
        self, plan: BisectionPlan, releases: Sequence[Release], stack: ExitStack, listener: Listener
    ) -> None:
        self._plan = plan
        self._releases = releases
        self._stack = stack
        self._listener = listener
        self._ready: dict[int, HostedApp] = {}

    @contextmanager
    def staged(self, numbers: Sequence[int]) -> Iterator[tuple[Lens, ComparisonPlan]]:
        """A lens whose arms are these releases, each in a process of its own.

        Raises ``UsageError`` where one cannot be installed, or lacks the app's folder.
        """
        apps = [self.ready(number) for number in numbers]
        request, names = self._plan.request, [self._releases[number].name for number in numbers]
        arms = [
            ArmPlan(name=name, subject=app, request=request) for name, app in zip(names, apps, strict=True)
        ]
        plan = self._comparison(arms)
        cast = Cast(tuple(StagedArm(name, host, request) for host, name in enumerate(names)), tuple(apps))
        with lens_of(plan, cast) as lens:
            yield lens, plan

    def ready(self, number: int) -> HostedApp:
        if number not in self._ready:
            self._ready[number] = self._make(self._releases[number])
        return self._ready[number]

    def _make(self, release: Release) -> HostedApp:
        app, requirements = self._plan.app, self._plan.requirements
        if release.requirement is not None:
            requirements = (*requirements, release.requirement)
        if requirements:
            python = environment_with(app.python, requirements, self._listener)
            app = app.model_copy(update={"python": python})
        if release.revision is not None:
            folder = self._stack.enter_context(worktree(app.folder, release.revision))
            app = app.model_copy(update={"folder": folder})
        return HostedApp(
            app=app, server=self._plan.server, requirements=requirements, revision=release.revision
        )

    def _comparison(self, arms: Sequence[ArmPlan]) -> ComparisonPlan:
        plan = self._plan
        return ComparisonPlan(
            arms=tuple(arms),
            lens=plan.lens,
            connections=1,
            metric="median_service_time",
            margin=plan.margin,
            alpha=plan.alpha,
            budget_s=plan.budget_s,
            max_errors=plan.max_errors,
            allow_different=plan.allow_different,
            timeout_s=plan.timeout_s,
            verify_tls=True,
            seed=plan.seed,
            folder=plan.app.folder,
            pairings=plan.pairings,
        )
