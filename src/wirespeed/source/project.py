"""The user's folder: which of its files a place names, what they hold, and who else speaks of a name.

The only part of the package that reads files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from pathlib import Path, PurePath

from .file_text import FileText, decode
from .values import ModuleFacts, Refused

_LIBRARY_FOLDERS = frozenset({"site-packages", "dist-packages"})
_NO_SOURCES = _LIBRARY_FOLDERS | {"__pycache__", "node_modules"}


class Project:
    """What ``folder`` holds, read when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder.resolve()

    def locate(self, source: str) -> tuple[PurePath, int]:
        """(path below the folder, line) of ``users.py:31``. Raises Refused for files of others."""
        name, _, line = source.rpartition(":")
        if not _LIBRARY_FOLDERS.isdisjoint(PurePath(name).parts):
            raise Refused("it is in a third-party package")
        path = (self.root / name).resolve()
        # The agent shortens names below the library folders as it does those below the project.
        if not path.is_file() and not PurePath(name).is_absolute():
            raise Refused("it is in a third-party package")
        if not path.is_relative_to(self.root):
            raise Refused(f"it is outside of {self.folder}")
        return path.relative_to(self.root), int(line)

    def read(self, path: PurePath) -> FileText:
        """Raises Refused where it cannot be read."""
        try:
            return decode((self.root / path).read_bytes())
        except OSError as error:
            raise Refused(f"its file cannot be read: {error.strerror}") from error

    def module_facts(self, path: PurePath) -> ModuleFacts:
        """By the packages the file lies in, namespace packages aside."""
        file = self.root / path
        packages = list(takewhile(lambda folder: (folder / "__init__.py").is_file(), file.parents))
        name = ".".join(folder.name for folder in reversed(packages))
        return ModuleFacts(name or None, is_package=file.name == "__init__.py")

    def others_with(self, word: str, besides: PurePath) -> Iterator[tuple[PurePath, str]]:
        """(path, text) of the other modules that have the word anywhere.

        Raises Refused where one of them cannot be read: what it does with the word is not known.
        """
        plain = word.encode()
        has_word = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)".encode())
        for path in _modules(self.root):
            content = _content(path, path.stat().st_mtime_ns) if path.is_file() else b""
            # Looked for without an expression first: most modules never speak of it.
            if plain not in content or not has_word.search(content):
                continue
            relative = path.relative_to(self.root)
            if relative != besides:
                try:
                    yield relative, decode(content).text
                except Refused as refused:
                    raise Refused(
                        f"{relative.as_posix()}, which may use {word}, is not read: {refused.reason}"
                    ) from None


def _modules(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if _may_hold_sources(Path(folder, name)))
        yield from (Path(folder, name) for name in sorted(files) if name.endswith((".py", ".pyi")))


def _may_hold_sources(folder: Path) -> bool:
    if folder.name in _NO_SOURCES or folder.name.startswith("."):
        return False
    return not (folder / "pyvenv.cfg").exists()


@lru_cache(maxsize=4096)
def _content(path: Path, _changed_ns: int) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path.name} cannot be read: {error.strerror}") from error
