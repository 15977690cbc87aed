"""From the plan to two apps that can be started: revisions checked out, environments found or made.

What lives here: which code and which packages each side has, and that neither imports the other's. What it
must never know: how fast they are.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import UsageError
from wirespeed.experiment.events import Listener
from wirespeed.model.guard import EnvironmentSource, PackageChange, Side
from wirespeed.model.guard_plan import GuardPlan
from wirespeed.model.request import Route
from wirespeed.model.subject import AppSubject, Booted
from wirespeed.subject.dependencies import Dependencies, dependencies_of, recipe_of
from wirespeed.subject.git import commit_of
from wirespeed.subject.history import changed_files, parting_of, repository_of
from wirespeed.subject.packages import environment_from, environment_with
from wirespeed.subject.revision import worktree
from wirespeed.subject.uv import Uv

WORKING_TREE = "working tree"
_OURS = "wirespeed"
_IMPORTABLE = """
import importlib.metadata, json, sys
editable = []
for distribution in importlib.metadata.distributions():
    told = distribution.read_text("direct_url.json")
    if told and json.loads(told).get("dir_info", {}).get("editable"):
        editable.append(json.loads(told)["url"])
print(json.dumps({"path": sys.path, "prefix": sys.prefix, "editable": editable}))
"""


@dataclass(frozen=True)
class Staged:
    """One side, ready to be started."""

    name: str
    subject: AppSubject
    told: Side
    """Without its packages, which are known once it has started."""
    tree: Path
    """The top folder of its checkout."""


@dataclass(frozen=True)
class Sides:
    base: Staged
    head: Staged
    package_changes: tuple[PackageChange, ...]
    notes: tuple[str, ...]

    @property
    def by_host(self) -> tuple[AppSubject, AppSubject, AppSubject]:
        """What base, its twin and head are started from."""
        return self.base.subject, self.base.subject, self.head.subject


@dataclass(frozen=True)
class _Checkout:
    name: str
    tree: Path
    folder: Path
    revision: str
    named: str
    packages: tuple[str, ...]
    """What ``--with`` and its like ask for."""
    dependencies: Dependencies | None


@dataclass(frozen=True)
class _Environment:
    python: Path
    source: EnvironmentSource
    sources: tuple[Path, ...]
    """Folders of the checkout that it does not have by itself."""


@contextmanager
def sides_of(plan: GuardPlan, listener: Listener) -> Iterator[Sides]:
    """Both sides, for as long as the block runs; then nothing of base is left.

    Raises UsageError where there is no repository, no such revision, or packages that cannot be installed.
    """
    with ExitStack() as stack:
        base, head = _check_out(plan, stack)
        by_lock = _differ(base.dependencies, head.dependencies) and not plan.same_env
        environments = [_environment(plan, side, listener, by_lock=by_lock) for side in (base, head)]
        staged = [_staged(plan, *each) for each in zip((base, head), environments, strict=True)]
        changes = _package_changes(*(each.python for each in environments))
        notes = tuple(_notes(plan, base, head, changes, by_lock=by_lock))
        yield Sides(staged[0], staged[1], changes, notes)


def require_own_code(one: Staged, booted: Booted, routes: Sequence[Route], other: Staged) -> None:
    """Refuse an app that was checked out, but imported from elsewhere: files that no revision changes.

    Raises UsageError.
    """
    files = [booted.file, *(route.source.rpartition(":")[0] for route in routes if route.source)]
    app, *endpoints = [None if file is None else Path(one.subject.folder, file).resolve() for file in files]
    elsewhere = app if app is not None and not app.is_relative_to(one.tree) else None
    foreign = [file for file in endpoints if file is not None and file.is_relative_to(other.tree)]
    if elsewhere is not None or foreign:
        raise UsageError(
            f"{one.name} was imported from {elsewhere or foreign[0]}, which is not in its own checkout",
            advice="Its environment has it installed; put the folder first, as in --env PYTHONPATH=src.",
        )


def _check_out(plan: GuardPlan, stack: ExitStack) -> tuple[_Checkout, _Checkout]:
    folder = plan.subject.folder.resolve()
    root = repository_of(folder)
    below = folder.relative_to(root)
    head_commit = commit_of(folder, plan.head or "HEAD")
    base_commit = parting_of(folder, plan.base, head_commit)

    def checkout(name: str, at: Path, revision: str, named: str, packages: tuple[str, ...]) -> _Checkout:
        tree = at.parents[len(below.parts) - 1] if below.parts else at
        return _Checkout(name, tree, at, revision, named, packages, dependencies_of(at, tree))

    base_folder = stack.enter_context(worktree(folder, base_commit))
    base = checkout("base", base_folder, base_commit, plan.base, plan.base_with)
    if plan.head is None:
        return base, checkout("head", folder, WORKING_TREE, head_commit, plan.head_with)
    head_folder = stack.enter_context(worktree(folder, head_commit))
    return base, checkout("head", head_folder, head_commit, plan.head, plan.head_with)


def _differ(one: Dependencies | None, other: Dependencies | None) -> bool:
    if one is None or other is None:
        return one is not other
    return one.digest != other.digest


def _environment(plan: GuardPlan, side: _Checkout, listener: Listener, *, by_lock: bool) -> _Environment:
    python, sources = plan.subject.python, _importable(plan, side)
    source: EnvironmentSource = "own"
    if by_lock and side.dependencies is not None:
        recipe = recipe_of(side.dependencies, side.folder, Uv())
        title = f"what {side.dependencies.main.name} of {side.name} asks for"
        python = environment_from(python, recipe, title, listener)
        source, sources = "lock", recipe.sources
    if side.packages:
        python, source = environment_with(python, side.packages, listener), "with"
    return _Environment(python, source, sources)


def _importable(plan: GuardPlan, side: _Checkout) -> tuple[Path, ...]:
    """Where a checkout has what the app's own environment imports from the user's working folder.

    An editable install, of the app or of a package beside it, would bring the user's code into every side.
    """
    root = repository_of(plan.subject.folder)
    if side.tree == root:
        return ()
    try:
        command = [str(plan.subject.python), "-I", "-c", _IMPORTABLE]
        told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise UsageError(
            f"{plan.subject.python} cannot be run: {error}.",
            advice="Name the app's interpreter with --python.",
        ) from error
    found = [*map(Path, told["path"]), *(_source(url.removeprefix("file://")) for url in told["editable"])]
    return _moved(found, root, side.tree, Path(told["prefix"]))


def _source(project: str) -> Path:
    return Path(project, "src") if Path(project, "src").is_dir() else Path(project)


def _moved(paths: Sequence[Path], root: Path, tree: Path, prefix: Path | None = None) -> tuple[Path, ...]:
    """Those of the paths that lie in ``root``, but in no environment there, as ``tree`` has them."""
    inside = [path.resolve() for path in paths if path.is_absolute()]
    own = [
        tree / path.relative_to(root)
        for path in inside
        if path.is_relative_to(root) and not (prefix and path.is_relative_to(prefix.resolve()))
    ]
    return tuple(dict.fromkeys(path for path in own if path.is_dir()))


def _staged(plan: GuardPlan, side: _Checkout, environment: _Environment) -> Staged:
    subject = plan.subject.model_copy(
        update={
            "folder": side.folder,
            "python": environment.python,
            "env": _variables(plan.subject, side.tree, environment.sources),
        }
    )
    told = Side(
        revision=side.revision,
        packages={},
        named=side.named,
        changed_files=changed_files(side.folder) if side.revision == WORKING_TREE else 0,
        python=str(environment.python),
        environment=environment.source,
        dependency_file=_dependency_file(side) if environment.source == "lock" else None,
    )
    return Staged(side.name, subject, told, side.tree)


def _dependency_file(side: _Checkout) -> str | None:
    if side.dependencies is None:
        return None
    return side.dependencies.main.resolve().relative_to(side.tree.resolve()).as_posix()


def _variables(subject: AppSubject, tree: Path, sources: Sequence[Path]) -> dict[str, str]:
    """With the checkout's own folders first, and none of the user's working folder."""
    root = repository_of(subject.folder)
    given = subject.env.get("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    entries = [Path(entry) for entry in given.split(os.pathsep) if entry]
    kept = [
        next(iter(_moved([entry], root, tree)), None) if _is_inside(entry, root) else entry
        for entry in entries
    ]
    path = dict.fromkeys(str(entry) for entry in (*sources, *kept) if entry is not None)
    return {**subject.env, "PYTHONPATH": os.pathsep.join(path)} if path or entries else subject.env


def _is_inside(entry: Path, root: Path) -> bool:
    return entry.is_absolute() and entry.resolve().is_relative_to(root)


def _package_changes(base: Path, head: Path) -> tuple[PackageChange, ...]:
    if base == head:
        return ()
    uv = Uv()
    before, after = uv.versions(base), uv.versions(head)
    return tuple(
        PackageChange(name=name, base=before.get(name), head=after.get(name))
        for name in sorted({*before, *after} - {_OURS})
        if before.get(name) != after.get(name)
    )


def _notes(
    plan: GuardPlan, base: _Checkout, head: _Checkout, changes: Sequence[PackageChange], *, by_lock: bool
) -> Iterator[str]:
    if commit_of(plan.subject.folder, plan.base) != base.revision:
        where = "HEAD" if plan.head is None else plan.head
        yield f"{plan.base} has gone on: compared is {base.revision[:12]}, where {where} left it"
    head_commit = head.named if plan.head is None else head.revision
    unchanged = plan.head is not None or not changed_files(plan.subject.folder)
    if head_commit == base.revision and unchanged and not changes:
        yield "base and head are the same code with the same packages"
    for side in (base, head):
        if by_lock and side.dependencies is None:
            yield f"{side.name} has no dependency files, so it runs in the app's own environment"
