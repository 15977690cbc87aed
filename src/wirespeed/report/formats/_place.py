"""Where an endpoint stands, as programs that know nothing but the repository name it."""

from __future__ import annotations

import os.path
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

_SOURCE = re.compile(r"(?P<file>.+?):(?P<line>[0-9]{1,9})", re.DOTALL)
_INSTALLED = {"site-packages", "dist-packages"}


@dataclass(frozen=True, slots=True)
class Place:
    file: PurePosixPath
    """Relative to the root of the repository, and below it."""
    line: int
    """From 1 on."""

    @property
    def uri(self) -> str:
        """A relative reference (RFC 3986): everything but its slashes and the unreserved is encoded."""
        return quote(str(self.file), safe="/", errors="replace")


@dataclass(frozen=True, slots=True)
class Checkout:
    """The repository's root and the app's folder, both absolute."""

    root: str
    folder: str

    def place(self, source: str | None) -> Place | None:
        """Of a ``file.py:31`` that is relative to the app's folder, or absolute.

        None for what is no file of the repository: outside it, or a package installed in it. Names with
        characters that cannot be seen are nobody's.
        """
        match = _SOURCE.fullmatch(source or "")
        if match is None or not match["file"].isprintable() or int(match["line"]) < 1:
            return None
        # Not resolved: what a link leads to is for the file system to know.
        file = PurePosixPath(os.path.normpath(os.path.join(self.folder, match["file"])))  # noqa: PTH118
        if not file.is_relative_to(self.root) or _INSTALLED & set(file.parts):
            return None
        return Place(file.relative_to(self.root), int(match["line"]))
