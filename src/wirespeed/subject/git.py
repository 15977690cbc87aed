"""Calling git, and finding a repository and its commits."""

from __future__ import annotations

import difflib
import os
import subprocess
from pathlib import Path

from wirespeed.errors import UsageError

HOW_TO_DEEPEN = (
    "This clone is shallow; `git fetch --unshallow` gets the rest. In CI, check out the whole history "
    "(fetch-depth: 0)."
)


def root_of(folder: Path) -> Path:
    """The repository's top folder. Raises UsageError where ``folder`` is in none."""
    try:
        return Path(git(folder, "rev-parse", "--show-toplevel"))
    except GitFailed as error:
        raise UsageError(f"{folder} is in no git repository that can be used: {error}") from error


def commit_of(root: Path, revision: str) -> str:
    """The full hash. Raises UsageError for a revision that is not there."""
    try:
        return git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
    except GitFailed:
        raise UsageError(
            f"There is no revision {revision!r} in {root}.", advice=_suggestion(root, revision)
        ) from None


def _suggestion(root: Path, revision: str) -> str:
    heads = ("refs/heads", "refs/tags", "refs/remotes")
    names = git(root, "for-each-ref", "--format=%(refname:short)", *heads).splitlines()
    close = difflib.get_close_matches(revision, names)
    if close:
        return f"Did you mean {' or '.join(close)}?"
    if git(root, "rev-parse", "--is-shallow-repository") == "true":
        return HOW_TO_DEEPEN
    return "Name a branch, a tag or a commit."


class GitFailed(Exception):
    """With git's own message."""


def git(folder: Path, *arguments: str) -> str:
    """What git prints. Raises GitFailed, and UsageError where there is no git."""
    environ = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER_REPOSITORY}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    except FileNotFoundError as error:
        raise UsageError("git is not installed.", advice="Install it, or leave --revision out.") from error
    if done.returncode:
        raise GitFailed(done.stderr.strip() or f"git ended with exit status {done.returncode}")
    return done.stdout.rstrip("\n")


_OF_ANOTHER_REPOSITORY = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"}
"""Set while git runs a hook, and wirespeed in it; ``-C`` says where to look instead."""
