"""A remedy that would change what clients see is shown as what it is; one that would not is found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cases import CASES
from wirespeed.diagnosis.advise import advise
from wirespeed.diagnosis.selection import Candidate
from wirespeed.diagnosis.study import RoundZero, Study

from .conftest import CASES as FOLDER
from .conftest import MakePlan, arm, endpoint, look_around, recommended

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="session")
def traps(plan: MakePlan) -> RoundZero:
    return look_around(plan("traps:app"))


def study(zero: RoundZero, path: str) -> Study:
    return next(each for each in zero.studies if each.planned.request.path == path)


def candidates(zero: RoundZero, path: str) -> list[Candidate]:
    found = study(zero, path)
    return [*found.kept, *found.left]


ALWAYS_DIFFERENT = {
    "/decimals": ("$[0].price", 12.5, "12.50"),
    "/moments": ("$[0].at", "2026-03-01T12:00:00+00:00", "2026-03-01T12:00:00Z"),
    "/durations": ("$[0].lasts", 90.0, "PT1M30S"),
    "/none-as-key": ("$[0].null", 0, "(absent)"),
    "/orm-keys": ("$[0]._sa_instance_state", "(absent)", 0),
}


@pytest.mark.parametrize("path", ALWAYS_DIFFERENT)
def test_a_type_that_changes_values_is_different_and_shows_where(traps: RoundZero, path: str) -> None:
    found = candidates(traps, path)

    assert len(found) >= 2
    for each in found:
        assert each.screened.fidelity == "different"
        first = each.screened.differences[0]
        assert (first.at, first.baseline, first.arm) == ALWAYS_DIFFERENT[path]


def test_other_digits_for_the_same_number_are_equal_json_but_other_bytes(traps: RoundZero) -> None:
    assert {each.screened.fidelity for each in candidates(traps, "/tiny-floats")} == {"equal"}


def test_an_answer_that_json_cannot_say_fails_and_is_no_cost(traps: RoundZero) -> None:
    found = study(traps, "/not-a-number")

    assert found.seen.status == 500
    assert found.note == "ValueError: Out of range float values are not JSON compliant"
    assert candidates(traps, "/not-a-number") == []


def test_objects_that_pydantic_does_not_know_leave_no_type_that_works(traps: RoundZero) -> None:
    found = study(traps, "/plain-objects")

    assert found.kept == []
    assert found.left
    assert all("Unable to serialize unknown type" in (each.screened.error or "") for each in found.left)


def test_no_type_hides_the_fields_of_a_subclass_behind_its_parent(traps: RoundZero) -> None:
    found = candidates(traps, "/subclasses")

    assert "-> list[Item]" not in [each.change.name for each in found]
    assert {each.screened.fidelity for each in found} == {"identical"}


def test_a_validator_that_changes_its_model_is_not_run_again_by_the_remedy_that_is_kept(
    traps: RoundZero,
) -> None:
    found = study(traps, "/validated-again")
    again = next(each for each in candidates(traps, "/validated-again") if "Counter" in each.change.name)

    assert [each.change.name for each in found.kept if each.keeps_bytes] == ["-> Any"]
    assert again.screened.fidelity == "different"
    assert again.screened.differences[0].at == "$[0].validated"


DORMANT = {
    "/dormant-exclude-none": " + without response_model_exclude_none",
    "/dormant-by-name": " + without response_model_by_alias",
}


@pytest.mark.parametrize("path", DORMANT)
def test_where_a_type_wakes_an_option_up_the_combination_that_resets_it_is_found(
    traps: RoundZero, path: str
) -> None:
    found = {each.change.name: each for each in candidates(traps, path)}

    assert found["-> list[Item]"].screened.fidelity == "different"
    assert found["-> list[Item]" + DORMANT[path]].screened.fidelity == "identical"
    assert study(traps, path).kept[0].change.name.endswith(DORMANT[path])
    assert study(traps, path).kept[0].keeps_bytes


def test_a_response_model_is_a_filter_and_never_loosened(traps: RoundZero) -> None:
    assert study(traps, "/filtered").findings == []
    assert study(traps, "/rows").findings == []


def test_the_favourite_of_every_endpoint_that_has_one_keeps_the_bytes(traps: RoundZero) -> None:
    for each in traps.studies:
        keepers = [candidate for candidate in (*each.kept, *each.left) if candidate.keeps_bytes]
        if any(keeper.screened.error is None for keeper in keepers):
            assert each.kept[0].keeps_bytes, each.planned.request.name


# -- published cases -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("number", sorted(CASES))
def test_a_published_case_is_diagnosed(plan: MakePlan, number: str) -> None:
    (app,) = FOLDER.glob(f"{number}_*.py")
    (found,) = look_around(plan(app.name, FOLDER)).studies

    codes = {finding.code for finding in found.findings}
    assert (CASES[number].code in codes) is bool(CASES[number].arms)


@pytest.mark.slow
def test_one_command_prints_what_is_expected_of_a_case_beside_what_is_found() -> None:
    """All cases get their remedies in the matrix, on every FastAPI."""
    command = [sys.executable, BENCHMARKS / "cases.py", FOLDER, "06", "20", "--budget", "30s"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    printed = [line.split()[:3] for line in done.stdout.splitlines()]
    assert ["expected", "WS104", "return"] in printed
    assert ["found", "WS104", "return"] in printed
    assert ["expected", "WS203", "no"] in printed


@pytest.mark.slow
def test_no_remedy_that_changes_bytes_is_recommended_and_byte_keeping_ones_are(plan: MakePlan) -> None:
    advice = advise(plan("traps:app", rounds=5, budget_s=60.0)).advice

    for found in advice.endpoints:
        for each in found.arms:
            assert not each.recommended or each.fidelity == "identical"
    for path, reset in DORMANT.items():
        remedy = recommended(endpoint(advice, f"GET {path}"))
        assert remedy is not None
        assert remedy.name.endswith(reset)
    shown = arm(endpoint(advice, "GET /decimals"), "-> Any")
    assert shown.differences[0].at == "$[0].price"
    assert shown.reason is not None
    assert shown.reason.endswith("clients would see different values")
