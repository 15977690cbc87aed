"""Text of unknown origin in GitHub's Markdown: what it says must show, and nothing of it may act.

Backslashes disarm Markdown, entities disarm HTML. Mentions, references to issues and links are made from the
rendered text, where no escape is left to see: there a space of no width parts what would be read as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NO_WIDTH = "\u200b"
_MARKER_WIDTH = 100
_SPECIAL = re.compile(r"[\\`*_{}\[\]()~!]")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"})
"""A bar would part the cells of a table, even in code and, after a backslash, even behind a backslash."""
_AUTOMATIC = re.compile(r"@(?=\S)|#(?=\d)|\bGH-(?=\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
_BLOCK_START = re.compile(r"\d*(?=[-+.](?:\s|$)|#)")
_NOT_IN_PLAIN_CODE = frozenset("`|\\\n")
_QUOTED = re.compile(r"`([^`]+)`")


def escaped(text: str) -> str:
    """One line that reads as ``text``, in a paragraph, a list or a table."""
    text = _AUTOMATIC.sub(lambda match: match[0] + _NO_WIDTH, text)
    text = _SPECIAL.sub(r"\\\g<0>", text.translate(_ENTITIES))
    # Between two dollar signs GitHub sets formulas, and a backslash does not stop it.
    text = text.replace("$", "<span>$</span>")
    start = _BLOCK_START.match(text)
    return text if start is None else f"{text[: start.end()]}\\{text[start.end() :]}"


def prose(text: str) -> str:
    """A sentence in which what stands between backticks is code."""
    parts = _QUOTED.split(text)
    return "".join(code(part) if number % 2 else escaped(part) for number, part in enumerate(parts))


def code(text: str) -> str:
    """``text`` as code; nothing where there is none to see."""
    if not text.strip():
        return ""
    if _NOT_IN_PLAIN_CODE.isdisjoint(text):
        return f"`{text}`"
    return f"<code>{escaped(text)}</code>"


def fenced(lines: Sequence[str], language: str = "") -> str:
    """A block of code, behind a fence longer than any in it."""
    longest = max((len(run) for line in lines for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([fence + language, *lines, fence])


def row(cells: Iterable[str]) -> str:
    """A row of a table, of cells that are escaped."""
    return f"| {' | '.join(cells)} |"


def table_head(titles: Sequence[str]) -> str:
    return f"{row(titles)}\n{row(['---'] * len(titles))}"


def item(text: str, *children: str) -> str:
    """An item of a list, with whole blocks below it."""
    below = "\n".join(children)
    return f"- {text}" + "".join(f"\n  {line}".rstrip(" ") for line in below.splitlines())


def marker(*names: str) -> str:
    """A comment nobody sees, by which a bot finds what it wrote: ``<!-- wirespeed:guard a:app -->``.

    It must read the same every time, so whatever could end it early, or make it long, is left out.
    """
    safe = (re.sub(r"[^\w.:/()-]+", "_", name, flags=re.ASCII)[:_MARKER_WIDTH] for name in names)
    return f"<!-- wirespeed:{' '.join(safe)} -->"
