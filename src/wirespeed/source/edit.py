"""One edit of one file, as data: what to change, at offsets of the text as it stands.

Edits of the same text can be put together in any order, because none has been carried out: ``rewrite`` does
that for all of them at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from .comma_list import CommaList, Item
from .names import ImportedName
from .values import TypeSource


@dataclass(frozen=True)
class Return:
    """A return type, to be written at ``at``. What it needs must stand before ``above``, a start of line."""

    at: int
    above: int
    type: TypeSource
    """Its imports are only those that the file lacks."""
    taken: frozenset[str]
    """Names that have another meaning there."""
    room: int
    """Blank lines that stand before ``above``."""


@dataclass(frozen=True)
class Drop:
    """An argument that goes, with the names that its value used."""

    listed: CommaList
    item: Item
    names: frozenset[str]


@dataclass(frozen=True)
class Replace:
    """The text from ``start`` to ``end`` gives way to ``text``, whose line ends are ``\\n``.

    ``names`` are those that the old text used, and that may have no other use. With ``end`` at ``start``
    something is put in.
    """

    start: int
    end: int
    text: str = ""
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Placed:
    """A statement of the module's own, to stand before ``above``, a start of line with ``room`` blank lines
    before it. It binds a name that is free in the module.
    """

    above: int
    name: str
    text: str
    room: int


@dataclass(frozen=True)
class Need:
    """An import that must stand before ``above``; what the edit writes relies on its very name."""

    imported: ImportedName
    above: int


@dataclass(frozen=True)
class Edit:
    """``source`` is the text that the offsets are of."""

    source: str
    returns: tuple[Return, ...] = ()
    drops: tuple[Drop, ...] = ()
    replaced: tuple[Replace, ...] = ()
    placed: tuple[Placed, ...] = ()
    needs: tuple[Need, ...] = ()
    note: str | None = None
    """What it reaches beside the function it was made for."""
