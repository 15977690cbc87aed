"""What the user wrote to name the app, read into what has to be imported. Looks at files, imports nothing.

======================  =============================================================
``pkg.main:app``        a name in a module; dots go on into attributes
``pkg.main:make()``     what that function returns
``pkg.main``            the app of that module, looked for
``main.py``             the app of that file; the folders above it with an ``__init__.py`` are its packages
``main.py:app``         a name in that file
a folder                the first of the files that the ``fastapi`` command would try, or the package itself
======================  =============================================================
"""

from __future__ import annotations

import difflib
import re
from itertools import islice
from pathlib import Path
from typing import Iterable, Iterator, List, NamedTuple, Optional, Tuple

from .errors import OperationError

DEFAULT_FILES = ("main.py", "app.py", "api.py", "app/main.py", "app/app.py", "app/api.py")

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_HOW = "Name it as module:name (main:app), as a file (main.py) or as a folder."
_MOST_CANDIDATES = 500
_DEEPEST = 3


class Target(NamedTuple):
    """What to import, and what to take from it."""

    module: str
    attribute: Optional[str]
    """Dotted name in the module; None where it has to be looked for."""
    call: bool
    """Whether the user wrote the call: ``make()``."""
    path_entry: str
    """The folder that must be on ``sys.path``."""
    file: Optional[str] = None
    """The file that the module must turn out to be, where the user named a file."""


def read_target(spec: str, folder: Path) -> Target:
    """Raises OperationError("usage") for what no app can be named by."""
    where, colon, name = spec.partition(":")
    attribute, call = _read_name(spec, name) if colon else (None, False)
    path = folder / where
    is_name = _NAME.fullmatch(where) is not None
    if where.endswith(".py"):
        return _file_target(_existing(path, where), attribute, call)
    if path.is_dir() and not (is_name and (colon or path.with_name(where + ".py").is_file())):
        return _file_target(_default_file(path), attribute, call)
    if not is_name:
        raise OperationError("usage", f"{spec!r} names no app.", advice=_HOW)
    return Target(where, attribute, call, str(folder))


def _read_name(spec: str, name: str) -> Tuple[str, bool]:
    call = name.endswith("()")
    attribute = name[:-2] if call else name
    if not _NAME.fullmatch(attribute):
        advice = "A factory is called without arguments, as in main:make()." if "(" in name else _HOW
        raise OperationError("usage", f"{name!r} in {spec!r} is not a name in a module.", advice=advice)
    return attribute, call


def _existing(path: Path, where: str) -> Path:
    if path.is_file():
        return path
    names = [p.name for p in path.parent.glob("*.py")] if path.parent.is_dir() else []
    raise OperationError("usage", f"There is no file {where}.", advice=did_you_mean(path.name, names))


def _default_file(folder: Path) -> Path:
    for name in (*DEFAULT_FILES, "__init__.py"):
        if (folder / name).is_file():
            return folder / name
    tried = ", ".join(DEFAULT_FILES)
    raise OperationError("usage", f"No app found in {folder}: it has none of {tried}.", advice=_HOW)


def _file_target(file: Path, attribute: Optional[str], call: bool) -> Target:
    file = file.resolve()
    parts: List[str] = [] if file.stem == "__init__" else [file.stem]
    root = file.parent
    while (root / "__init__.py").is_file():
        parts.insert(0, root.name)
        root = root.parent
    return Target(".".join(parts), attribute, call, str(root), str(file))


def did_you_mean(name: str, candidates: Iterable[str]) -> Optional[str]:
    return _question(difflib.get_close_matches(name, list(candidates)))


def similar_modules(name: str, folder: Path) -> Optional[str]:
    """A question that offers modules of the folder with a last part, or a whole name, close to ``name``."""
    modules = list(islice(_modules(folder), _MOST_CANDIDATES))
    by_last_part = {module.rpartition(".")[2]: module for module in modules}
    parts = difflib.get_close_matches(name.rpartition(".")[2], list(by_last_part))
    close = [by_last_part[part] for part in parts] + difflib.get_close_matches(name, modules)
    return _question(list(dict.fromkeys(close)))


def _question(names: List[str]) -> Optional[str]:
    return f"Did you mean {' or '.join(names)}?" if names else None


def _modules(folder: Path, prefix: str = "") -> Iterator[str]:
    """Importable names below ``folder``, some levels deep; environments and hidden folders are left out."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.suffix == ".py" and entry.stem.isidentifier() and entry.stem != "__init__":
            yield prefix + entry.stem
        elif _may_hold_modules(entry) and prefix.count(".") < _DEEPEST:
            yield from _modules(entry, prefix + entry.name + ".")


def _may_hold_modules(entry: Path) -> bool:
    return entry.name.isidentifier() and entry.is_dir() and not (entry / "pyvenv.cfg").is_file()
