"""Edited source files, imported in place of what the disk has. Nothing on disk changes.

The hook sits where every way to import a file passes: the loader that reads it. So it serves packages,
namespace packages, files imported by their path and editable installs alike. Bytecode is neither read nor
written for an edited file; tracebacks and ``inspect`` show the edited text.
"""

from __future__ import annotations

import functools
import importlib.machinery
import io
import linecache
import os
import tokenize
from typing import Any, Dict, List, Mapping, Sequence

_Loader = importlib.machinery.SourceFileLoader


class EditedFiles:
    """``edited``: ``file`` and ``text`` of each. From ``install`` on for as long as the process lives."""

    def __init__(self, edited: Sequence[Mapping[str, str]]) -> None:
        self._texts: Dict[str, str] = {os.path.realpath(each["file"]): each["text"] for each in edited}
        self._names = {os.path.realpath(each["file"]): each["file"] for each in edited}
        self._loaded: Dict[str, None] = {}
        self._real_path = functools.lru_cache(maxsize=None)(os.path.realpath)

    def install(self) -> None:
        if not self._texts:
            return
        read, stats = _Loader.get_data, _Loader.path_stats

        def get_data(loader: Any, path: str) -> bytes:
            real = self._real_path(path)
            return self._serve(path, real) if real in self._texts else read(loader, path)

        def path_stats(loader: Any, path: str) -> Mapping[str, Any]:
            # Without a time of change the import system has no use for bytecode.
            if self._real_path(path) in self._texts:
                raise OSError(f"{path} is edited in memory")
            return stats(loader, path)

        _Loader.get_data, _Loader.path_stats = get_data, path_stats  # type: ignore[method-assign, assignment]

    @property
    def loaded(self) -> List[str]:
        """The files, as they were named, whose edited text has been read by now."""
        return [self._names[real] for real in self._loaded]

    def _serve(self, path: str, real: str) -> bytes:
        text = self._texts[real]
        self._loaded[real] = None
        # A time of None keeps linecache from looking at the disk.
        linecache.cache[path] = (len(text), None, text.splitlines(True), path)
        return encoded(text)


def encoded(text: str) -> bytes:
    """As a file that declares its encoding in a comment, or none, would hold it."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(text.encode()).readline)
    return text.encode("utf-8" if encoding == "utf-8-sig" else encoding)
