from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from wirespeed.model.audit import ToolRun


class NotReadable(Exception):
    """The text is of this format, but not whole or not sound; says what is missing."""


def refuse_several(text: str, line: str) -> None:
    """Raises ``NotReadable`` where a line that every run has once, told by its beginning, comes again."""
    runs = len(re.findall(rf"^{line}", text, re.MULTILINE))
    if runs > 1:
        raise NotReadable(f"it holds {runs} runs; put each in a file of its own")


@dataclass(frozen=True, slots=True)
class Reader:
    """One format of one tool. Pure."""

    name: str
    """As ``--format`` takes it."""
    describes: str
    recognises: Callable[[str], bool]
    """Whether a text looks like it; at most one reader may say yes."""
    read: Callable[[str], ToolRun]
    """Raises ``NotReadable``."""
    most_bytes: int
    """Larger texts are no output of this kind."""


TEXT_BYTES = 4 * 2**20
"""Summaries have a few kilobytes; error messages can make them longer."""
JSON_BYTES = 4 * 2**20
"""JSON takes tens of times its size once parsed."""
