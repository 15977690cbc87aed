"""Making Markdown fit where only so many characters are taken: what matters stays, what is cut is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.report.text import counted, listed

COMMENT_LIMIT = 65_536
"""What a comment on GitHub may have."""
_FOR_THE_SENTENCE = 400


@dataclass(frozen=True, slots=True)
class Section:
    """Pieces that can be left out one by one; without any, nothing of it is shown."""

    noun: str
    pieces: tuple[str, ...]
    """Whole lines."""
    opening: str = ""
    closing: str = ""


def fitted(
    head: str, sections: Sequence[Section], foot: str, advice: str, *, limit: int = COMMENT_LIMIT
) -> str:
    """``head``, as many pieces as fit in their order, ``foot``; where some are left out, a sentence says so.

    ``advice`` says where to find them. Head and foot must be short.
    """
    room = limit - _length(head) - _length(foot) - _FOR_THE_SENTENCE
    parts, missing = [head], []
    for section in sections:
        chosen = _chosen(section, room)
        if left_out := len(section.pieces) - len(chosen):
            missing.append(f"{left_out} of {counted(len(section.pieces), section.noun)}")
        if chosen:
            text = "\n".join(_framed(section, chosen))
            room -= _length(text) + 2
            parts.append(text)
    if missing:
        parts.append(f"Left out, as there is no room: {listed(missing)}. {advice}")
    return "\n\n".join(part for part in [*parts, foot] if part) + "\n"


def _chosen(section: Section, room: int) -> list[str]:
    """The first ones that fit; one that is too long does not keep shorter ones out."""
    room -= _length(section.opening) + _length(section.closing) + 8
    chosen = []
    for piece in section.pieces:
        if _length(piece) + 1 <= room:
            room -= _length(piece) + 1
            chosen.append(piece)
    return chosen


def _framed(section: Section, chosen: Sequence[str]) -> Iterator[str]:
    if section.opening:
        yield section.opening
    yield from chosen
    if section.closing:
        yield f"\n{section.closing}"


def _length(text: str) -> int:
    """In the units that limits are checked in where texts are JavaScript's: some characters count twice."""
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2
