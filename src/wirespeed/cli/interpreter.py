"""Which Python runs the app: the one that was named, else the environment that FastAPI is found in."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from wirespeed.errors import UsageError


def choose_python(named: str | None, folder: Path, environ: Mapping[str, str]) -> Path:
    """Absolute path of the interpreter, links kept: a virtual environment is known by its link.

    Without a name: the activated environment, else ``.venv`` in ``folder``, whichever has FastAPI; else the
    interpreter wirespeed runs in. So a wirespeed that was installed as a tool of its own finds the project's.
    """
    if named is not None:
        return _named(named)
    for environment in _environments(folder, environ):
        python = environment / "bin" / "python"
        if os.access(python, os.X_OK) and any(environment.glob("lib/python*/site-packages/fastapi")):
            return _absolute(python)
    return Path(sys.executable)


def _environments(folder: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if environ.get(variable):
            yield Path(environ[variable])
    yield folder / ".venv"


def _named(named: str) -> Path:
    """A path, an environment's folder, or a command such as ``python3.13``."""
    path = Path(named).expanduser()
    candidates = [path, path / "bin" / "python"]
    if os.sep not in named and (found := shutil.which(named)):
        candidates.append(Path(found))
    for candidate in candidates:
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return _absolute(candidate)
    raise UsageError(
        f"--python {named!r} is not an interpreter",
        advice="Give the path of a Python, its environment's folder, or a command such as python3.13.",
    )


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100  (Path.resolve would follow the environment's link)
