from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value: complete once built, compared by content."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")


class Message(BaseModel):
    """A frozen value that came from another process: fields we do not know yet are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")
