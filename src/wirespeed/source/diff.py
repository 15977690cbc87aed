"""Two texts of one file as a unified diff that ``git apply`` takes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from .file_text import FileText
from .values import Diff


def diff_of(path: str, file: FileText, changed: str, note: str | None = None) -> Diff:
    """``path`` with forward slashes, relative to the folder in which the diff will be applied."""
    before, after = _lines(file.full(file.text)), _lines(file.full(changed))
    # As git does it: with a tab, a name may hold spaces.
    tab = "\t" if " " in path else ""
    lines = difflib.unified_diff(before, after, f"a/{path}{tab}", f"b/{path}{tab}")
    return Diff(path, "".join(_marked(lines)), file.encoding, note)


def _lines(text: str) -> list[str]:
    """Lines as git counts them; ``str.splitlines`` also breaks at form feeds and others."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _marked(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
