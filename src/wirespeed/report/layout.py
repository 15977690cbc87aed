"""Lines of styled text: flowing pieces into a width with a hanging indent, and padding columns by cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.text import Text

from .text import Role

_STYLES: dict[Role, str] = {
    "plain": "",
    "strong": "bold",
    "good": "green",
    "warn": "yellow",
    "bad": "red",
    "muted": "dim",
    "code": "cyan",
}
_WORDS = re.compile(r"[A-Z]+ /\S*|\S+(?: (?:%|ns|µs|ms|s|B|kB|MB|GB)(?!\w)\S*)?")
"""A number is never parted from its unit, nor a method from its path."""


def styled(text: str, role: Role = "plain") -> Text:
    # As a span: a style of the whole text would spread to whatever is appended.
    return Text.assemble((text, _STYLES[role]))


def words(text: str, role: Role = "plain") -> list[Text]:
    return [styled(word, role) for word in _WORDS.findall(text)]


def padded(text: Text, width: int) -> Text:
    """Filled up to ``width`` cells: wide characters take two."""
    return text + Text(" " * max(0, width - text.cell_len))


def joined(pieces: Sequence[Text], separator: str) -> Text:
    return Text(separator).join(pieces)


def widest(texts: Iterable[str], limit: int) -> int:
    """Cells that a column needs for all texts that ``limit`` cells can hold."""
    widths = [Text(text).cell_len for text in texts]
    return max((width for width in widths if width <= limit), default=0)


def flow(
    pieces: Sequence[Text], width: int, *, start: Text | None = None, hanging: int = 0, separator: str = " "
) -> list[Text]:
    """Put pieces on lines of at most ``width`` cells; lines after the first are indented by ``hanging``.

    ``start`` opens the first line. Breaks fall between pieces, and within a piece only where no line could
    hold it; a single word that is too long is left to the terminal.
    """
    line, filled = (start or Text()).copy(), False
    lines = []
    for between, piece in _breakable(pieces, width - hanging, separator):
        if line.cell_len + len(between) * filled + piece.cell_len > width and line.plain.strip():
            line.rstrip()
            lines.append(line)
            line, filled = Text(" " * hanging), False
        line = line + (between if filled else "") + piece
        filled = True
    return [*lines, line]


def _breakable(pieces: Sequence[Text], room: int, separator: str) -> Iterable[tuple[str, Text]]:
    for piece in pieces:
        if piece.cell_len <= room:
            yield separator, piece
            continue
        between = separator
        for match in _WORDS.finditer(piece.plain):
            yield between, piece[match.start() : match.end()]
            between = " "
