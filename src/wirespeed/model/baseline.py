"""The ``wirespeed/baseline/1`` document: findings that a team knows of, kept beside the code it is about."""

from __future__ import annotations

from typing import Final, Literal

from ._base import Document

FORMAT: Final = "wirespeed/baseline/1"


class KnownFinding(Document):
    """One finding, without its line, so that an edit above it makes no new one of it."""

    rule: str
    method: str
    path: str
    """The route's path template."""
    file: str | None
    """Where the endpoint's function is, relative to the app's folder; null where that is not known."""

    @property
    def name(self) -> str:
        where = "" if self.file is None else f" ({self.file})"
        return f"{self.rule} on {self.method} {self.path}{where}"


class Baseline(Document):
    format: Literal["wirespeed/baseline/1"] = FORMAT
    findings: tuple[KnownFinding, ...]
    """Sorted, each once."""
