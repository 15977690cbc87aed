from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value: complete once built, compared by content."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")


class Message(BaseModel):
    """A frozen value that came from another process: fields we do not know yet are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Document(BaseModel):
    """A frozen part of a saved document, described by its attribute docstrings in the published JSON Schema.

    Fields we do not know are ignored: a document may gain fields without a new format number.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)

    def to_json(self) -> bytes:
        """UTF-8 JSON that every parser reads: NaN and infinities become null, lone surrogates ``?``.

        Pydantic's own ``model_dump_json`` refuses lone surrogates, and an app's values may hold them.
        """
        content = json.dumps(self.model_dump(mode="json"), ensure_ascii=False, allow_nan=False)
        return content.encode("utf-8", errors="replace")
