"""What keeps a comparison from having a verdict, in words that say what happened."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from wirespeed.experiment.figures import ArmRound, Sample
from wirespeed.experiment.validity import (
    Counts,
    counts_of,
    difference_reasons,
    error_reasons,
    generator_reasons,
    is_surely_failing,
    status_reasons,
)
from wirespeed.model.advice import Difference


def counts(sent: int, **errors: int) -> Counts:
    return Counts(sent, sent - sum(errors.values()), Counter(errors))


def sample(cpu: float | None = None, lag_ns: int | None = None, **errors: int) -> Sample:
    return Sample(
        1.0,
        np.array([], dtype=np.int64),
        sent=10,
        answered=10 - sum(errors.values()),
        errors=Counter(errors),
        generator_cpu=cpu,
        generator_lag_ns=lag_ns,
    )


def test_a_few_errors_among_thousands_are_allowed_and_more_are_not() -> None:
    assert list(error_reasons("GET /a", counts(1000, timeout=1), 0.001)) == []
    assert list(error_reasons("GET /a", counts(1000, timeout=2, reset=1), 0.001)) == [
        "GET /a: 3 of 1000 requests failed, more than --max-errors 0.1% allows (2 × timeout, 1 × reset)"
    ]


def test_with_no_errors_allowed_a_single_one_is_too_many() -> None:
    assert list(error_reasons("GET /a", counts(100_000, timeout=1), 0.0)) != []


def test_every_request_must_be_accounted_for() -> None:
    (reason,) = error_reasons("GET /a", Counts(sent=10, answered=8), 0.5)
    assert reason == "GET /a: 10 requests were sent, but 8 are accounted for"


def test_errors_add_up_over_rounds_and_blocks() -> None:
    rounds = [ArmRound((sample(timeout=1), sample())), ArmRound((sample(timeout=2, reset=1),))]
    found = counts_of(rounds)
    assert (found.sent, found.answered, dict(found.errors)) == (30, 26, {"timeout": 3, "reset": 1})


def test_measuring_stops_early_only_where_more_rounds_cannot_help() -> None:
    assert not is_surely_failing(counts(100, timeout=9), 0.001)
    assert is_surely_failing(counts(100, timeout=10), 0.001)
    assert not is_surely_failing(counts(100_000, timeout=10), 0.001)


@pytest.mark.parametrize(
    ("status", "is_error"), [(200, False), (204, False), (307, False), (404, True), (500, True)]
)
def test_an_error_is_not_what_anybody_wants_to_be_fast(status: int, is_error: bool) -> None:
    assert bool(list(status_reasons("GET /a", status))) is is_error


def test_different_answers_are_named_with_the_way_to_compare_them_all_the_same() -> None:
    found = [Difference(at="$.a", baseline=1, arm=2), Difference(at="$.b", baseline=1, arm=2)]
    (reason,) = difference_reasons("GET /b", "GET /a", found)
    assert reason.startswith("GET /b answers differently than GET /a: $.a is 2, not 1 and 1 more")
    assert "--allow-different" in reason
    assert list(difference_reasons("GET /b", "GET /a", [])) == []


def test_a_generator_without_a_core_to_spare_is_what_was_measured() -> None:
    busy = [ArmRound((sample(cpu=0.95), sample(cpu=0.97), sample(cpu=0.2)))]
    (reason,) = generator_reasons("GET /a", busy, 1e6)
    assert "95% of a core" in reason


def test_a_late_generator_matters_where_latencies_are_short() -> None:
    late = [ArmRound((sample(cpu=0.1, lag_ns=2_000_000),))]
    assert len(list(generator_reasons("GET /a", late, 4e6))) == 1
    assert list(generator_reasons("GET /a", late, 400e6)) == []


def test_a_lens_that_sends_one_request_at_a_time_has_no_such_generator() -> None:
    assert list(generator_reasons("GET /a", [ArmRound((sample(),))], 1e6)) == []
