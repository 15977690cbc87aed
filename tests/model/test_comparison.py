"""What readers of saved comparisons rely on: the published sample is read and written as it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from wirespeed.model.comparison import Comparison
from wirespeed.model.record import Record
from wirespeed.model.schemas import schema
from wirespeed.model.verdict import Verdict

SAMPLE = (Path(__file__).parents[1] / "data" / "comparison.json").read_text(encoding="utf-8")


def is_kept(expected: object, actual: object) -> bool:
    """Everything in ``expected`` stands in ``actual`` unchanged; ``actual`` may say more."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return all(key in actual and is_kept(value, actual[key]) for key, value in expected.items())
    if isinstance(expected, list) and isinstance(actual, list):
        pairs = zip(expected, actual, strict=True)
        return len(expected) == len(actual) and all(is_kept(*pair) for pair in pairs)
    return expected == actual


def test_the_published_sample_is_read_as_it_stands() -> None:
    comparison = Comparison.model_validate_json(SAMPLE)
    assert comparison.estimates[0].verdict is Verdict.EQUIVALENT
    assert comparison.arms[0].baseline


def test_no_name_value_or_unit_of_the_published_sample_changes_on_the_way_through() -> None:
    written = json.loads(Comparison.model_validate_json(SAMPLE).to_json())
    # Pydantic writes the zone of a time as it likes.
    assert is_kept(json.loads(SAMPLE) | {"created": written["created"]}, written)


def test_comparisons_survive_a_round_trip_alone_and_in_a_record() -> None:
    comparison = Comparison.model_validate_json(SAMPLE)
    assert Comparison.model_validate_json(comparison.to_json()) == comparison
    record = Record(kind="comparison", document=comparison, evidence={"rounds": []})
    assert Record.model_validate_json(record.to_json()) == record


def test_a_record_is_of_the_kind_that_its_document_is() -> None:
    with pytest.raises(ValidationError, match="cannot hold a wirespeed/comparison/1"):
        Record(kind="advice", document=Comparison.model_validate_json(SAMPLE))


def test_a_document_of_another_format_is_refused() -> None:
    with pytest.raises(ValidationError):
        Comparison.model_validate(json.loads(SAMPLE) | {"format": "wirespeed/comparison/2"})


def test_the_schema_asks_for_no_more_than_the_published_sample_has() -> None:
    assert set(schema("comparison-1")["required"]) <= set(json.loads(SAMPLE))
