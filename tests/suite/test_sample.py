"""What one run of a sample suite tells, and that its tests noticed nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import SuiteRun, run_pytest

pytestmark = pytest.mark.slow


def test_the_tests_end_as_they_do_without_it(sample_run: SuiteRun, sample_folder: Path) -> None:
    alone = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:wirespeed", "."],
        cwd=sample_folder,
        capture_output=True,
        text=True,
    )
    counted = re.search(r"\d+ passed", alone.stdout)

    assert counted and counted[0] in sample_run.output
    assert sample_run.status == alone.returncode == 0


@pytest.mark.parametrize(
    ("path", "code", "name"),
    [
        ("/untyped", "WS101", "-> "),
        ("/classy", "WS102", "drop response_class"),
        ("/by-hand", "WS103", "return the value"),
    ],
)
def test_a_slow_endpoint_is_found_with_a_remedy_that_keeps_its_bytes(
    sample_run: SuiteRun, path: str, code: str, name: str
) -> None:
    seen = sample_run.endpoint(path)

    assert seen.conclusion == "remedy", seen
    assert [finding.code for finding in seen.findings] == [code]
    assert seen.remedies[0].name.startswith(name)
    assert seen.remedies[0].fidelity == "identical"
    assert seen.remedies[0].whole.ratio <= 1 / 1.5
    assert seen.source is not None and re.fullmatch(r"main\.py:\d+", seen.source)
    assert seen.tests == 3


def test_what_a_user_had_to_sign_in_and_post_for_is_measured_as_well(sample_run: SuiteRun) -> None:
    seen = sample_run.endpoint("/orders", "POST")

    assert seen.conclusion == "remedy"
    assert seen.status == 201
    assert (seen.tests, seen.requests) == (2, 2)


def test_rows_of_a_def_endpoint_are_replayed_in_a_worker_thread_as_they_ran(sample_run: SuiteRun) -> None:
    assert sample_run.endpoint("/rows").conclusion in ("remedy", "small")


def test_an_endpoint_on_the_fast_path_is_counted_and_not_kept(sample_run: SuiteRun) -> None:
    seen = sample_run.endpoint("/typed")

    assert (seen.conclusion, seen.fast_path, seen.findings) == ("fast", True, ())
    assert "1 on the fast path" in sample_run.output


def test_a_row_of_an_orm_is_not_kept_and_that_is_said(sample_run: SuiteRun) -> None:
    seen = sample_run.endpoint("/lazy")

    assert seen.conclusion == "unmeasured"
    assert seen.note is not None and "Lazy is a row of an ORM" in seen.note


def test_a_list_that_a_test_empties_afterwards_is_measured_as_it_was(sample_run: SuiteRun) -> None:
    assert sample_run.endpoint("/shared").conclusion == "remedy"


@pytest.mark.parametrize("path", ["/stream", "/text", "/broken"])
def test_what_has_no_json_value_has_nothing_to_find(sample_run: SuiteRun, path: str) -> None:
    assert sample_run.endpoint(path).conclusion == "nothing"


def test_a_gain_too_small_for_one_process_is_not_shown(sample_run: SuiteRun) -> None:
    seen = sample_run.endpoint("/small")

    assert seen.conclusion == "small"
    assert seen.remedies == ()


def test_the_terminal_the_json_and_the_page_tell_the_same(sample_run: SuiteRun, sample_folder: Path) -> None:
    assert sample_run.told is not None
    slow = [each for each in sample_run.told.endpoints if each.conclusion == "remedy"]

    assert f"{len(slow)} endpoints answer slower than they need to" in sample_run.output
    page = (sample_folder / "told.html").read_text(encoding="utf-8")
    for each in slow:
        assert each.path in sample_run.output
        assert each.path in page


def test_a_check_makes_the_exit_status_1_where_the_tests_pass(sample_folder: Path) -> None:
    chosen = ("-k", "untyped", "--wirespeed-budget=5")
    failing = run_pytest(sample_folder, "--wirespeed-fail-on=WS101", *chosen)
    passing = run_pytest(sample_folder, "--wirespeed-fail-on=WS102", *chosen)

    assert failing.status == 1
    assert "would make GET /untyped faster" in failing.output
    assert passing.status == 0


def test_what_the_time_for_measuring_does_not_reach_is_listed_and_fails_no_check(
    sample_folder: Path,
) -> None:
    seen = run_pytest(
        sample_folder, "-k", "untyped", "--wirespeed-budget=0.0001", "--wirespeed-fail-on=WS101"
    )

    assert seen.status == 0
    assert seen.told is not None and not seen.told.complete
    assert seen.endpoint("/untyped").conclusion == "unmeasured"
    assert "the time for measuring was over; --wirespeed-budget gives more" in seen.output
