"""What readers of saved documents rely on: the published sample, round trips, and the committed schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from wirespeed.model.advice import Advice
from wirespeed.model.record import Record
from wirespeed.model.schemas import DOCUMENTS, schema, write

TESTS = Path(__file__).parents[1]
SAMPLE = (TESTS / "data" / "advice.json").read_text(encoding="utf-8")
SCHEMAS = TESTS.parent / "docs" / "schemas"


def sample() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(SAMPLE)
    return document


def is_kept(expected: object, actual: object) -> bool:
    """Everything in ``expected`` stands in ``actual`` unchanged; ``actual`` may say more."""
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(
            k in actual and is_kept(v, actual[k]) for k, v in expected.items()
        )
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(expected) != len(actual):
            return False
        return all(is_kept(*pair) for pair in zip(expected, actual, strict=True))
    return expected == actual


def test_the_published_sample_is_read_as_it_stands() -> None:
    advice = Advice.model_validate_json(SAMPLE)
    assert advice.endpoints[0].arms[1].differences[0].at == "$[3].when"


def test_no_name_value_or_unit_of_the_published_sample_changes_on_the_way_through() -> None:
    written = Advice.model_validate_json(SAMPLE).model_dump_json()
    assert is_kept(sample(), json.loads(written))


def test_advice_and_records_survive_a_round_trip() -> None:
    advice = Advice.model_validate_json(SAMPLE)
    assert Advice.model_validate_json(advice.model_dump_json()) == advice
    record = Record(document=advice, evidence={"rounds": [{"GET /untyped": [6.31e6, 6.29e6]}]})
    assert Record.model_validate_json(record.model_dump_json()) == record


def test_fields_of_a_later_version_are_ignored() -> None:
    document = sample()
    document["mood"] = "good"
    document["endpoints"][0]["arms"][0]["whole"]["p_value"] = 0.001
    document["skipped"][0]["since"] = "0.9"
    assert Advice.model_validate(document) == Advice.model_validate_json(SAMPLE)


def test_a_document_of_another_format_is_refused() -> None:
    with pytest.raises(ValidationError):
        Advice.model_validate(sample() | {"format": "wirespeed/advice/2"})


def test_a_time_without_its_zone_is_refused() -> None:
    with pytest.raises(ValidationError):
        Advice.model_validate(sample() | {"created": "2026-11-30T12:00:00"})


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_committed_schema_is_current(name: str) -> None:
    committed = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    assert committed == schema(name), "run: python -m wirespeed.model.schemas docs/schemas"


def test_every_schema_is_written_where_asked(tmp_path: Path) -> None:
    assert {path.stem for path in write(tmp_path / "schemas")} == set(DOCUMENTS)
    assert json.loads((tmp_path / "schemas" / "advice-1.json").read_text(encoding="utf-8")) == schema(
        "advice-1"
    )


def test_the_schema_asks_for_no_more_than_the_published_sample_has() -> None:
    required = schema("advice-1")["required"]
    assert set(required) <= set(sample())
