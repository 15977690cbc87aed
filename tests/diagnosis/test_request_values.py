"""What is sent where nobody named a value."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.diagnosis.request_values import (
    declared_value,
    offered_value,
    sample_value,
    smallest_value,
    texts,
)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 0}, 1),
        ({"type": "integer", "minimum": 10}, 10),
        ({"type": "integer", "exclusiveMinimum": 10}, 11),
        ({"type": "integer", "maximum": 0}, 0),
        ({"type": "integer", "exclusiveMaximum": -3}, -4),
        ({"type": "integer", "multipleOf": 5}, 5),
        ({"type": "integer", "minimum": 11, "multipleOf": 5}, 15),
        ({"type": "integer", "minimum": 2.5}, 3),
        ({"type": "number"}, 1),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5),
        ({"type": "number", "minimum": 1.25, "multipleOf": 0.1}, 1.3),
        ({"type": "boolean"}, False),
        ({"type": "string"}, "1"),
        ({"type": "string", "minLength": 4}, "1111"),
        ({"type": "string", "pattern": "^(asc|desc)$"}, "asc"),
        ({"type": "string", "pattern": "^[0-9]{4}$"}, "1111"),
        ({"type": "string", "pattern": "^[A-Z]{3}$"}, "AAA"),
        ({"type": "string", "pattern": "^[0-9a-f]{40}$"}, "1" * 40),
        ({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}, "2000-01-01"),
        ({"type": "string", "format": "date"}, "2000-01-01"),
        ({"type": "string", "format": "email"}, "a@example.com"),
        ({"enum": ["x", "y"]}, "x"),
        ({"const": 7}, 7),
        ({"type": ["null", "integer"]}, 1),
        ({"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 3}]}, 3),
        ({"anyOf": [{"type": "object", "properties": {}}, {"type": "boolean"}]}, False),
        ({"oneOf": [{"const": None}, {"enum": [None, "z"]}]}, "z"),
        ({"allOf": [{"type": "string", "enum": ["v1"]}], "title": "Version"}, "v1"),
        ({"type": "array", "items": {"type": "integer"}}, [1]),
        ({"type": "array", "items": {"type": "string"}, "minItems": 2}, ["1", "1"]),
        (
            {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 2, "uniqueItems": True},
            ["a", "b"],
        ),
        ({"type": "array", "prefixItems": [{"type": "number"}, {"type": "boolean"}]}, [1, False]),
        ({}, "1"),
    ],
)
def test_the_smallest_valid_value_is_sent(schema: dict[str, Any], value: object) -> None:
    built = smallest_value(schema)

    assert built == value
    assert type(built) is type(value)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "null"},
        {"type": "object"},
        {"properties": {"a": {}}},
        {"enum": []},
        {"type": "integer", "minimum": 5, "maximum": 4},
        {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
        {"type": "integer", "minimum": 1, "maximum": 2, "multipleOf": 7},
        {"type": "string", "pattern": "^(?=.*[!?])(?=.*[a-z]).+$"},
        {"type": "string", "pattern": "(unreadable"},
        {"type": "string", "maxLength": 0},
        {"type": "string", "format": "date", "maxLength": 4},
        {"type": "string", "format": "uri"},
        {"type": "array", "items": {"type": "object"}},
        {"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": True},
        {"type": "array", "items": {"type": "string"}, "maxItems": 0},
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "object"}]},
    ],
)
def test_what_cannot_be_built_is_not_made_up(schema: dict[str, Any]) -> None:
    assert smallest_value(schema) is None


@given(
    low=st.integers(-1000, 1000) | st.none(),
    width=st.integers(0, 50),
    step=st.integers(1, 9),
    exclusive=st.booleans(),
)
def test_every_number_built_is_allowed_and_none_is_missed(
    low: int | None, width: int, step: int, exclusive: bool
) -> None:
    keyword = "exclusiveMinimum" if exclusive else "minimum"
    schema: dict[str, Any] = {"type": "integer", "multipleOf": step}
    if low is not None:
        schema |= {keyword: low, "maximum": low + width}
    start = -2000 if low is None else low + exclusive
    allowed = [n for n in range(start, 2000 if low is None else low + width + 1) if n % step == 0]

    built = smallest_value(schema)

    assert (built in allowed) if allowed else built is None


@given(st.integers(1, 8))
def test_a_uuid_has_the_version_its_format_asks_for(version: int) -> None:
    value = smallest_value({"type": "string", "format": f"uuid{version}"})

    assert re.fullmatch(
        rf"[0-9a-f]{{8}}-[0-9a-f]{{4}}-{version}[0-9a-f]{{3}}-[89ab][0-9a-f]{{3}}-[0-9a-f]{{12}}", value
    )


@pytest.mark.parametrize(
    "parameter",
    [
        {"example": 42, "schema": {"type": "integer"}},
        {"examples": {"a": {"summary": "no value"}, "b": {"value": 42}}, "schema": {"default": 1}},
        {"schema": {"examples": [42, 43], "default": 1}},
        {"schema": {"example": 42, "enum": [1, 42]}},
    ],
)
def test_an_example_of_the_documentation_comes_first(parameter: dict[str, Any]) -> None:
    assert offered_value(parameter) == declared_value(parameter) == sample_value(parameter) == 42


@pytest.mark.parametrize(
    "parameter",
    [
        {"examples": {"none": {"value": None}, "one band": {"value": [1]}}},
        {"schema": {"examples": [None, 1]}},
    ],
)
def test_a_parameter_whose_first_example_is_null_is_left_out(parameter: dict[str, Any]) -> None:
    assert offered_value(parameter) is None


def test_a_default_comes_before_the_smallest_value() -> None:
    parameter = {"schema": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 20}}

    assert offered_value(parameter) is None
    assert sample_value(parameter) == 20


def test_falsehoods_are_values_too() -> None:
    assert offered_value({"example": False}) is False
    assert sample_value({"schema": {"type": "integer", "default": 0}}) == 0


def test_an_enumeration_inside_an_optional_type_is_declared() -> None:
    assert declared_value({"schema": {"anyOf": [{"enum": ["eu", "us"]}, {"type": "null"}]}}) == "eu"
    assert declared_value({"schema": {"type": "string"}}) is None


def test_values_are_written_as_urls_write_them() -> None:
    assert texts(True) == ("true",)
    assert texts(1.5) == ("1.5",)
    assert texts(["a", 2]) == ("a", "2")
    assert texts({"a": 1}) is None
    assert texts([{"a": 1}]) is None
    assert texts([]) is None
    assert texts(None) is None
