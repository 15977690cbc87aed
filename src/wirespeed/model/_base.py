from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from wirespeed.hidden import hide, hides_anything


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
        content = json.dumps(self._told(), ensure_ascii=False, allow_nan=False)
        return content.encode("utf-8", errors="replace")

    def _told(self) -> Any:
        """Without secrets that an app's values, or its errors, may have repeated."""
        content = self.model_dump(mode="json")
        return _hidden_in(content, _words_of(type(self))) if hides_anything() else content


def _hidden_in(value: Any, words: frozenset[str]) -> Any:
    """``words`` stay as they are: a secret that is one of them is not told by it, and documents need them."""
    match value:
        case str():
            return value if value in words else hide(value)
        case list():
            return [_hidden_in(each, words) for each in value]
        case dict():
            return {key: _hidden_in(each, words) for key, each in value.items()}
        case _:
            return value


@cache
def _words_of(document: type[BaseModel]) -> frozenset[str]:
    """What its fields say in words of their own: verdicts, kinds, formats."""
    return frozenset(_words_in(document.model_json_schema()))


def _words_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from (each for each in schema.get("enum", ()) if isinstance(each, str))
        if isinstance(schema.get("const"), str):
            yield schema["const"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for each in schema:
            yield from _words_in(each)
