"""An app's folder at another revision is a folder of its own; the user's repository stays as it is."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from wirespeed.errors import UsageError
from wirespeed.subject.revision import worktree


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits of ``shop/main.py``, the first on the branch ``release``, and uncommitted work."""
    root = tmp_path / "repository"
    (root / "shop").mkdir(parents=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    for version in ("one", "two"):
        (root / "shop/main.py").write_text(version)
        git(root, "add", ".")
        git(root, "commit", "--quiet", "-m", version)
    git(root, "branch", "release", "HEAD~1")
    git(root, "tag", "v1.0", "HEAD~1")
    (root / "shop/main.py").write_text("three")
    (root / "shop/new.py").write_text("staged")
    git(root, "add", "shop/new.py")
    return root


def state(root: Path) -> tuple[str, str, str]:
    return git(root, "status", "--porcelain"), git(root, "branch", "--all"), git(root, "worktree", "list")


@pytest.mark.parametrize("revision", ["release", "v1.0", "HEAD~1", "main~1"])
def test_the_corresponding_folder_is_given_as_it_was(revision: str, repository: Path) -> None:
    before = state(repository)

    with worktree(repository / "shop", revision) as folder:
        assert folder.name == "shop"
        assert (folder / "main.py").read_text() == "one"
        assert not (folder / "new.py").exists()

    assert not folder.exists()
    assert state(repository) == before
    assert (repository / "shop/main.py").read_text() == "three"


def test_two_revisions_may_be_out_at_once(repository: Path) -> None:
    with worktree(repository, "release") as old, worktree(repository, "main") as new:
        assert (old / "shop/main.py").read_text() == "one"
        assert (new / "shop/main.py").read_text() == "two"


def test_hooks_of_the_repository_do_not_run(repository: Path) -> None:
    hook = repository / ".git/hooks/post-checkout"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)

    with worktree(repository, "release") as folder:
        assert (folder / "shop/main.py").read_text() == "one"


def test_what_was_written_there_goes_with_it(repository: Path) -> None:
    with worktree(repository, "release") as folder:
        (folder / "shop/main.py").write_text("changed")
        (folder / "cache").mkdir()

    assert not folder.exists()
    assert len(git(repository, "worktree", "list").splitlines()) == 1


INTERRUPTED = """
import sys
from pathlib import Path
from wirespeed.subject.revision import worktree
with worktree(Path(sys.argv[1]), "release") as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_ctrl_c_takes_it_away(repository: Path) -> None:
    before = state(repository)
    command = [sys.executable, "-c", INTERRUPTED, str(repository)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert folder.is_dir()

        process.send_signal(signal.SIGINT)

    assert not folder.exists()
    assert state(repository) == before


def test_in_a_hook_of_git_the_folder_still_decides(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git sets these for its hooks, and wirespeed may run in one."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "elsewhere/index"))

    with worktree(repository, "release") as folder:
        assert (folder / "shop/main.py").read_text() == "one"


@pytest.mark.parametrize(
    ("revision", "advice"),
    [
        ("relaese", "Did you mean release?"),
        ("v1.1", "Did you mean v1.0?"),
        ("nothing-like-it", "Name a branch, a tag or a commit."),
        ("--all", "Name a branch, a tag or a commit."),
        ("main:shop", "Did you mean main?"),
    ],
)
def test_a_revision_that_is_not_there_is_answered_with_one_that_is(
    revision: str, advice: str, repository: Path
) -> None:
    with pytest.raises(UsageError, match="There is no revision") as refusal, worktree(repository, revision):
        ...

    assert refusal.value.advice == advice


def test_what_a_shallow_clone_lacks_can_be_fetched(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--depth=1", repository.as_uri(), "clone")

    with pytest.raises(UsageError, match="no revision") as refusal, worktree(tmp_path / "clone", "HEAD~1"):
        ...

    assert "shallow" in str(refusal.value.advice)


def test_a_folder_that_came_later_is_named(repository: Path) -> None:
    (repository / "later").mkdir()

    complaint = "There is no folder later at revision 'release'"
    with pytest.raises(UsageError, match=complaint), worktree(repository / "later", "release"):
        ...

    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_a_folder_outside_of_any_repository_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "plain").mkdir()

    with (
        pytest.raises(UsageError, match="plain is in no git repository"),
        worktree(tmp_path / "plain", "HEAD"),
    ):
        ...


def test_without_git_the_user_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UsageError, match="git is not installed"), worktree(tmp_path, "HEAD"):
        ...
