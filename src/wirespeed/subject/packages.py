"""Environments made by uv: from dependency files, or as the app's own with a few packages replaced.

For ``--with PACKAGE==VERSION`` the app's environment is rebuilt with everything it has but the packages that
are replaced, which are then installed as its author would do it: uv keeps what is there, and changes only
what the new versions need changed. Made once and kept in the user's caches under a name that says what went
into it; an environment is complete or not there at all.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.errors import UsageError
from wirespeed.model.progress import Noted

from .bundle import environments_folder
from .dependencies import Recipe
from .uv import Package, Uv, UvFailed, name_of

Listener = Callable[[Noted], None]

_FORMAT = 1
_RECORD = "wirespeed.json"
_OURS = "wirespeed"
_IDENTIFY = "import sys; print(sys.version, sys.base_prefix)"


def environment_with(python: Path, requirements: tuple[str, ...], listener: Listener) -> Path:
    """The interpreter of an environment like that of ``python``, with ``requirements`` (PEP 508) in it.

    The listener hears when one is made, and which other packages had to change. Raises UsageError, with uv's
    own message where it cannot install something.
    """
    uv = Uv()
    recipe = _recipe(uv, python, requirements)

    def make(draft: Path) -> None:
        for package in recipe.editable:
            listener(Noted(f"{package.name} is installed editable: its sources are used there, too."))
        _fill(uv, recipe, draft)

    folder = _kept(uv, recipe.key, recipe.title, make, listener)
    for change in _other_changes(recipe, _recorded(folder)):
        listener(Noted(f"With {recipe.title}, {change}."))
    return folder / "bin" / "python"


def environment_from(python: Path, recipe: Recipe, title: str, listener: Listener) -> Path:
    """The interpreter of an environment for the Python of ``python``, with what ``recipe`` says.

    ``title`` is what the listener hears of it when one is made. Raises UsageError, with uv's own message.
    """
    uv = Uv()
    parts = [_FORMAT, _interpreter(python), recipe.file_name, recipe.requirements, recipe.constraints]
    folder = _kept(uv, _key(parts), title, lambda draft: _fill_from(uv, python, recipe, draft), listener)
    return folder / "bin" / "python"


def _kept(uv: Uv, key: str, title: str, fill: Callable[[Path], None], listener: Listener) -> Path:
    """The folder of an environment that was made before, or that ``fill`` makes now."""
    home = environments_folder()
    home.mkdir(parents=True, exist_ok=True)
    folder = home / key
    with _locked(home / f"{key}.lock", listener):
        if not _is_intact(uv, folder):
            listener(Noted(f"Making an environment with {title}, to be kept."))
            _make(uv, fill, folder)
    return folder


def _key(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


@dataclass(frozen=True)
class _Recipe:
    """All that decides what an environment becomes."""

    python: Path
    interpreter: str
    installed: tuple[Package, ...]
    requirements: tuple[str, ...]

    @property
    def key(self) -> str:
        kept = [package.requirement for package in self.kept]
        return _key([_FORMAT, self.interpreter, kept, self.requirements])

    @property
    def title(self) -> str:
        return " ".join(self.requirements)

    @property
    def replaced(self) -> set[str]:
        return {name_of(requirement) for requirement in self.requirements}

    @property
    def kept(self) -> list[Package]:
        """wirespeed itself is nothing the app needs, and its own wishes must not stand in the way."""
        return [package for package in self.installed if package.name not in {*self.replaced, _OURS}]

    @property
    def editable(self) -> list[Package]:
        return [package for package in self.kept if package.requirement.startswith("-e ")]


def _recipe(uv: Uv, python: Path, requirements: tuple[str, ...]) -> _Recipe:
    for requirement in requirements:
        if not name_of(requirement):
            raise UsageError(
                f"--with {requirement!r} names no package.", advice="As in --with fastapi==0.129.0."
            )
    interpreter = _interpreter(python)
    try:
        installed = tuple(uv.packages(python))
    except UvFailed as error:
        raise UsageError(f"uv cannot tell what is installed beside {python}:\n{error}") from error
    return _Recipe(python, interpreter, installed, tuple(sorted(set(requirements))))


def _interpreter(python: Path) -> str:
    try:
        done = subprocess.run([python, "-I", "-c", _IDENTIFY], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise UsageError(
            f"{python} cannot be run: {error}.", advice="Name the app's interpreter with --python."
        ) from error
    return done.stdout


@contextmanager
def _locked(file: Path, listener: Listener) -> Iterator[None]:
    """One process at a time; the lock ends with its process, however that ends."""
    with file.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            listener(Noted("Waiting for another wirespeed, which is making the same environment."))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(uv: Uv, fill: Callable[[Path], None], folder: Path) -> None:
    """In a folder beside it that gets its name at the very end."""
    for left_behind in folder.parent.glob(f".{folder.name}-*"):
        shutil.rmtree(left_behind)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        fill(draft)
        (draft / _RECORD).write_text(json.dumps(uv.versions(draft / "bin" / "python")), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _fill(uv: Uv, recipe: _Recipe, draft: Path) -> None:
    python = draft / "bin" / "python"
    try:
        _make_empty(uv, recipe.python, draft)
        _install_kept(uv, recipe, python)
    except UvFailed as error:
        raise UsageError(
            f"uv cannot rebuild the environment of {recipe.python}:\n{error}",
            advice="Make the other environment yourself, and name it with --python.",
        ) from error
    try:
        uv.run("pip", "install", "--quiet", "--python", str(python), *recipe.requirements)
    except UvFailed as error:
        raise UsageError(f"uv cannot install {recipe.title}:\n{error}") from error


def _fill_from(uv: Uv, python: Path, recipe: Recipe, draft: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="wirespeed-") as name:
        file, constraints = Path(name, recipe.file_name), Path(name, "constraints.txt")
        file.write_text(recipe.requirements, encoding="utf-8")
        constraints.write_text(recipe.constraints, encoding="utf-8")
        options = ("--constraint", str(constraints)) if recipe.constraints else ()
        try:
            _make_empty(uv, python, draft)
            target = ("--python", str(draft / "bin" / "python"))
            uv.run("pip", "install", "--quiet", *target, *options, "-r", str(file))
        except UvFailed as error:
            raise UsageError(
                f"uv cannot make the environment:\n{error}",
                advice="Make it yourself and name it with --python and --same-env.",
            ) from error


def _make_empty(uv: Uv, python: Path, draft: Path) -> None:
    interpreter = ("--python", str(python), "--no-python-downloads")
    uv.run("venv", "--quiet", *interpreter, "--no-project", "--relocatable", str(draft))


def _install_kept(uv: Uv, recipe: _Recipe, python: Path) -> None:
    """Without their dependencies: what is there is complete, or incomplete as its author has it."""
    if not recipe.kept:
        return
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("\n".join(package.requirement for package in recipe.kept))
        file.flush()
        uv.run("pip", "install", "--quiet", "--no-deps", "--python", str(python), "-r", file.name)


def _is_intact(uv: Uv, folder: Path) -> bool:
    """Whether it is there, its interpreter runs, and it has what it was made with."""
    if not (folder / _RECORD).is_file():
        return False
    try:
        return uv.versions(folder / "bin" / "python") == _recorded(folder)
    except UvFailed:
        return False


def _recorded(folder: Path) -> dict[str, str]:
    versions: dict[str, str] = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
    return versions


def _other_changes(recipe: _Recipe, now: dict[str, str]) -> Iterable[str]:
    """What differs from the app's environment beyond what was asked for."""
    before = {package.name: package.version for package in recipe.kept}
    for name in sorted({*before, *now} - recipe.replaced):
        match before.get(name), now.get(name):
            case None, new:
                yield f"{name} {new} is installed, too"
            case old, None:
                yield f"{name} {old} is gone"
            case old, new if old != new:
                yield f"{name} is {new} instead of {old}"
