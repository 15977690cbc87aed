"""What one turn of requests is taken for."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from wirespeed.experiment.http_samples import (
    call_ns_of_run,
    ns_per_request_of_run,
    sample_of_run,
    sample_of_slice,
)
from wirespeed.http.health import Health
from wirespeed.http.outcomes import Failure
from wirespeed.http.recording import CENSORED
from wirespeed.http.turns import TurnResult

Row = tuple[int, int, int]
"""Due, end, status."""


def turn(
    *rows: Row, failures: Counter[Failure] | None = None, full: tuple[int, int] = (0, 10**9), cpu: float = 0.1
) -> TurnResult:
    found = np.array([(due, due, due, end, end, status, 100) for due, end, status in rows], dtype=np.int64)
    failed = failures or Counter()
    sent = len(rows) + sum(number for failure, number in failed.items() if failure is not Failure.TIMEOUT)
    return TurnResult(found.reshape(-1, 7), sent, failed, *full, False, Health(cpu=cpu))


def test_a_run_is_its_median_without_the_first_answers() -> None:
    run = turn((0, 900, 200), (1000, 1010, 200), (2000, 2030, 200), (3000, 3020, 200))
    sample = sample_of_run(run, 1, 200, 0.5)
    assert (sample.time_ns, sample.latencies_ns.tolist()) == (20, [10, 30, 20])
    assert (sample.sent, sample.answered, sample.cpu_s) == (4, 4, 0.5)


def test_a_fast_answer_with_another_status_is_an_error_and_has_no_time() -> None:
    sample = sample_of_run(turn((0, 1, 503), (10, 50, 200), (60, 61, 500), (70, 71, 503)), 0, 200, None)
    assert sample.time_ns == 40
    assert sample.errors == {"status 503": 2, "status 500": 1}
    assert (sample.sent, sample.answered) == (4, 1)


def test_a_time_out_is_never_counted_as_a_fast_answer_nor_left_out() -> None:
    run = turn((0, 10, 200), (20, 5020, CENSORED), failures=Counter({Failure.TIMEOUT: 1}))
    sample = sample_of_run(run, 0, 200, None)
    assert sorted(sample.latencies_ns.tolist()) == [10, 5000]
    assert (sample.sent, sample.answered, sample.errors) == (2, 1, {"timeout": 1})


def test_a_request_that_failed_has_no_time_but_is_accounted_for() -> None:
    sample = sample_of_run(turn((0, 10, 200), failures=Counter({Failure.RESET: 2})), 0, 200, None)
    assert (sample.sent, sample.answered, sample.errors.total()) == (3, 1, 2)


def test_a_run_without_answers_has_no_number() -> None:
    assert sample_of_run(turn(failures=Counter({Failure.RESET: 2})), 3, 200, None).time_ns is None


def test_a_slice_counts_answers_after_the_first_of_every_connection_until_it_was_stopped() -> None:
    rows = [(0, end, 200) for end in (100, 200)] + [(100 * n, 100 * n + 200, 200) for n in range(1, 9)]
    sample = sample_of_slice(turn(*rows, full=(5, 950)), 2, 200, None)
    # Answers at 300, 400 … 900, between 200 and 950.
    assert (sample.answers_in_window, sample.window_ns) == (7, 750)
    assert sample.time_ns == pytest.approx(750 / 7)


def test_latencies_under_load_are_of_requests_that_lie_in_the_full_window_as_a_whole() -> None:
    rows = [(0, 100, 200), (0, 150, 200), (100, 300, 200), (300, 350, 200), (350, 1200, 200)]
    sample = sample_of_slice(turn(*rows, full=(5, 1000)), 2, 200, None)
    assert sample.latencies_ns.tolist() == [50]
    assert sample.answers_in_window == 2


def test_errors_do_not_make_a_server_look_fast_under_load() -> None:
    rows = [(0, 100, 200), (100, 200, 200), *((200, 201 + n, 500) for n in range(50)), (300, 400, 200)]
    sample = sample_of_slice(turn(*rows, full=(1, 500)), 1, 200, None)
    assert sample.answers_in_window == 2
    assert sample.errors == {"status 500": 50}


def test_a_slice_with_too_few_answers_has_no_number() -> None:
    assert sample_of_slice(turn((0, 100, 200)), 2, 200, None).time_ns is None
    assert sample_of_slice(turn((0, 100, 200), (0, 100, 200)), 2, 200, None).time_ns is None


def test_a_slice_tells_how_busy_the_generator_was() -> None:
    assert sample_of_slice(turn((0, 100, 200), cpu=0.95), 1, 200, None).generator_cpu == 0.95


def test_what_a_request_takes_is_told_from_a_few() -> None:
    rows = [(0, 900, 200), (1000, 1010, 200), (2000, 2030, 200)]
    assert call_ns_of_run(turn(*rows), 1) == 20
    assert ns_per_request_of_run(turn(*rows), 1) == 1020
    assert call_ns_of_run(turn(), 1) is None
    assert ns_per_request_of_run(turn(rows[0]), 0) is None
