"""Which interpreter runs the app, and which environment variables it gets.

The app should find itself where its author's own shell would have started it. What an environment of
wirespeed's own brought into that shell is taken out again; nothing is added but what the user asked for.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from wirespeed.errors import UsageError

_OWN_PREFIX = Path(sys.prefix)
_OWN_PYTHON = Path(sys.executable)
_ADVICE = "Name the app's interpreter with --python: an executable, or the folder of a virtual environment."


def choose_interpreter(option: str | None, folder: Path, environ: Mapping[str, str]) -> Path:
    """``--python``, else the active virtual environment unless it is ours, else the folder's ``.venv``, else
    ours.

    Raises UsageError for one that is named but is not there.
    """
    if option is not None:
        return named_interpreter(option)
    active = environ.get("VIRTUAL_ENV")
    if active and not _same_place(Path(active), _OWN_PREFIX):
        return _interpreter_of(Path(active), f"The active virtual environment {active}")
    if (folder / ".venv" / "pyvenv.cfg").is_file():
        return _interpreter_of(folder / ".venv", f"The virtual environment {folder / '.venv'}")
    return _OWN_PYTHON


def named_interpreter(option: str) -> Path:
    """The interpreter meant by an executable's path, its name on PATH, or a virtual environment's folder.

    Symbolic links are kept: a virtual environment's interpreter is one, and following it would leave it.
    """
    path = Path(option).expanduser()
    if path.is_dir():
        return _interpreter_of(path, option)
    found = shutil.which(path)
    if found is None:
        what = "is not executable" if path.exists() else "is not there"
        raise UsageError(f"--python {option}: it {what}.", advice=_ADVICE)
    return Path(found).absolute()


def app_environment(environ: Mapping[str, str], python: Path, extra: Mapping[str, str]) -> dict[str, str]:
    """The environment variables for an app run by ``python``: the user's own, and ``extra`` over them."""
    return {**_without_ours(environ, python), **extra}


def _without_ours(environ: Mapping[str, str], python: Path) -> dict[str, str]:
    if _is_own_interpreter(python):
        return dict(environ)
    kept = dict(environ)
    if _is_ours(kept.get("VIRTUAL_ENV")):
        del kept["VIRTUAL_ENV"]
        kept.pop("VIRTUAL_ENV_PROMPT", None)
    if _is_ours(kept.get("PYTHONHOME")):
        del kept["PYTHONHOME"]
    if "PATH" in kept and _in_virtual_environment():
        kept["PATH"] = _without_folder(kept["PATH"], _OWN_PREFIX / "bin")
    return kept


def _is_ours(prefix: str | None) -> bool:
    return bool(prefix) and any(
        _same_place(Path(str(prefix)), ours) for ours in (_OWN_PREFIX, sys.base_prefix)
    )


def _without_folder(search_path: str, folder: Path) -> str:
    kept = [entry for entry in search_path.split(os.pathsep) if not (entry and _same_place(entry, folder))]
    return os.pathsep.join(kept)


def _in_virtual_environment() -> bool:
    return sys.prefix != sys.base_prefix


def _is_own_interpreter(python: Path) -> bool:
    """By any of the names that a virtual environment has for its interpreter: ``python``, ``python3`` …"""
    together = _same_place(python.parent, _OWN_PYTHON.parent)
    return together and (_in_virtual_environment() or _same_place(python, _OWN_PYTHON))


def _same_place(one: str | Path, other: str | Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _interpreter_of(environment: Path, what: str) -> Path:
    python = environment / "bin" / "python"
    if not os.access(python, os.X_OK):
        raise UsageError(f"{what} holds no interpreter: {python} is not there.", advice=_ADVICE)
    return python.absolute()
