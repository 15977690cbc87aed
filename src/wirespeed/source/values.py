"""What edits are made from, and what they come to. Nothing here needs LibCST."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path
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
    response_class: Literal["keep", "drop"] = "keep"
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class RouteEdit:
    """A change of the route whose endpoint is at ``source``, ``users.py:31``.

    ``routes`` is how many routes of the app have their endpoint there.
    """

    change: RouteChange
    source: str
    routes: int = 1


CodeEditKind = Literal[
    "return the value",
    "return instances",
    "async def",
    "def",
    "hoist",
    "discriminator",
    "pure asgi",
    "cache bytes",
    "ready bytes",
]


@dataclass(frozen=True)
class CodeEditAt:
    """An edit of what begins at ``source``: a function, a class, a call.

    ``name`` is that of the function or class where known; for a discriminator that of the field, for ready
    bytes their content type.
    """

    what: CodeEditKind
    source: str
    name: str | None = None


Part = RouteEdit | CodeEditAt


@dataclass(frozen=True)
class EditedFile:
    """One file before and after, as text without its byte order mark; its line ends are kept."""

    path: Path
    """Absolute."""
    before: str
    after: str
    encoding: str
    has_bom: bool = False

    @property
    def bytes_before(self) -> bytes:
        return self._encoded(self.before)

    @property
    def bytes_after(self) -> bytes:
        return self._encoded(self.after)

    def _encoded(self, text: str) -> bytes:
        return (codecs.BOM_UTF8 if self.has_bom else b"") + text.encode(self.encoding)


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
class Written:
    """Several parts as one change of some files, none of which has been touched on disk."""

    files: tuple[EditedFile, ...]
    diffs: tuple[Diff, ...]
    """One for each of the files, in the order of their paths."""
    note: str | None = None
    """What else it reaches."""

    @property
    def diff(self) -> str:
        """One patch, for ``git apply`` or ``patch -p1`` in the folder that it was made for."""
        return "".join(diff.text for diff in self.diffs)

    def to_bytes(self) -> bytes:
        """The patch on disk: each file's part in that file's encoding."""
        return b"".join(diff.to_bytes() for diff in self.diffs)


@dataclass(frozen=True)
class NoEdit:
    """No safe edit exists; ``reason`` says why."""

    reason: str
