from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wirespeed.model._base import Document

from ._place import Checkout


@dataclass(frozen=True, slots=True)
class Setting:
    """What a text about a document depends on beside the document. Pure values."""

    checkout: Checkout
    failing: tuple[str, ...] = ()
    """Codes of rules, or their beginnings, whose recommended remedies fail a check: ``--fail-on``."""


View = Callable[[Any, Setting], str]
"""From a document of one kind to text. Pure; the document is untrusted."""


@dataclass(frozen=True, slots=True)
class Host:
    """A CI system that takes a report without being told a file."""

    variable: str
    """The environment variable that names a file, to which ``views`` of the document are appended."""
    views: Mapping[type[Document], View]


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write saved documents for another program."""

    name: str
    """As ``--report`` and ``--format`` take it."""
    describes: str
    """One sentence."""
    views: Mapping[type[Document], View] = field(repr=False)
    """By the kinds of documents that it can render."""
    host: Host | None = None
    """Who else gets something when no file is named: the text goes to stdout then. None: a file is needed."""
