"""What readers of ``load --json`` rely on: the published sample, and that our own documents are like it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wirespeed.model.load import Load
from wirespeed.model.record import Record
from wirespeed.model.schemas import schema

SAMPLE = (Path(__file__).parents[1] / "data" / "load.json").read_text(encoding="utf-8")


def is_kept(expected: object, actual: Any) -> bool:
    if isinstance(expected, dict):
        return all(name in actual and is_kept(value, actual[name]) for name, value in expected.items())
    return bool(expected == actual)


def test_no_name_value_or_unit_of_the_published_sample_changes_on_the_way_through() -> None:
    written = json.loads(Load.model_validate_json(SAMPLE).to_json())
    assert is_kept(json.loads(SAMPLE), written)


def test_the_schema_asks_for_no_more_than_the_published_sample_has() -> None:
    assert set(schema("load-1")["required"]) <= set(json.loads(SAMPLE))


def test_a_record_of_load_survives_a_round_trip() -> None:
    record = Record(kind="load", document=Load.model_validate_json(SAMPLE))
    assert Record.model_validate_json(record.to_json()) == record
