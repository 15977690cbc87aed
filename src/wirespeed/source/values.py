"""What edits are made from, and what they come to. Nothing here needs LibCST."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


class Refused(Exception):
    """There is no safe edit. ``reason`` says why, in words that follow "no edit could be made: "."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class FunctionAt:
    """A function of a file: ``line`` is that of its ``def`` or of one of its decorators, from 1 on.

    With a ``name``, a function of another name is not meant.
    """

    line: int
    name: str | None = None


@dataclass(frozen=True)
class CallAt:
    """The call in a file that begins on ``line``, from 1 on."""

    line: int


@dataclass(frozen=True)
class TypeSource:
    """``expression`` means what it says once ``imports`` and ``definitions`` stand above it in its module.

    ``imports`` are whole ``from … import …`` lines; ``definitions`` are classes, each after those it needs.
    """

    expression: str
    imports: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModuleFacts:
    """What a module's text does not tell: its ``package`` is what its relative imports start from."""

    package: str | None = None
    is_package: bool = False
    """Other modules may import from it what it imports."""


@dataclass(frozen=True)
class RouteChange:
    """What was measured of a route, and should now be written down.

    ``options`` names the keywords that its decorator should lose.
    """

    annotation: TypeSource | None = None
    response_class: Literal["keep", "drop", "bytes"] = "keep"
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Diff:
    """A unified diff of one file, with ``a/`` and ``b/`` before its path.

    ``git apply`` and ``patch -p1`` read it in the folder that the path is relative to.
    """

    path: str
    """With forward slashes."""
    text: str
    encoding: str
    """Of the file; a patch on disk must be in it as well."""
    note: str | None = None
    """What else the edit reaches."""

    def to_bytes(self) -> bytes:
        return self.text.encode(self.encoding)


@dataclass(frozen=True)
class NoEdit:
    """No safe edit exists; ``reason`` says why."""

    reason: str
