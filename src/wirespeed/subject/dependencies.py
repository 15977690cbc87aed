"""What a project says it depends on, and an environment that has just that.

What lives here: which of a project's files speak of its packages, and what they come to. A project's own code
is never installed: it is imported from where it lies, so that an environment serves every revision with the
same dependencies.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.errors import UsageError

from .uv import Uv, UvFailed

UV_LOCK, PYLOCK, PYPROJECT = "uv.lock", "pylock.toml", "pyproject.toml"
_INCLUDES = re.compile(r"^\s*(?:-r|--requirement|-c|--constraint)[ =]\s*(\S+)", re.MULTILINE)
_CONSTRAINS = re.compile(r"\s*(?:-c|--constraint)[ =]")
_LOCAL = re.compile(r"^\s*(?:-e\s+|--editable[ =])?(\.{1,2}(?:/[^\s;#\[]*)?)(?:\[[^\]]*\])?\s*(?:;.*|#.*)?$")
"""``-e .``, ``./libs/money[fast]``: what lies in the repository."""


@dataclass(frozen=True)
class Dependencies:
    """The file that decides, and all that it may draw on."""

    main: Path
    files: tuple[Path, ...]

    @property
    def folder(self) -> Path:
        return self.main.parent

    @property
    def digest(self) -> str:
        """Of what the files say; two checkouts with the same words have the same."""
        told = [[file.name, _content(file)] for file in self.files]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Recipe:
    """What uv installs, and which folders of the checkout must be importable beside it."""

    requirements: str
    """Lines of a requirements file, or a whole ``pylock.toml``."""
    file_name: str
    sources: tuple[Path, ...]
    constraints: str = ""
    """Lines of a constraints file."""


def dependencies_of(folder: Path, root: Path) -> Dependencies | None:
    """Of the app in ``folder``: from the nearest folder up to the repository's ``root`` that says anything.

    A lock file wins over what it was made from, and a workspace's lock over the project files of its members.
    """
    for place in _upwards(folder, root):
        for name in (UV_LOCK, PYLOCK):
            if (place / name).is_file():
                beside = (place / PYPROJECT, folder / PYPROJECT) if name == UV_LOCK else ()
                return Dependencies(place / name, _there(place / name, *beside))
        if requirements := _requirements_file(place):
            return Dependencies(requirements, tuple(_with_included(requirements)))
        if _is_project(place / PYPROJECT):
            lock = next((up / UV_LOCK for up in _upwards(place, root) if (up / UV_LOCK).is_file()), None)
            if lock is None:
                return Dependencies(place / PYPROJECT, (place / PYPROJECT,))
            return Dependencies(lock, _there(lock, lock.with_name(PYPROJECT), place / PYPROJECT))
    return None


def recipe_of(dependencies: Dependencies, folder: Path, uv: Uv) -> Recipe:
    """What to install for the app in ``folder``. Raises UsageError, with uv's own message."""
    match dependencies.main.name:
        case "uv.lock":
            return _without_local(_exported(dependencies, folder, uv), dependencies.folder)
        case "pylock.toml":
            text = dependencies.main.read_text(encoding="utf-8")
            return Recipe(text, PYLOCK, _sources_of(dependencies.folder))
        case "pyproject.toml":
            lines = _table(_read_toml(dependencies.main), "project").get("dependencies", [])
            return Recipe("\n".join(map(str, lines)), "requirements.txt", _sources_of(dependencies.folder))
    flat = _flattened(dependencies.main)
    constraints = [_flattened(file) for file in _constraining(dependencies.files)]
    return _without_local(flat, dependencies.folder, "\n".join(constraints))


def _upwards(folder: Path, root: Path) -> Iterator[Path]:
    folder, root = folder.resolve(), root.resolve()
    yield folder
    while folder != root and folder != folder.parent:
        folder = folder.parent
        yield folder


def _there(*files: Path) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(file for file in files if file.is_file()))


def _requirements_file(folder: Path) -> Path | None:
    """``requirements.txt``, else ``requirements/base.txt`` and its like, else the only one of its kind."""
    for name in (
        "requirements.txt",
        "requirements/base.txt",
        "requirements/main.txt",
        "requirements/prod.txt",
    ):
        if (folder / name).is_file():
            return folder / name
    others = sorted(folder.glob("requirements*.txt"))
    return others[0] if len(others) == 1 else None


def _with_included(file: Path, seen: frozenset[Path] = frozenset()) -> Iterator[Path]:
    """The file and those it names with ``-r`` and ``-c``, each once on a path."""
    if not file.is_file() or file in seen:
        return
    yield file
    for name in _INCLUDES.findall(file.read_text(encoding="utf-8", errors="replace")):
        yield from _with_included((file.parent / name).resolve(), seen | {file})


def _flattened(file: Path, seen: frozenset[Path] = frozenset()) -> str:
    """The requirements with those of ``-r`` in their place, and without ``-c``."""
    lines = []
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        match = _INCLUDES.match(line)
        included = (file.parent / match[1]).resolve() if match else None
        if included is None:
            lines.append(line)
        elif included not in seen and not _CONSTRAINS.match(line):
            lines.append(_flattened(included, seen | {file}))
    return "\n".join(lines)


def _constraining(files: Sequence[Path]) -> list[Path]:
    """The files that any of these names with ``-c``."""
    found = [
        (file.parent / match[1]).resolve()
        for file in files
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines()
        if _CONSTRAINS.match(line) and (match := _INCLUDES.match(line))
    ]
    return [file for file in dict.fromkeys(found) if file.is_file()]


def _without_local(text: str, folder: Path, constraints: str = "") -> Recipe:
    """Requirements that lie in the checkout are imported from there."""
    lines, sources = [], list(_sources_of(folder))
    for line in text.splitlines():
        if match := _LOCAL.match(line):
            sources += _sources_of((folder / match[1]).resolve())
        else:
            lines.append(line)
    return Recipe("\n".join(lines), "requirements.txt", tuple(dict.fromkeys(sources)), constraints)


def _sources_of(project: Path) -> tuple[Path, ...]:
    """Where a project keeps what it would install: ``src``, or itself."""
    return (project / "src" if (project / "src").is_dir() else project,)


def _exported(dependencies: Dependencies, folder: Path, uv: Uv) -> str:
    """What ``uv sync`` would install for the project nearest to the app; groups by default, no extras."""
    project = next(
        (each for each in _upwards(folder, dependencies.folder) if _is_project(each / PYPROJECT)),
        dependencies.folder,
    )
    options = ("--frozen", "--no-header", "--no-annotate", "--format", "requirements-txt", "--quiet")
    try:
        return uv.run("export", *options, "--project", str(project))
    except UvFailed as error:
        raise UsageError(f"uv cannot read {dependencies.main}:\n{error}") from error


def _is_project(file: Path) -> bool:
    return file.is_file() and bool(_table(_read_toml(file), "project"))


def _content(file: Path) -> Any:
    """What a file says of dependencies: of a project file not its version, description and tools."""
    if file.name != PYPROJECT:
        return file.read_text(encoding="utf-8", errors="replace")
    project = _read_toml(file)
    kept = ("name", "requires-python", "dependencies", "optional-dependencies", "dynamic")
    own = {key: value for key, value in _table(project, "project").items() if key in kept}
    groups, tool = project.get("dependency-groups"), _table(project, "tool").get("uv")
    return json.loads(json.dumps([own, groups, tool], default=str))


def _table(document: dict[str, Any], name: str) -> dict[str, Any]:
    table = document.get(name)
    return table if isinstance(table, dict) else {}


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
