"""The ``wirespeed/record/1`` document: a published document with the raw numbers it was derived from."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from ._base import Document
from .advice import Advice

FORMAT: Final = "wirespeed/record/1"


class Record(Document):
    format: Literal["wirespeed/record/1"] = FORMAT
    kind: Literal["advice"] = "advice"
    document: Advice
    evidence: dict[str, Any] = Field(default_factory=dict)
    """What the experiment measured, round by round, in the shape it chose; JSON values only."""
