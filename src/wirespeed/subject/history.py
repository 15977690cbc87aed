"""Where two lines of a repository's history parted, and what lies in its folders beside them."""

from __future__ import annotations

from pathlib import Path

from wirespeed.errors import UsageError

from .git import HOW_TO_DEEPEN, GitFailed, commit_of, git, root_of


def repository_of(folder: Path) -> Path:
    """The repository's top folder. Raises UsageError where ``folder`` is in none, or there is no git."""
    return root_of(folder).resolve()


def parting_of(folder: Path, branch: str, head: str) -> str:
    """The commit at which ``head`` left ``branch``: of an ancestor of ``head``, that ancestor itself.

    What has been merged into the branch since is no doing of head's. Raises UsageError where either is not
    there, or their histories never met.
    """
    root = root_of(folder)
    commits = commit_of(root, branch), commit_of(root, head)
    try:
        return git(root, "merge-base", *commits)
    except GitFailed as error:
        is_shallow = git(root, "rev-parse", "--is-shallow-repository") == "true"
        raise UsageError(
            f"{branch} and {head} have no history in common"
            + (", as far as this shallow clone knows it." if is_shallow else "."),
            advice=HOW_TO_DEEPEN if is_shallow else "Name a commit that head comes from.",
        ) from error


def changed_files(folder: Path) -> int:
    """How many files of the repository have changes that no commit has; files git ignores are left out."""
    return len(git(root_of(folder), "status", "--porcelain", "--untracked-files=all").splitlines())
