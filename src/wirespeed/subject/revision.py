"""The app's folder as it was at another git revision, for ``--revision``.

A worktree of its own, detached, in a folder that goes away; the user's files, index and branches are not
touched. What git does not keep (environments, built files, ``.env``) is not there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from wirespeed.errors import UsageError

from .git import GitFailed, commit_of, git, root_of

_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")


@contextmanager
def worktree(folder: Path, revision: str) -> Iterator[Path]:
    """``folder`` at ``revision``, while the block runs.

    Raises UsageError where it is in no git repository, or where the revision, or the folder in it, is not
    there.
    """
    root = root_of(folder)
    commit = commit_of(root, revision)
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
    root_of(folder)
    return tuple(git(folder, "diff", "HEAD", "--name-only", "--relative", "--no-ext-diff").splitlines())


class Commit(NamedTuple):
    hash: str
    title: str


def commits_between(folder: Path, first: str, last: str) -> tuple[Commit, ...]:
    """The commit ``first``, and all on the line of first parents that led from it to ``last``, in order.

    What a merge brought in counts as one commit: branches as they were merged are what was released. Raises
    UsageError where a revision is not there, or ``first`` is no ancestor of ``last``.
    """
    root = root_of(folder)
    oldest, newest = commit_of(root, first), commit_of(root, last)
    if oldest == newest:
        raise UsageError(f"{first} and {last} are the same commit.", advice="Name two different revisions.")
    _require_ancestor(root, oldest, newest, (first, last))
    form = ("--no-show-signature", "--format=%H%x00%s")
    start = git(root, "log", "-1", *form, oldest)
    later = git(root, "log", "--first-parent", "--reverse", *form, f"{oldest}..{newest}")
    return tuple(Commit(*line.split("\0")) for line in [start, *later.split("\n")] if line)


def _require_ancestor(root: Path, oldest: str, newest: str, names: tuple[str, str]) -> None:
    if _is_ancestor(root, oldest, newest):
        return
    first, last = names
    if _is_ancestor(root, newest, oldest):
        raise UsageError(f"{first} is newer than {last}.", advice=f"Turn them round: {last}..{first}.")
    try:
        base = git(root, "merge-base", oldest, newest)
    except GitFailed:
        raise UsageError(f"{first} and {last} have no history in common.") from None
    raise UsageError(
        f"{first} is no ancestor of {last}, so no commit between them can be named.",
        advice=f"They have parted at {base[:12]}: {base[:12]}..{last} is a range.",
    )


def _is_ancestor(root: Path, oldest: str, newest: str) -> bool:
    try:
        git(root, "merge-base", "--is-ancestor", oldest, newest)
    except GitFailed:
        return False
    return True


def _check_out(root: Path, commit: str, tree: Path) -> None:
    try:
        git(root, *_NO_HOOKS, "worktree", "add", "--quiet", "--detach", str(tree), commit)
    except GitFailed as error:
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
        git(root, "worktree", "remove", "--force", "--force", str(tree))
    except GitFailed:
        shutil.rmtree(tree, ignore_errors=True)
