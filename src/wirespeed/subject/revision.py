"""The app's folder as it was at another git revision, for ``--revision``.

A worktree of its own, detached, in a folder that goes away; the user's files, index and branches are not
touched. What git does not keep (environments, built files, ``.env``) is not there.
"""

from __future__ import annotations

import difflib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from wirespeed.errors import UsageError

_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")


@contextmanager
def worktree(folder: Path, revision: str) -> Iterator[Path]:
    """``folder`` at ``revision``, while the block runs.

    Raises UsageError where it is in no git repository, or where the revision, or the folder in it, is not
    there.
    """
    root = _root_of(folder)
    commit = _commit(root, revision)
    with tempfile.TemporaryDirectory(prefix="wirespeed-") as name:
        tree = Path(name).resolve() / root.name
        try:
            _check_out(root, commit, tree)
            yield _same_folder(folder, root, tree, revision)
        finally:
            _remove(root, tree)


def uncommitted(folder: Path) -> tuple[str, ...]:
    """Files below ``folder`` whose changes are in no revision, as git names them.

    Files that git was never told of are not among them. Raises UsageError where it is in no git repository.
    """
    _root_of(folder)
    return tuple(_git(folder, "diff", "HEAD", "--name-only", "--relative", "--no-ext-diff").splitlines())


class Commit(NamedTuple):
    hash: str
    title: str


def commits_between(folder: Path, first: str, last: str) -> tuple[Commit, ...]:
    """The commit ``first``, and all on the line of first parents that led from it to ``last``, in order.

    What a merge brought in counts as one commit: branches as they were merged are what was released. Raises
    UsageError where a revision is not there, or ``first`` is no ancestor of ``last``.
    """
    root = _root_of(folder)
    oldest, newest = _commit(root, first), _commit(root, last)
    if oldest == newest:
        raise UsageError(f"{first} and {last} are the same commit.", advice="Name two different revisions.")
    _require_ancestor(root, oldest, newest, (first, last))
    form = ("--no-show-signature", "--format=%H%x00%s")
    start = _git(root, "log", "-1", *form, oldest)
    later = _git(root, "log", "--first-parent", "--reverse", *form, f"{oldest}..{newest}")
    return tuple(Commit(*line.split("\0")) for line in [start, *later.split("\n")] if line)


def _require_ancestor(root: Path, oldest: str, newest: str, names: tuple[str, str]) -> None:
    if _is_ancestor(root, oldest, newest):
        return
    first, last = names
    if _is_ancestor(root, newest, oldest):
        raise UsageError(f"{first} is newer than {last}.", advice=f"Turn them round: {last}..{first}.")
    try:
        base = _git(root, "merge-base", oldest, newest)
    except _GitFailed:
        raise UsageError(f"{first} and {last} have no history in common.") from None
    raise UsageError(
        f"{first} is no ancestor of {last}, so no commit between them can be named.",
        advice=f"They have parted at {base[:12]}: {base[:12]}..{last} is a range.",
    )


def _is_ancestor(root: Path, oldest: str, newest: str) -> bool:
    try:
        _git(root, "merge-base", "--is-ancestor", oldest, newest)
    except _GitFailed:
        return False
    return True


def _root_of(folder: Path) -> Path:
    try:
        return Path(_git(folder, "rev-parse", "--show-toplevel"))
    except _GitFailed as error:
        raise UsageError(f"{folder} is in no git repository that can be used: {error}") from error


def _commit(root: Path, revision: str) -> str:
    try:
        return _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
    except _GitFailed:
        raise UsageError(
            f"There is no revision {revision!r} in {root}.", advice=_suggestion(root, revision)
        ) from None


def _suggestion(root: Path, revision: str) -> str:
    heads = ("refs/heads", "refs/tags", "refs/remotes")
    names = _git(root, "for-each-ref", "--format=%(refname:short)", *heads).splitlines()
    close = difflib.get_close_matches(revision, names)
    if close:
        return f"Did you mean {' or '.join(close)}?"
    if _git(root, "rev-parse", "--is-shallow-repository") == "true":
        return "This clone is shallow; `git fetch --unshallow` gets the rest."
    return "Name a branch, a tag or a commit."


def _check_out(root: Path, commit: str, tree: Path) -> None:
    try:
        _git(root, *_NO_HOOKS, "worktree", "add", "--quiet", "--detach", str(tree), commit)
    except _GitFailed as error:
        raise UsageError(f"git cannot check {commit} of {root} out: {error}") from error


def _same_folder(folder: Path, root: Path, tree: Path, revision: str) -> Path:
    below = folder.resolve().relative_to(root.resolve())
    if not (tree / below).is_dir():
        raise UsageError(f"There is no folder {below} at revision {revision!r} of {root}.")
    return tree / below


def _remove(root: Path, tree: Path) -> None:
    """By its path alone: a general prune would also forget other worktrees, on disks that are away."""
    try:
        # Forced twice, as it is locked where git was stopped while it made it.
        _git(root, "worktree", "remove", "--force", "--force", str(tree))
    except _GitFailed:
        shutil.rmtree(tree, ignore_errors=True)


class _GitFailed(Exception):
    """With git's own message."""


def _git(folder: Path, *arguments: str) -> str:
    """What git prints. Raises _GitFailed, and UsageError where there is no git."""
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
        raise _GitFailed(done.stderr.strip() or f"git ended with exit status {done.returncode}")
    return done.stdout.rstrip("\n")


_OF_ANOTHER_REPOSITORY = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"}
"""Set while git runs a hook, and wirespeed in it; ``-C`` says where to look instead."""
