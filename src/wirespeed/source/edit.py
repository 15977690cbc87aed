"""One edit of one file, as data: what to change, at offsets of the text as it stands.

Edits of the same text can be put together in any order, because none has been carried out: ``rewrite`` does
that for all of them at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from .comma_list import CommaList, Item
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
class Edit:
    """``source`` is the text that the offsets are of."""

    source: str
    returns: tuple[Return, ...] = ()
    drops: tuple[Drop, ...] = ()
    note: str | None = None
    """What it reaches beside the function it was made for."""
