"""What ``response-class`` serves, what it claims, and what it tells of it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from wirespeed.experiment.events import ignore
from wirespeed.model.replication import ClaimVerdict
from wirespeed.replicate.results import ArmFigures, SingleRunsResult, SuiteResults
from wirespeed.replicate.run import measured
from wirespeed.replicate.suite import Experiment, Inspection
from wirespeed.replicate.suites.response_class import (
    AGAIN,
    ANY,
    DIRECT,
    JSON,
    ONE,
    ORIGINAL,
    ORJSON,
    PHASES,
    SUITE,
    TYPED,
    UJSON,
    mean_notes,
    notes,
)

from .planting import order, planted, results_of, verdicts

pytestmark = pytest.mark.slow

TINY = 20_000


@pytest.fixture(scope="module")
def inspected() -> SuiteResults:
    """How the real app answers, seen from inside."""
    return results_of(replace(SUITE, steps=tuple(each for each in SUITE.steps if each.name == PHASES)))


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return run_path(str(SUITE.app))


def values_in(value: object) -> list[object]:
    inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value, *(each for part in inside for each in values_in(part))]


def test_the_document_has_a_megabyte_of_every_kind_of_value(made: dict[str, Any]) -> None:
    kinds = {type(value) for value in values_in(made["DOCUMENT"])}

    assert kinds == {str, float, int, list, dict, bool, date, datetime}
    assert made["DOCUMENT_BYTES"] == 1_000_000


def test_one_seed_makes_one_document_and_another_seed_another(made: dict[str, Any]) -> None:
    document = made["document"]

    assert document(7, TINY) == document(7, TINY)
    assert document(7, TINY) != document(8, TINY)


def test_a_document_is_as_large_as_was_asked_for(made: dict[str, Any]) -> None:
    body = json.dumps(made["document"](7, TINY), default=str, ensure_ascii=False, separators=(",", ":"))

    assert TINY <= len(body.encode()) < TINY + 2_000


def test_all_arms_send_the_same_megabyte(inspected: SuiteResults) -> None:
    seen = inspected.inspection(PHASES)

    assert seen is not None
    assert {each.status for each in seen.arms} == {200}
    assert len({(each.body_sha256, each.content_type) for each in seen.arms}) == 1
    assert len(json.dumps(seen.arms[0].json_value)) > 1_000_000


def test_only_declared_types_take_the_fast_path(inspected: SuiteResults) -> None:
    seen = inspected.inspection(PHASES)

    assert seen is not None
    assert [each.name for each in seen.arms if each.fast_path] == [TYPED.name, ANY.name]
    assert [each.name for each in seen.arms if each.hand_built] == [DIRECT.name]


def test_the_phases_tell_why_a_faster_encoder_gains_so_little(inspected: SuiteResults) -> None:
    told = list(notes(inspected))

    assert any(each.startswith("ORJSONResponse: jsonable_encoder runs first and takes ") for each in told)
    assert any(each.startswith("-> Any: no jsonable_encoder; ") for each in told)
    seen = inspected.inspection(PHASES)
    assert seen is not None
    for arm in (JSON, ORJSON, UJSON):
        phases = seen.of(arm.name).phases_ns
        assert phases is not None
        assert phases.serialization > phases.rendering


def test_deprecated_classes_warn_nobody_while_they_are_measured(tmp_path: Path) -> None:
    """The suite says so; a server that says it for every request would be measured as well."""
    strict = tmp_path / "strict.py"
    strict.write_text(f"import warnings\nwarnings.simplefilter('error')\n{SUITE.app.read_text()}")
    step = Inspection(name="strict", arms=(JSON, ORJSON, UJSON))
    seen = measured(replace(SUITE, app=strict), step, order(SUITE), ignore)

    assert seen.kind == "inspection", seen
    assert [each.status for each in seen.arms] == [200, 200, 200]


def test_no_claim_holds_where_the_encoders_do_the_opposite() -> None:
    told = verdicts(planted(SUITE, "response_class"))

    assert set(told.values()) == {ClaimVerdict.DOES_NOT_HOLD}


def test_a_quick_run_is_shorter_and_has_all_steps() -> None:
    assert all(each.in_quick for each in SUITE.steps)
    (experiment,) = (each for each in SUITE.steps if isinstance(each, Experiment))
    assert experiment.quick_budget_s < 30 < experiment.budget_s
    assert experiment.name == ONE


def figures(name: str, requests_per_s: float) -> ArmFigures:
    return ArmFigures(
        name=name,
        requests=200,
        answered=200,
        errors={},
        mean_ns=1e11 / requests_per_s,
        median_ns=None,
        stdev_ns=None,
        requests_per_s=requests_per_s,
    )


def test_the_write_ups_own_sum_is_made_from_our_runs() -> None:
    names = (JSON.name, ORJSON.name, UJSON.name, AGAIN.name)
    rates = ((9.5, 9.61, 9.42, 9.0), (9.11, 10.07, 9.95, 10.0), (9.81, 9.46, 9.19, 9.0))
    runs = tuple(tuple(map(figures, names, each)) for each in rates)
    repeated = SingleRunsResult(step=ORIGINAL, connections=100, runs=runs, elapsed_s=1.0)

    orjson, ujson, again, spread = mean_notes(repeated)

    assert "ORJSONResponse gains +2.53 % on JSONResponse, in the write-up +2.53 %" in orjson
    assert "UJSONResponse gains +0.49 % on JSONResponse, in the write-up +0.49 %" in ujson
    assert "JSONResponse again gains -1.48 % on JSONResponse, and answers as it does" in again
    assert "3 runs lie 7.4 % apart, in the write-up 7.4 %" in spread


def test_nothing_is_told_of_what_was_not_measured() -> None:
    assert list(notes(SuiteResults())) == [f"{ONE}: {ONE} was not measured"]
