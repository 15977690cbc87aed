"""One value of the configuration file, and where it stands, so that every complaint can point at it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from wirespeed.cli import toml_places
from wirespeed.cli.toml_places import Position
from wirespeed.errors import UsageError

NAME = "wirespeed"
TABLE: toml_places.Path = ("tool", NAME)

_SPELLED = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "an array"}


@dataclass(frozen=True)
class Source:
    """The file, and the positions of its keys."""

    file: Path
    places: Mapping[toml_places.Path, Position]

    def position(self, path: toml_places.Path) -> Position:
        """Of a table that is named only with its keys (``[a.b.c]``, ``b.c = 1``), the first of them."""
        if path in self.places:
            return self.places[path]
        return next((at for other, at in self.places.items() if other[: len(path)] == path), Position(1, 1))


@dataclass(frozen=True)
class Node:
    source: Source
    path: toml_places.Path
    raw: Any

    @property
    def name(self) -> str:
        """As messages call it, below ``[tool.wirespeed]``: ``guard.max-slowdown``, ``requests[0].get``."""
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path[len(TABLE) :])
        return "".join(steps).removeprefix(".")

    @property
    def place(self) -> str:
        """``pyproject.toml:12:1``; the file as seen from the working directory, where it lies below it."""
        line, column = self.source.position(self.path)
        return f"{shown(self.source.file)}:{line}:{column}"

    def table(self, wanted: str) -> dict[str, Node]:
        if not isinstance(self.raw, dict):
            raise self.refuse(wanted)
        return {key: Node(self.source, (*self.path, key), raw) for key, raw in self.raw.items()}

    def elements(self, wanted: str) -> Iterator[Node]:
        if not isinstance(self.raw, list):
            raise self.refuse(wanted)
        return (Node(self.source, (*self.path, number), raw) for number, raw in enumerate(self.raw))

    def text(self, wanted: str) -> str:
        if not isinstance(self.raw, str):
            raise self.refuse(wanted)
        return self.raw

    def refuse(self, wanted: str) -> UsageError:
        """The complaint about a value of the wrong type. Says what is there, and never what it is."""
        found = "a table" if isinstance(self.raw, dict) else _SPELLED.get(type(self.raw), "a date")
        return self.complaint(f"{self.name} is {found}", f"It should be {wanted}.")

    def complaint(self, message: str, advice: str | None = None) -> UsageError:
        return UsageError(f"{self.place}: {message}", advice=advice)

    def unknown(self, known: Iterable[str]) -> UsageError:
        """The complaint about a key that means nothing here."""
        names = sorted(known)
        close = get_close_matches(str(self.path[-1]), names, n=1)
        advice = f"Did you mean {close[0]}?" if close else f"There is {', '.join(names)}."
        return self.complaint(f"there is no key {self.name}", advice)


def shown(file: Path) -> str:
    relative = os.path.relpath(file)
    return str(file) if relative.startswith(os.pardir) else relative
