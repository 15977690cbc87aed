"""How load reads: on a terminal as a golden text, and in the layouts that other tools' scripts read."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from wirespeed.http.engine import Measured
from wirespeed.http.health import Health
from wirespeed.http.objective import judge, parse_objective
from wirespeed.http.outcomes import Failure
from wirespeed.http.plan import LoadPlan
from wirespeed.http.search import Trial
from wirespeed.http.summary import summarize
from wirespeed.http.target import parse_target
from wirespeed.model.advice import Environment
from wirespeed.model.load import Load
from wirespeed.report.load import print_load
from wirespeed.report.load_layouts import hdr_lines, hey_lines, wrk_lines
from wirespeed.stats.histogram import Histogram, IntArray

GOLDEN = Path(__file__).parent / "golden"
MS = 1_000_000
S = 1_000 * MS
MACHINE = Environment(
    cpu="x86-64 model name", cores=2, load_1m=0.41, steal=0.0, os="Linux 6.18", event_loop="uvloop"
)
CLOSED = LoadPlan(connections=50, requests=None, duration_s=10.0, seed=7)
OPEN = LoadPlan(connections=50, requests=None, duration_s=10.0, rate=500.0, seed=7)


def rows(number: int, latency_ns: IntArray, *, late_ns: int = 0, status: int = 200) -> IntArray:
    """Answers evenly spread over ten seconds."""
    sent = np.arange(number, dtype=np.int64) * 10 * S // number
    end = sent + latency_ns
    columns = [
        sent - late_ns,
        sent,
        sent + 9_000,
        end - 140_000,
        end,
        np.full(number, status),
        np.full(number, 75_171),
    ]
    return np.stack([np.asarray(column, dtype=np.int64) for column in columns], axis=1)


def measured(number: int = 24_000, *, late_ns: int = 0) -> Measured:
    latencies = np.random.default_rng(7).lognormal(np.log(20 * MS), 0.15, number).astype(np.int64)
    result = Measured(health=Health(cpu=0.31), started_ns=0, ended_ns=10_004 * MS)
    result.health.lag.record(np.full(100, 2_000))
    result.tally.take(rows(number, latencies, late_ns=late_ns))
    result.tally.sent = number
    result.tally.steps.connect.record(np.full(50, 81_000))
    return result


def closed() -> Load:
    return summarize(parse_target("http://127.0.0.1:8000/typed"), CLOSED, measured(), MACHINE)


def troubled() -> Load:
    """Time-outs, resets, refusals, requests that found no connection; and a generator that was too slow."""
    result = measured(4_000, late_ns=3 * MS)
    tally = result.tally
    tally.take(rows(20, np.full(20, 30 * MS), status=503))
    tally.errors.update({Failure.TIMEOUT: 60, Failure.RESET: 2})
    tally.response.record_censored(np.full(60, 30 * S))
    tally.service.record_censored(np.full(60, 30 * S))
    tally.take_unsent(np.zeros(918, dtype=np.int64), 10 * S)
    tally.sent, tally.due, tally.retried = 4_082, 5_000, 3
    result.health.cpu = 0.97
    result.health.late.record(np.full(100, 40_000))
    result.stopped_early = True
    return summarize(parse_target("http://127.0.0.1:8000/typed"), OPEN, result, MACHINE)


def searched() -> Load:
    objective = parse_objective("p99<50ms")
    trials = []
    for rate, slower in ((100.0, 1), (2000.0, 20), (447.0, 1)):
        result = measured(2_000)
        result.tally.take(rows(2_000, np.full(2_000, 20 * slower * MS)))
        result.tally.sent = result.tally.due = 4_000
        trials.append(Trial(OPEN, result, judge(result.tally, objective)))
        trials[-1] = Trial(LoadPlan(50, None, 10.0, rate=rate), result, trials[-1].finding)
    best = trials[-1]
    target = parse_target("http://127.0.0.1:8000/typed")
    return summarize(target, best.plan, best.measured, MACHINE, objective, tuple(trials))


def nothing() -> Load:
    result = Measured(ended_ns=10 * S, server_gone=True)
    result.tally.sent = result.tally.errors[Failure.CONNECT_REFUSED] = 812
    return summarize(parse_target("http://127.0.0.1:8000/"), CLOSED, result, MACHINE)


DOCUMENTS = {"load": closed, "load-troubled": troubled, "load-searched": searched, "load-nothing": nothing}


def printed(load: Load, width: int = 110) -> str:
    file = io.StringIO()
    print_load(load, Console(file=file, width=width, color_system=None))
    return file.getvalue()


def test_one_answer_gets_no_chart_of_ten_equal_bars() -> None:
    result = Measured(ended_ns=10 * MS)
    result.tally.take(rows(1, np.full(1, 2 * MS)))
    result.tally.sent = 1
    plan = LoadPlan(connections=1, requests=1, duration_s=None)
    report = printed(summarize(parse_target("http://127.0.0.1:8000/typed"), plan, result, MACHINE))

    assert "latency  2.00 ms" in report
    assert "→" not in report


def text(lines: Iterable[str]) -> str:
    return "\n".join(lines)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_load_reads_as_its_golden_text(name: str) -> None:
    path, told = GOLDEN / f"{name}.txt", printed(DOCUMENTS[name]())
    if os.environ.get("WIRESPEED_UPDATE_GOLDEN"):
        path.write_text(told, encoding="utf-8")
    assert told == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_errors_stand_before_anything_else_that_was_measured(name: str) -> None:
    lines = printed(DOCUMENTS[name]()).splitlines()
    rate_line = next(index for index, line in enumerate(lines) if "answers/s" in line)
    assert all(
        index < rate_line for index, line in enumerate(lines) if line.startswith(("errors", "invalid"))
    )


def test_a_percentile_beyond_the_time_out_is_a_lower_bound() -> None:
    assert "≥ 30.0 s" in printed(troubled())
    assert "≥" not in printed(closed())


def test_a_document_reads_the_same_after_it_was_saved() -> None:
    load = troubled()
    assert printed(Load.model_validate_json(load.to_json())) == printed(load)


def test_a_terminal_without_utf_8_shows_the_report_too() -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    print_load(troubled(), Console(file=file, width=110, color_system=None))
    assert b"errors: 60 no answer in time" in raw.getvalue()


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        (r"Requests/sec:\s+([\d.]+)", 2399.04),
        (r"Average:\s+([\d.]+) secs", 0.0202),
        (r"\n  50% in ([\d.]+) secs", 0.0200),
        (r"\n  99% in ([\d.]+) secs", 0.0284),
        (r"\[200\]\s+(\d+) responses", 24_000),
        (r"resp wait:\s+([\d.]+) secs, [\d.]+ secs, [\d.]+ secs", 0.0201),
        (r"Size/request:\s+(\d+) bytes", 75_171),
    ],
)
def test_scripts_that_read_hey_find_its_figures(pattern: str, value: float) -> None:
    found = re.search(pattern, text(hey_lines(closed())))
    assert found is not None
    assert float(found[1]) == pytest.approx(value, rel=0.01)


def test_heys_bars_count_every_answer() -> None:
    bars = re.findall(r"^  \d+\.\d{3} \[(\d+)\]\t\|(■*)$", text(hey_lines(closed())), re.MULTILINE)
    assert len(bars) == 11
    assert sum(int(count) for count, _ in bars) == 24_000
    assert max(len(bar) for _, bar in bars) == 40


def test_scripts_that_read_hey_find_errors() -> None:
    assert "Error distribution:\n  [60]\ttimeout\n  [2]\treset" in text(hey_lines(troubled()))


@pytest.mark.parametrize(
    "line",
    [
        r"Running 10s test @ http://127\.0\.0\.1:8000/typed",
        r"  1 threads and 50 connections",
        r"    Latency    20\.\d\dms    3\.0\dms  \d\d\.\d\dms   6\d\.\d\d%",
        r"    Req/Sec     2\.40k    \d+\.\d\d     2\.\d\dk +\d+\.\d\d%",
        r"     50%   19\.9\dms",
        r"     99%   28\.\d\dms",
        r"  24000 requests in 10\.00s, 1\.68GB read",
        r"Requests/sec:   2399\.04",
        r"Transfer/sec:    171\.98MB",
    ],
)
def test_scripts_that_read_wrk_find_its_lines(line: str) -> None:
    assert re.search(f"^{line}$", text(wrk_lines(closed())), re.MULTILINE), text(wrk_lines(closed()))


def test_scripts_that_read_wrk_find_errors() -> None:
    lines = text(wrk_lines(troubled()))
    assert "  Socket errors: connect 0, read 2, write 0, timeout 60\n" in lines
    assert "  Non-2xx or 3xx responses: 20\n" in lines


def test_an_hdr_log_holds_the_whole_distribution() -> None:
    log = list(hdr_lines(closed()))
    assert log[0] == "#[Histogram log format version 1.3]"
    (row,) = csv.DictReader(log[2:])
    assert (row["StartTimestamp"], row["Interval_Length"]) == ("0.000", "10.004")
    assert Histogram.decode(row["Interval_Compressed_Histogram"]).total == 24_000


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_hdr_histogram_reads_the_log(tmp_path: Path) -> None:
    log_reader = pytest.importorskip("hdrh.log")
    histogram = pytest.importorskip("hdrh.histogram")
    path = tmp_path / "load.hlog"
    path.write_text(text(hdr_lines(closed())) + "\n", encoding="utf-8")
    reader = log_reader.HistogramLogReader(str(path), histogram.HdrHistogram(1, 24 * 3600 * S, 3))
    try:
        read = reader.get_next_interval_histogram()
    finally:
        reader.close()
    assert read.get_total_count() == 24_000


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("lines", [hey_lines, wrk_lines, hdr_lines])
def test_every_layout_takes_every_document(name: str, lines: type) -> None:
    assert len(list(lines(DOCUMENTS[name]()))) >= 4
