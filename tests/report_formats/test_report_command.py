"""``wirespeed report``: yesterday's record in today's words, and files that are no records."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

from wirespeed.cli import shell
from wirespeed.model.advice import Advice
from wirespeed.model.record import Record
from wirespeed.stats.histogram import Histogram
from wirespeed.store import records

DATA = Path(__file__).parents[1] / "data"


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Show = Callable[..., Done]


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Show:
    """``wirespeed report ARGUMENTS…`` in an empty folder; in this process, which is fast."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))

    def run(*arguments: str | Path, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = shell.run(["report", *map(str, arguments)])
        written = capsysbinary.readouterr()
        return Done(code, written.out.decode(), written.err.decode())

    return run


@pytest.mark.parametrize(
    ("sample", "begins"),
    [
        ("advice", "users:app  FastAPI 0.165.0"),
        ("comparison", "GET /response-model against GET /typed"),
    ],
)
def test_a_saved_document_reads_as_it_did_when_it_was_measured(sample: str, begins: str, show: Show) -> None:
    done = show(DATA / f"{sample}.json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(begins)
    assert len(done.stdout.splitlines()) > 4


def test_a_load_reads_again_too(show: Show) -> None:
    histogram = Histogram()
    histogram.record(np.full(1000, 2_000_000, dtype=np.int64))
    load = json.loads((DATA / "load.json").read_text()) | {"histogram": histogram.encode()}
    done = show("-", stdin=json.dumps(load).encode())
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("http://127.0.0.1:8000/typed  50 connections")


def test_figures_that_cannot_be_read_print_no_half_of_a_report(show: Show) -> None:
    done = show(DATA / "load.json")  # its histogram is a placeholder
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be shown" in done.stderr


def test_latest_is_the_last_record_of_the_folder_and_is_named(
    show: Show, design: Advice, tmp_path: Path
) -> None:
    older = design.model_copy(update={"created": design.created.replace(year=2020)})
    for document in (design, older):
        path = records.save(Record(document=document), tmp_path)
    paths = sorted((tmp_path / ".wirespeed").glob("*.json"))
    assert len(paths) == 2 and paths[0] == path

    done = show("latest")
    assert done.returncode == 0, done.stderr
    assert f"The record is in {paths[1]}" in done.stderr


def test_records_of_one_second_are_told_apart(show: Show, design: Advice, tmp_path: Path) -> None:
    for _ in range(11):
        last = records.save(Record(document=design), tmp_path)
    assert last.name.endswith("-11.json")
    assert records.latest(tmp_path) == last


def test_latest_never_takes_what_is_no_record(show: Show, tmp_path: Path) -> None:
    (tmp_path / ".wirespeed").mkdir()
    (tmp_path / ".wirespeed" / "state.json").write_text("{}")
    done = show("latest")
    assert done.returncode == 2
    assert "there is no record in" in done.stderr
    assert "--folder" in done.stderr


def test_a_document_can_be_piped_in(show: Show) -> None:
    done = show("-", "--format", "junit", stdin=(DATA / "advice.json").read_bytes())
    assert done.returncode == 0, done.stderr
    assert ElementTree.fromstring(done.stdout.encode()).tag == "testsuites"


def test_output_is_a_file_and_stdout_stays_empty(show: Show, tmp_path: Path) -> None:
    done = show(DATA / "advice.json", "--format", "markdown", "--output", "comment.md")
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "comment.md").read_text().startswith("<!-- wirespeed:advice users:app -->")


def test_the_report_for_people_can_go_to_a_file_too(show: Show, tmp_path: Path) -> None:
    done = show(DATA / "advice.json", "--output", "report.txt")
    assert (done.returncode, done.stdout) == (0, "")
    assert "\x1b" not in (tmp_path / "report.txt").read_text()


def test_what_fails_a_check_is_said_again(show: Show) -> None:
    done = show(DATA / "advice.json", "--format", "junit", "--fail-on", "WS1")
    assert done.returncode == 0, "a report judges nothing"
    assert '<failure message="-&gt; list[User] would make it faster" type="WS101">' in done.stdout


def test_files_are_named_from_the_root_of_the_repository(show: Show, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "shop").mkdir()
    done = show(DATA / "advice.json", "--format", "gitlab", "--folder", "shop")
    assert [each["location"]["path"] for each in json.loads(done.stdout)] == ["shop/users.py"]


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["missing.json"], b"", "there is no record at missing.json"),
        (["latest"], b"", "there is no record in"),
        (["-"], b"", "standard input is not a record: it is not JSON"),
        (["-"], b"{}", "standard input is not a record: it names no wirespeed format"),
        (
            ["-"],
            b'{"format": "wirespeed/advice/2"}',
            "has the format wirespeed/advice/2, and this version reads",
        ),
        (
            ["-"],
            b'{"format": "wirespeed/record/9"}',
            "has the format wirespeed/record/9, and this version reads",
        ),
        (["-"], b'{"format": "wirespeed/advice/1"}', "is not a complete record: document.created"),
        ([DATA / "advice.json", "--format", "pdf"], b"", "--format names no format: 'pdf'"),
        ([DATA / "load.json", "--format", "junit"], b"", "junit has no form for a document of the kind load"),
        ([DATA / "comparison.json", "--fail-on", "WS101"], b"", "names no verdict"),
        ([DATA / "load.json", "--fail-on", "WS101"], b"", "--fail-on is for advice and comparisons"),
        ([DATA / "advice.json", "--format", "junit", "--fail-on", "WS9"], b"", "--fail-on names no rule"),
        ([DATA / "advice.json", "--output", "."], b"", ". cannot be written"),
    ],
)
def test_what_cannot_be_shown_is_said_with_what_to_do(
    arguments: list[str | Path], stdin: bytes, message: str, show: Show
) -> None:
    done = show(*arguments, stdin=stdin)
    assert message in done.stderr
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize(
    ("field", "value"),
    [("whole_ns", 10**400), ("elapsed_s", float("inf")), ("created", "0001-01-01T00:00:00+14:00")],
)
@pytest.mark.parametrize("format_name", [None, "markdown", "junit", "sarif"])
def test_figures_that_nobody_measured_are_refused_or_shown_but_never_a_bug(
    field: str, value: object, format_name: str | None, show: Show
) -> None:
    document = json.loads((DATA / "advice.json").read_text())
    (document["endpoints"][0] if field in document["endpoints"][0] else document)[field] = value
    formats = [] if format_name is None else ["--format", format_name]
    done = show("-", *formats, stdin=json.dumps(document).encode())
    assert done.returncode in (0, 2), done.stderr
    if done.returncode:
        assert "the figures of - cannot be shown" in done.stderr


def test_a_large_file_is_refused(show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_BYTES", 1000)
    assert "too large" in show("-", stdin=b" " * 1001).stderr
    shutil.copy(DATA / "advice.json", tmp_path / "advice.json")
    assert show("advice.json").returncode == 2
