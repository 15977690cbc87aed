"""Text with roles, and the cleaning of text that came from the app under study.

Paths, values, notes and tracebacks are untrusted: an escape sequence in one could move the cursor, rename the
window or hide a line. Everything that reaches a ``Span`` from a document goes through ``clean`` first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from wirespeed.hidden import hide

Role = Literal["plain", "strong", "good", "warn", "bad", "muted", "code"]

_ESCAPE_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, …: titles, links
    r"|\x1b[ -/]*[0-~]"  # everything shorter
)
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, bidirectional overrides, lone surrogates
_JOINERS = "\u200c\u200d"  # format characters that scripts and emoji need


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of one line, already rounded, cleaned and worded."""

    text: str
    role: Role = "plain"


def clean(text: str) -> str:
    """One printable line: no secrets, escape sequences or invisible characters, white space collapsed."""
    return " ".join(_visible(_ESCAPE_SEQUENCES.sub("", hide(text))).split())


def clean_lines(text: str) -> list[str]:
    """Printable lines that keep their indentation, for source code and diffs."""
    text = _ESCAPE_SEQUENCES.sub("", hide(text).expandtabs(4))
    return [_visible(line).rstrip() for line in text.splitlines()]


def abbreviated(text: str, limit: int) -> str:
    """At most ``limit`` characters, the middle left out: both ends of a path or value tell the most."""
    if len(text) <= limit:
        return text
    head = limit // 2
    return f"{text[:head]}…{text[head + 1 - limit :]}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 remedy``, ``2 remedies``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def listed(words: Iterable[str]) -> str:
    return ", ".join(words)


def _visible(text: str) -> str:
    return "".join(c if c in _JOINERS else _visible_character(c) for c in text)


def _visible_character(character: str) -> str:
    if character.isspace():
        return " "
    return "" if unicodedata.category(character) in _INVISIBLE else character
