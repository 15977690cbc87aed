"""That an arm is what its name says, before anything is measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wirespeed.errors import UsageError
from wirespeed.experiment.events import ignore
from wirespeed.experiment.subjects import cast_of, require_own_revision
from wirespeed.model.comparison_plan import ArmPlan, ComparisonPlan, HostedApp
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject, Booted, ServerSettings


def hosted(folder: Path, **changed: Any) -> HostedApp:
    app = AppSubject(app="main:app", python=Path(sys.executable), folder=folder)
    return HostedApp(app=app, server=ServerSettings(), **changed)


def plan(*subjects: HostedApp) -> ComparisonPlan:
    request = Request(method="GET", path="/")
    return ComparisonPlan(
        arms=tuple(ArmPlan(name=str(n), subject=each, request=request) for n, each in enumerate(subjects)),
        lens="service",
        connections=1,
        metric="median_service_time",
        margin=0.02,
        alpha=0.05,
        budget_s=1,
        max_errors=0,
        allow_different=False,
        timeout_s=1,
        verify_tls=True,
        seed=1,
        folder=Path.cwd(),
    )


def booted(file: Path) -> Booted:
    return Booted(
        app="main:app",
        file=str(file),
        python="3.13.0",
        packages={},
        event_loop="asyncio",
        import_s=0.1,
        lifespan_s=0.1,
        dont_write_bytecode=False,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits: ``main.py`` says 1, then 2."""
    for number in (1, 2):
        (tmp_path / "main.py").write_text(f"number = {number}\n")
        commands = [["init", "-q"], ["add", "main.py"], ["commit", "-q", "-m", str(number)]]
        for command in commands:
            identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
            subprocess.run(["git", "-C", tmp_path, *identity, *command], check=True)
    return tmp_path


def test_arms_with_the_same_subject_share_a_host_and_others_do_not(tmp_path: Path) -> None:
    same, other = hosted(tmp_path), hosted(tmp_path / "other")
    with cast_of(plan(same, other, same), ignore) as cast:
        assert [arm.host for arm in cast.arms] == [0, 1, 0]
        assert cast.processes == 2


def test_every_revision_has_a_folder_of_its_own_that_goes_away(repository: Path) -> None:
    arms = [hosted(repository, revision=revision) for revision in ("HEAD~1", "HEAD")]
    with cast_of(plan(*arms), ignore) as cast:
        folders = [each.app.folder for each in cast.subjects if isinstance(each, HostedApp)]
        assert [(folder / "main.py").read_text() for folder in folders] == ["number = 1\n", "number = 2\n"]
    assert not any(folder.exists() for folder in folders)


def test_changes_that_no_revision_has_are_known_where_revisions_are_compared(repository: Path) -> None:
    with cast_of(plan(hosted(repository, revision="HEAD")), ignore) as cast:
        assert cast.uncommitted == ()
    (repository / "main.py").write_text("number = 3\n")
    (repository / "scratch.txt").write_text("of no interest to git")
    with cast_of(plan(hosted(repository, revision="HEAD")), ignore) as cast:
        assert cast.uncommitted == ("main.py",)
    with cast_of(plan(hosted(repository)), ignore) as cast:
        assert cast.uncommitted == ()


def test_an_app_imported_from_elsewhere_is_not_its_revision(repository: Path) -> None:
    with cast_of(plan(hosted(repository, revision="HEAD")), ignore) as cast:
        (subject,) = cast.subjects
        assert isinstance(subject, HostedApp)
        require_own_revision(subject, booted(subject.app.folder / "src" / "main.py"))
        with pytest.raises(UsageError, match="still imported from"):
            require_own_revision(subject, booted(repository / "main.py"))
    require_own_revision(hosted(repository), booted(Path("/elsewhere/main.py")))
