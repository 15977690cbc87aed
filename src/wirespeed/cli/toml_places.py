"""Where in a TOML file a key stands, which ``tomllib`` does not tell.

Reads only files that ``tomllib`` has parsed without complaint, and so needs to tell no mistakes: it walks
over keys, strings, brackets and comments, and leaves what values mean to ``tomllib``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

Path = tuple[str | int, ...]
"""Keys and, in arrays, numbers: ``("tool", "wirespeed", "requests", 0, "get")``."""


class Position(NamedTuple):
    """Both count from 1."""

    line: int
    column: int


_STRING = r'"""(?:\\.|[^\\])*?"{3,5}|' r"'''.*?'{3,5}|" r'"(?:\\.|[^"\\\n])*"|' r"'[^'\n]*'"
_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"|' r"'[^'\n]*'")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_SCALAR = re.compile(rf"(?:{_STRING}|[^,\]}}#\n])+", re.DOTALL)


def places(text: str) -> dict[Path, Position]:
    """Every key, table and element of an array, by its path."""
    return {path: _position(text, at) for path, at in _Walk(text).statements()}


def _position(text: str, at: int) -> Position:
    return Position(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


class _Walk:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._tables: dict[Path, int] = {}
        """How many elements each array of tables has so far."""

    def statements(self) -> Iterator[tuple[Path, int]]:
        table: Path = ()
        self._skip()
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                start, table = self._at, self._header()
                yield table, start
            else:
                yield from self._entry(table)
            self._skip()

    def _header(self) -> Path:
        is_array = self._take("[[")
        if not is_array:
            self._take("[")
        path = self._in_last_elements(self._keys())
        self._skip()
        self._take("]]" if is_array else "]")
        if not is_array:
            return path
        self._tables[path] = self._tables.get(path, -1) + 1
        return (*path, self._tables[path])

    def _in_last_elements(self, keys: Path) -> Path:
        """``[requests.headers]`` after ``[[requests]]`` is about its last element."""
        path: Path = ()
        for number, key in enumerate(keys):
            path = (*path, key)
            if number < len(keys) - 1 and path in self._tables:
                path = (*path, self._tables[path])
        return path

    def _entry(self, table: Path) -> Iterator[tuple[Path, int]]:
        start = self._at
        path = (*table, *self._keys())
        yield path, start
        self._skip()
        self._take("=")
        self._skip()
        yield from self._value(path)

    def _value(self, path: Path) -> Iterator[tuple[Path, int]]:
        if self._take("{"):
            yield from self._elements(path, "}")
        elif self._take("["):
            yield from self._elements(path, "]")
        else:
            self._at = self._match(_SCALAR).end()

    def _elements(self, path: Path, closing: str) -> Iterator[tuple[Path, int]]:
        number = 0
        self._skip()
        while not self._take(closing):
            if closing == "}":
                yield from self._entry(path)
            else:
                yield (*path, number), self._at
                yield from self._value((*path, number))
            number += 1
            self._skip()
            self._take(",")
            self._skip()

    def _keys(self) -> Path:
        self._skip()
        keys = [self._key()]
        while dot := _DOT.match(self._text, self._at):
            self._at = dot.end()
            keys.append(self._key())
        return tuple(keys)

    def _key(self) -> str:
        if quoted := _QUOTED.match(self._text, self._at):
            self._at = quoted.end()
            return str(tomllib.loads(f"key = {quoted[0]}")["key"])
        bare = self._match(_BARE)
        self._at = bare.end()
        return bare[0]

    def _skip(self) -> None:
        self._at = self._match(_SPACE).end()

    def _take(self, text: str) -> bool:
        is_there = self._text.startswith(text, self._at)
        self._at += len(text) * is_there
        return is_there

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        match = pattern.match(self._text, self._at)
        assert match is not None, f"no TOML at {self._at}"
        return match
