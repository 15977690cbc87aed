"""Values for OpenAPI parameters: what the documentation offers, else the smallest value its schema allows.

Every kind of schema offers candidates, best first, and keeps those its own keywords allow; the first one
wins. That keeps "smallest" and "valid" apart: a new keyword is one more check, not one more way to construct
values. References are resolved already. Null is never a value here: no URL and no header can carry it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

Schema = Mapping[str, Any]

FORMATS = {
    "date": "2000-01-01",
    "date-time": "2000-01-01T00:00:00Z",
    "time": "00:00:00",
    "duration": "PT1S",
    "email": "a@example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
    **{f"uuid{version}": f"00000000-0000-{version}000-8000-000000000000" for version in range(1, 9)},
}
FREE_FORMATS = frozenset({"password"})
"""Formats that allow any text. A format in neither table (a host, a URL, a file) is not made up."""

EXTRA_LENGTHS = 12
"""How much longer than the minimum a text may get in search of its pattern: some regexes explode on more."""


def offered_value(parameter: Mapping[str, Any]) -> Any | None:
    """The example the documentation gives for a parameter, or None.

    Of several, the first counts, as in Swagger UI: an author who puts null first means to leave it out.
    """
    named = parameter.get("examples")
    values = named.values() if isinstance(named, Mapping) else ()
    first = next((entry["value"] for entry in values if "value" in entry), None)
    return _first([parameter.get("example"), first, *_examples(parameter.get("schema") or {})])


def declared_value(parameter: Mapping[str, Any]) -> Any | None:
    """Example, else default, else a value of an enumeration; None where the documentation names no value."""
    offered = offered_value(parameter)
    return _first(_declared(parameter.get("schema") or {})) if offered is None else offered


def sample_value(parameter: Mapping[str, Any]) -> Any | None:
    """The declared value, else the smallest valid one; None where none can be built."""
    declared = declared_value(parameter)
    return smallest_value(parameter.get("schema") or {}) if declared is None else declared


def smallest_value(schema: Schema) -> Any | None:
    """The smallest value that ``schema`` allows, None if none can be built.

    Numbers start at 1 and texts at one character where they may: 0 and the empty text seldom name anything.
    """
    return _first(_candidates(schema))


def texts(value: object) -> tuple[str, ...] | None:
    """``value`` as URLs and headers write it, one text an item of a list; None for what they cannot carry."""
    if isinstance(value, list | tuple):
        items = [texts(item) for item in value]
        flat = [item[0] for item in items if item is not None and len(item) == 1]
        return tuple(flat) if flat and len(flat) == len(items) else None
    if isinstance(value, bool):
        return ("true" if value else "false",)
    return (str(value),) if isinstance(value, str | int | float) else None


def _first(values: Iterable[Any]) -> Any | None:
    return next((value for value in values if value is not None), None)


def _examples(schema: Schema) -> list[Any]:
    several = schema.get("examples")
    return [schema.get("example"), *(several[:1] if isinstance(several, list) else ())]


def _declared(schema: Schema) -> Iterator[Any]:
    yield from _examples(schema)
    yield schema.get("default")
    yield schema.get("const")
    yield from schema.get("enum") or ()
    for alternative in _alternatives(schema):
        yield from _declared(alternative)


def _alternatives(schema: Schema) -> Sequence[Schema]:
    return schema.get("anyOf") or schema.get("oneOf") or ()


def _candidates(schema: Schema) -> Iterator[Any]:
    if parts := schema.get("allOf"):
        schema = {**{key: value for key, value in schema.items() if key != "allOf"}, **_merged(parts)}
    if "const" in schema:
        yield schema["const"]
    elif "enum" in schema:
        yield from schema["enum"]
    elif alternatives := _alternatives(schema):
        for alternative in alternatives:
            yield from _candidates(alternative)
    else:
        for kind in _types(schema):
            yield from _of_type(kind, schema)


def _merged(parts: Iterable[Schema]) -> dict[str, Any]:
    return {key: value for part in parts for key, value in part.items()}


def _types(schema: Schema) -> list[str]:
    kind = schema.get("type")
    if kind is None:
        return ["object"] if "properties" in schema else ["string"]
    return [kind] if isinstance(kind, str) else list(kind)


def _of_type(kind: str, schema: Schema) -> Iterator[Any]:
    if kind == "boolean":
        yield from (False, True)
    elif kind == "integer":
        yield from _numbers(schema, whole=True)
    elif kind == "number":
        yield from _numbers(schema, whole=False)
    elif kind == "string":
        yield from _strings(schema)
    elif kind == "array":
        yield from _arrays(schema)


def _numbers(schema: Schema, *, whole: bool) -> Iterator[int | float]:
    step = _fraction(schema.get("multipleOf")) or (Fraction(1) if whole else None)
    for start in _starts(schema):
        near = (start,) if step is None else (math.ceil(start / step) * step, math.floor(start / step) * step)
        for number in near:
            if _in_range(number, schema) and (number.denominator == 1 or not whole):
                yield number.numerator if number.denominator == 1 else float(number)


def _starts(schema: Schema) -> Iterator[Fraction]:
    keywords = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
    bounds = [bound for keyword in keywords if (bound := _fraction(schema.get(keyword))) is not None]
    yield from (Fraction(1), Fraction(0))
    for bound in bounds:
        yield from (bound, bound + 1, bound - 1)
    if bounds:
        yield sum(bounds, Fraction()) / len(bounds)


def _fraction(number: object) -> Fraction | None:
    """Exact, and as the schema's author wrote it: 0.1 is a tenth here."""
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        return None
    return Fraction(str(number))


