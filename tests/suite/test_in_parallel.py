"""Under pytest-xdist: every worker watches, one listing comes out, and nothing is timed."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import run_pytest

pytestmark = pytest.mark.slow


def test_what_the_workers_saw_is_one_listing_without_estimates(sample_folder: Path) -> None:
    seen = run_pytest(sample_folder, "-n2", "-k", "lists_orders")

    assert seen.status == 0, seen.output
    assert seen.told is not None
    assert (seen.told.estimates, seen.told.workers) == ("none", 2)
    untyped = seen.endpoint("/untyped")
    assert (untyped.tests, untyped.requests, untyped.conclusion) == (3, 3, "unmeasured")
    assert [finding.code for finding in untyped.findings] == ["WS101"]
    assert seen.endpoint("/typed").conclusion == "fast"
    assert "nothing was measured: processes beside each other (xdist) cannot be timed" in seen.output
    assert "faster" not in seen.output.partition("= wirespeed =")[2]


def test_a_check_that_needs_estimates_is_refused(sample_folder: Path) -> None:
    refused = run_pytest(sample_folder, "-n2", "--wirespeed-fail-on=WS101")

    assert refused.status == pytest.ExitCode.USAGE_ERROR
    assert "needs estimates" in refused.output


def test_with_no_worker_everything_is_measured(sample_folder: Path) -> None:
    seen = run_pytest(sample_folder, "-n0", "-k", "untyped", "--wirespeed-budget=5")

    assert seen.told is not None and seen.told.estimates == "one process"
