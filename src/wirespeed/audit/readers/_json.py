"""JSON from nobody knows where: parsed within bounds, and asked for fields that may be of any type."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

from ._reader import NotReadable

Fields: TypeAlias = dict[str, Any]


def parse(text: str) -> Fields:
    """The object that the text is. Raises ``NotReadable``."""
    if isinstance(parsed := _parsed(text), str):
        raise NotReadable(parsed)
    return parsed


def looks_like(text: str, *keys: str) -> bool:
    """Whether the text is meant to be an object with these keys at its top, even if it is cut off."""
    if not text.lstrip().startswith("{"):
        return False
    parsed = _parsed(text)
    if isinstance(parsed, str):
        return all(f'"{key}"' in text for key in keys)
    return all(key in parsed for key in keys)


def part(fields: Fields, *path: str) -> Fields:
    """The object at ``path``, empty where there is none."""
    for key in path:
        value = fields.get(key)
        fields = value if isinstance(value, dict) else {}
    return fields


def text_of(fields: Fields, key: str) -> str | None:
    value = fields.get(key)
    return value if isinstance(value, str) and value else None


def pairs(fields: Fields) -> Iterator[tuple[str, Any]]:
    yield from fields.items()


@lru_cache(maxsize=1)
def _parsed(text: str) -> Fields | str:
    """The object, or what is wrong. Kept for the next reader that looks at the same text."""
    try:
        found = json.loads(text, parse_constant=lambda _: None)
    except RecursionError:
        return "it is nested too deeply"
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or "Unterminated string" in error.msg:
            return "it is cut off: the JSON has no end"
        return f"it is no JSON: {error.msg} in line {error.lineno}"
    except ValueError:
        return "it holds a number that is too long"
    return found if isinstance(found, dict) else "its JSON is no object"
