"""What readers take from the outputs of each tool, real ones where there is the tool."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from wirespeed.audit.audit import Output, audit
from wirespeed.audit.readers import all_readers
from wirespeed.audit.reading import read_run
from wirespeed.errors import UsageError
from wirespeed.model.audit import Asked, AuditedFile, ToolRun
from wirespeed.model.load import Load
from wirespeed.report.load_layouts import hey_lines, wrk_lines
from wirespeed.stats.histogram import Histogram

FIXTURES = Path(__file__).parent / "fixtures"
OUTPUTS = sorted(path for path in FIXTURES.rglob("*.*.*") if path.is_file())
READERS_BY_SUFFIX = {
    "hey.txt": "hey",
    "hey.csv": "hey-csv",
    "wrk.txt": "wrk",
    "wrk2.txt": "wrk2",
    "ab.txt": "ab",
    "oha.json": "oha",
    "k6-export.json": "k6",
    "k6-handle-summary.json": "k6",
    "vegeta.json": "vegeta",
    "autocannon.json": "autocannon",
}
One = Callable[..., AuditedFile]


def figures(found: ToolRun) -> tuple[int | None, float | None, float | None]:
    return found.answered, found.requests_per_s, found.latency.mean_s


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda path: path.name)
def test_an_output_is_recognised_by_its_own_reader_and_by_no_other(path: Path) -> None:
    text = path.read_text()
    names = [name for name, reader in all_readers().items() if reader.recognises(text)]

    assert names == [READERS_BY_SUFFIX[path.name.partition(".")[2]]]


def test_every_reader_has_outputs_to_read() -> None:
    suffixes = {path.name.partition(".")[2] for path in OUTPUTS}

    assert {READERS_BY_SUFFIX[suffix] for suffix in suffixes} == set(all_readers())


def test_every_real_output_says_which_command_of_which_version_made_it() -> None:
    made = json.loads((FIXTURES / "real" / "made.json").read_text())
    real = {path.name for path in (FIXTURES / "real").iterdir()} - {"made.json"}

    assert set(made) == real
    assert all(entry["command"] and entry["version"] for entry in made.values())


def test_of_hey_statuses_and_errors_are_counted_apart(one: One) -> None:
    found = one("real/timeouts.hey.txt").run

    assert found.statuses == {"200": 1490}
    assert found.unanswered == {"time-outs": 10}
    assert found.timeout_s == 1.0
    assert [p.share for p in found.latency.percentiles] == [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]


def test_a_pasted_command_says_what_the_output_does_not(one: One) -> None:
    with_command, without = one("real/clean-c50.hey.txt").run, one("real/clean-c1.hey.txt").run

    assert (with_command.connections, with_command.asked.requests) == (50, 5000)
    assert (without.connections, without.asked.requests, without.target) == (None, None, None)


def test_heys_csv_is_summed_up(one: One) -> None:
    found = one("real/clean-c10.hey.csv").run

    assert found.answered == found.latency.samples == 2000
    assert found.latency.min_s == 0.0053
    assert found.unanswered is None


def test_of_wrk_time_outs_are_answers_that_came_late(one: One) -> None:
    found = one("real/stall.wrk.txt").run

    assert found.late is not None and found.late > 0
    assert found.unanswered == {}
    assert (found.threads, found.connections) == (2, 20)


def test_wrks_units_are_read(one: One) -> None:
    found = one("published/4-async-def.wrk.txt").run

    assert figures(found) == (429_081, 14278.10, pytest.approx(0.06387))
    assert found.latency.max_s == 1.99
    assert found.unanswered == {"read errors": 6974, "write errors": 36}


def test_wrk2_says_how_many_answers_it_timed(one: One) -> None:
    found = one("documented/clean.wrk2.txt").run

    assert found.latency.samples == 39_500
    assert found.latency.percentiles[-1].share == pytest.approx(0.99999)
    assert found.open_loop


def test_abs_reset_connections_are_counted_once(one: One) -> None:
    found = one("real/closes.ab.txt").run

    assert found.unanswered == {"receive errors": 40}
    assert found.answered == 1960
    assert found.odd_lengths == 0


def test_abs_answers_of_other_lengths_are_answers(one: One) -> None:
    found = one("real/lengths.ab.txt").run

    assert (found.answered, found.unanswered) == (1000, {})
    assert found.odd_lengths is not None and found.odd_lengths > 900


def test_autocannons_time_outs_are_errors_too(one: One) -> None:
    found = one("real/timeouts.autocannon.json").run

    assert set(found.unanswered or {}) == {"time-outs"}
    assert found.latency.resolution_s == 0.001


def test_what_oha_cut_off_at_the_end_is_no_failure(one: One) -> None:
    found = one("documented/clean-seconds.oha.json").run

    assert (found.in_flight, found.unanswered) == (36, {})


@pytest.mark.parametrize("layout", ["k6-export", "k6-handle-summary"])
def test_both_layouts_of_k6_say_the_same(one: One, layout: str) -> None:
    found = one(f"documented/clean.{layout}.json").run

    assert (found.sent, found.requests_per_s, found.failed) == (12_000, 2400.0, 0)
    assert found.latency.mean_s == pytest.approx(0.0072)
    assert [p.share for p in found.latency.percentiles] == [0.9, 0.95]


def test_k6s_passes_of_http_req_failed_are_failures(one: One) -> None:
    assert one("documented/errors.k6-export.json").run.failed == 600


def test_vegetas_status_0_is_no_answer(one: One) -> None:
    found = one("documented/errors.vegeta.json").run

    assert found.answered == 3800
    assert found.unanswered == {"without an answer": 1200}


def test_wirespeeds_own_hey_and_wrk_layouts_are_read() -> None:
    sample = Load.model_validate_json((Path(__file__).parents[1] / "data" / "load.json").read_bytes())
    times = Histogram()
    times.record(np.full(sample.requests.answered, 5_000_000))
    load = sample.model_copy(update={"histogram": times.encode()})
    for lines in (hey_lines, wrk_lines):
        found = read_run("\n".join(lines(load)).encode(), "x", None)
        assert found.answered == load.requests.answered


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda path: path.name)
def test_a_truncated_output_is_refused_or_read_but_never_a_crash(path: Path) -> None:
    content = path.read_bytes()[:8000]
    for end in range(0, len(content), max(1, len(content) // 60)):
        try:
            audit([Output("cut", content[:end])], Asked())
        except UsageError as refused:
            assert refused.advice


@pytest.mark.parametrize("name", ["clean-c50.hey.txt", "clean-c50.wrk.txt", "clean-c50.ab.txt"])
def test_half_a_summary_is_said_to_be_cut_off(name: str) -> None:
    whole = (FIXTURES / "real" / name).read_bytes()
    half = whole[: whole.index(b"Requests per second" if b"Apache" in whole else b"Requests/sec")]
    with pytest.raises(UsageError, match=r"cut off|no format known"):
        read_run(half, name, None)


def test_half_a_json_document_is_said_to_be_cut_off() -> None:
    whole = (FIXTURES / "real" / "clean-c50.autocannon.json").read_bytes()
    with pytest.raises(UsageError, match="no whole autocannon output: it is cut off"):
        read_run(whole[:-200], "half.json", None)
