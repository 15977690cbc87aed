"""Path templates as Starlette reads them: ``/files/{name:path}`` to paths, and paths back to templates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote

PATH_SAFE = "!$&'()*+,;=:@"
"""What RFC 3986 allows in a path segment beside unreserved characters."""

_PARAMETER = re.compile(r"\{(\w+)(?::(\w+))?\}")

_CONVERTERS = {
    "str": "[^/]+",
    "path": ".*",
    "int": "[0-9]+",
    "float": r"[0-9]+(?:\.[0-9]+)?",
    "uuid": "[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}",
}
_ANYTHING = ".+"
"""For converters that an app registered: their patterns are known only to its process."""


class Parameter(NamedTuple):
    name: str
    converter: str


def parameters(template: str) -> Iterator[Parameter]:
    """The parameters of a path template, from left to right."""
    for name, converter in _PARAMETER.findall(template):
        yield Parameter(name, converter or "str")


def matches(template: str, target: str) -> bool:
    """Whether a route with this template takes the request target (encoded path, with or without query)."""
    return _pattern(template).fullmatch(unquote(target.partition("?")[0])) is not None


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its values put in, percent-encoded; parameters without a value stay as ``{name}``."""
    filled, end = [], 0
    for match in _PARAMETER.finditer(template):
        filled.append(quote(template[end : match.start()], safe=PATH_SAFE + "/"))
        name, converter = match.groups()
        slash = "/" if converter == "path" else ""
        filled.append(quote(values[name], safe=PATH_SAFE + slash) if name in values else f"{{{name}}}")
        end = match.end()
    return "".join([*filled, quote(template[end:], safe=PATH_SAFE + "/")])


def shape(template: str) -> str:
    """The template without the names of its parameters: two routes of one shape take the same paths."""
    return _PARAMETER.sub(lambda match: f"{{{match[2] or 'str'}}}", template)


@lru_cache(maxsize=4096)
def _pattern(template: str) -> re.Pattern[str]:
    parts, end = [], 0
    for match in _PARAMETER.finditer(template):
        converter = _CONVERTERS.get(match[2] or "str", _ANYTHING)
        parts += [re.escape(template[end : match.start()]), f"(?:{converter})"]
        end = match.end()
    return re.compile("".join([*parts, re.escape(template[end:])]), re.DOTALL)