def _in_range(number: Fraction, schema: Schema) -> bool:
    low, above = _fraction(schema.get("minimum")), _fraction(schema.get("exclusiveMinimum"))
    high, below = _fraction(schema.get("maximum")), _fraction(schema.get("exclusiveMaximum"))
    return (
        (low is None or number >= low)
        and (above is None or number > above)
        and (high is None or number <= high)
        and (below is None or number < below)
    )


def _strings(schema: Schema) -> Iterator[str]:
    shortest, longest = schema.get("minLength") or 0, schema.get("maxLength", math.inf)
    for text in _texts_to_try(schema, max(1, shortest)):
        if shortest <= len(text) <= longest and _fits_pattern(text, schema.get("pattern")):
            yield text


def _texts_to_try(schema: Schema, shortest: int) -> Iterator[str]:
    kind, pattern = schema.get("format"), schema.get("pattern")
    if kind in FORMATS:
        yield FORMATS[kind]
    elif kind is None or kind in FREE_FORMATS:
        if pattern is None:
            yield "1" * shortest
        else:
            yield from _texts_for_pattern(pattern, shortest)


def _texts_for_pattern(pattern: str, shortest: int) -> Iterator[str]:
    """Words the pattern spells out (``^(asc|desc)$``), runs of one character, dates and the like."""
    yield from re.findall(r"(?<!\\)\b\w[\w-]*", pattern)
    lengths = [*range(shortest, shortest + EXTRA_LENGTHS), *map(int, re.findall(r"\{(\d{1,3})[,}]", pattern))]
    for length in lengths:
        yield from ("1" * length, "a" * length, "A" * length)
    yield from FORMATS.values()


def _fits_pattern(text: str, pattern: str | None) -> bool:
    """Patterns are of another dialect (ECMAScript, Rust): one that Python cannot read fits nothing."""
    try:
        return pattern is None or re.search(pattern, text) is not None
    except re.error:
        return False


def _arrays(schema: Schema) -> Iterator[list[Any]]:
    """At least one item: a list without any looks like a parameter that is missing."""
    if parts := schema.get("prefixItems"):
        items = [smallest_value(part) for part in parts]
        if None not in items:
            yield items
        return
    count = max(1, schema.get("minItems") or 0)
    found = (value for value in _candidates(schema.get("items") or {}) if value is not None)
    if schema.get("uniqueItems"):
        items = list(islice(_distinct(found), count))
    else:
        items = list(islice(found, 1)) * count
    if len(items) == count <= schema.get("maxItems", math.inf):
        yield items


def _distinct(values: Iterable[Any]) -> Iterator[Any]:
    seen: list[Any] = []
    for value in values:
        if value not in seen:
            seen.append(value)
            yield value
