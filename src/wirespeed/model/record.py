"""The ``wirespeed/record/1`` document: a published document with the raw numbers it was derived from."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator

from ._base import Document
from .advice import Advice
from .bisection import Bisection
from .comparison import Comparison
from .guard import Guard
from .load import Load
from .replication import Replication

FORMAT: Final = "wirespeed/record/1"


class Record(Document):
    format: Literal["wirespeed/record/1"] = FORMAT
    kind: Literal["advice", "load", "comparison", "replication", "bisection", "guard"] = "advice"
    document: Annotated[
        Advice | Load | Comparison | Replication | Bisection | Guard, Field(discriminator="format")
    ]
    evidence: dict[str, Any] = Field(default_factory=dict)
    """What the experiment measured, round by round, in the shape it chose; JSON values only."""

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if self.document.format.split("/")[1] != self.kind:
            raise ValueError(f"a record of kind {self.kind} cannot hold a {self.document.format}")
        return self
