"""Outputs come from anywhere: whatever they hold, the answer is an audit or one clear message."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.audit.audit import Output, audit
from wirespeed.audit.readers import all_readers
from wirespeed.audit.reading import MOST_BYTES, read_run
from wirespeed.errors import UsageError
from wirespeed.model.audit import Asked, Audit
from wirespeed.report.audit import audit_lines

FIXTURES = Path(__file__).parent / "fixtures"
AUTOCANNON = (FIXTURES / "real/clean-c50.autocannon.json").read_text()
WRK = (FIXTURES / "published/4-async-def.wrk.txt").read_text()


def audited(content: bytes, name: str = "x") -> Audit:
    return audit([Output(name, content)], Asked())


def shown(document: Audit) -> str:
    return "\n".join(line.plain for line in audit_lines(document))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "x is empty"),
        (b" \n\n", "x is empty"),
        (b"hello world\n", "x is of no format known here"),
        (b"{}", "x is of no format known here"),
        (b"[1, 2, 3]", "x is of no format known here"),
        (b'{"metric": "http_reqs", "type": "Point"}\n{"metric"', "x is of no format known here"),
        (b"\x7fELF" + bytes(range(256)) * 40, "x is no text"),
        (b"\x89PNG\r\n\x1a\n" + b"\0\1\2\3" * 500, "x is no text"),
        (b'{"latency": {}, "requests": {}, "throughput": {}, "non2xx": 0}', "requests.total is missing"),
        (b'{"metrics": {"vus_max": {}}}', "metrics.http_reqs is missing"),
        (
            WRK.encode() + AUTOCANNON.encode() + b"This is ApacheBench",
            "x looks like several outputs: ab, wrk",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason_and_advice(content: bytes, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        audited(content)

    assert message in refused.value.message
    assert refused.value.advice


def test_a_document_nested_without_end_is_refused() -> None:
    bomb = '{"latency": {}, "requests": {}, "throughput": {}, "non2xx": ' + "[" * 200_000
    with pytest.raises(UsageError, match="nested too deeply"):
        audited(bomb.encode())


def test_numbers_beyond_all_bounds_are_unknown() -> None:
    document: dict[str, Any] = json.loads(AUTOCANNON)
    document["latency"] |= {"average": "NAN", "max": "HUGE", "p99": "MINUS", "totalCount": 10**30}
    document["requests"]["average"] = "INF"
    text = json.dumps(document)
    for name, number in {"NAN": "NaN", "HUGE": "1e999", "MINUS": "-5", "INF": "Infinity"}.items():
        text = text.replace(f'"{name}"', number)
    run = read_run(text.encode(), "x", None)

    assert (run.latency.mean_s, run.latency.max_s, run.latency.samples, run.requests_per_s) == (None,) * 4
    assert 0.99 not in [p.share for p in run.latency.percentiles]
    assert b"NaN" not in audited(text.encode()).to_json()


def test_a_number_of_a_million_digits_is_refused() -> None:
    text = AUTOCANNON.replace('"errors":0', f'"errors":{"1" * 1_000_000}', 1)
    with pytest.raises(UsageError, match="a number that is too long"):
        audited(text.encode(), "x")


@pytest.mark.parametrize("wrong", [None, "text", True, [], {}, -1, 1.5])
def test_fields_of_any_other_type_are_unknown_not_a_crash(wrong: object) -> None:
    document: dict[str, Any] = json.loads(AUTOCANNON)
    changed = dict.fromkeys(document, wrong) | {
        "requests": {"total": 10},
        "non2xx": wrong,
        "latency": wrong,
    }
    run = read_run(json.dumps(changed).encode(), "x", "autocannon")

    assert run.answered == 10
    assert run.latency.mean_s is None


def test_escape_sequences_reach_no_terminal() -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\x1b[31m\u202e\x9b1mevil"
    text = WRK.replace("http://127.0.0.1:8000/", f"http://127.0.0.1/{hostile}".replace(" ", ""))
    lines = shown(audited(text.encode(), f"name{hostile}"))

    assert not any(character in lines for character in "\x1b\x07\x9b\u202e")
    assert "evil" in lines


def test_escape_sequences_in_errors_and_labels_reach_no_terminal() -> None:
    text = (FIXTURES / "real/timeouts.hey.txt").read_text()
    text = text.replace("Get ", "\x1b[31mGet: \x1b[2J", 1).replace(
        "context deadline exceeded (Client.Timeout", "("
    )
    document = audit([Output("a", text.encode(), "\x1b[5mlabel"), Output("b", WRK.encode(), "b\nc")], Asked())

    assert "\x1b" not in shown(document)


def test_a_copy_of_an_output_is_not_counted_as_a_repeat() -> None:
    first, other = (FIXTURES / "real/clean-c50.wrk.txt").read_bytes(), WRK.encode()
    outputs = [Output("a", first, "old"), Output("b", other, "new"), Output("copy", first, "old")]
    with pytest.raises(UsageError, match="copy is the same output as a: one run, not two"):
        audit(outputs, Asked())


def test_two_runs_in_one_file_are_not_read_as_one() -> None:
    for name in ("real/clean-c50.hey.txt", "real/clean-c50.wrk.txt", "real/clean-c50.ab.txt"):
        with pytest.raises(UsageError, match="it holds 2 runs"):
            audited((FIXTURES / name).read_bytes() * 2)


def test_a_large_json_document_is_refused_before_it_is_parsed() -> None:
    content = b'{"metrics": {"http_reqs": [' + b"[]," * 2_000_000
    with pytest.raises(UsageError, match=r"no format known here for 6\.0 MB"):
        audited(content)


def test_numbers_with_a_decimal_comma_are_not_cut_at_it() -> None:
    text = (FIXTURES / "real/clean-c50.hey.txt").read_text()
    with pytest.raises(UsageError, match="Requests/sec is no number as hey prints them"):
        audited(re.sub(r"(\d)\.(\d)", r"\1,\2", text).encode())

    mean = re.sub(r"(Average:\t0)\.", r"\1,", text)
    assert read_run(mean.encode(), "x", None).latency.mean_s is None


def test_colours_of_a_terminal_are_no_obstacle() -> None:
    coloured = "".join(f"\x1b[1;32m{line}\x1b[0m\n" for line in WRK.splitlines())

    assert audited(coloured.encode()).files[0].run.answered == 429_081


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_files_that_a_windows_shell_wrote_are_read(encoding: str) -> None:
    content = WRK.replace("\n", "\r\n").encode(encoding)

    assert audited(content).files[0].run.answered == 429_081


def test_latin_1_in_a_url_is_no_obstacle() -> None:
    content = WRK.replace("8000/", "8000/caf\xe9").encode("latin-1")

    assert audited(content).files[0].run.answered == 429_081


@pytest.mark.parametrize("name", list(all_readers()))
def test_every_reader_says_how_much_it_reads(name: str) -> None:
    reader = all_readers()[name]
    with pytest.raises(UsageError, match="more than"):
        read_run(b" " * reader.most_bytes + b"xx", "x", name)
    assert reader.most_bytes <= MOST_BYTES


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(all_readers())), st.binary(max_size=300))
def test_any_bytes_are_an_audit_or_a_message(name: str, content: bytes) -> None:
    for tried in (content, WRK.encode()[:400] + content + WRK.encode()[400:]):
        try:
            shown(audit([Output("x", tried)], Asked(), name))
        except UsageError as refused:
            assert refused.advice


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["autocannon", "k6", "oha", "vegeta"]), st.data())
def test_a_document_with_any_values_is_an_audit_or_a_message(name: str, data: st.DataObject) -> None:
    path = {
        "autocannon": "real/clean-c50.autocannon.json",
        "k6": "documented/errors.k6-export.json",
        "oha": "documented/errors.oha.json",
        "vegeta": "documented/errors.vegeta.json",
    }[name]
    document: dict[str, Any] = json.loads((FIXTURES / path).read_text())
    for part in (document, *(value for value in document.values() if isinstance(value, dict))):
        for key in data.draw(st.sets(st.sampled_from(sorted(part) or ["x"]), max_size=4)):
            part[key] = data.draw(JSON_VALUES)
    try:
        shown(audit([Output("x", json.dumps(document).encode())], Asked(connections=10), name))
    except UsageError as refused:
        assert refused.advice


BACKTRACKING = [
    piece + filler * 2**20
    for piece in (
        b"Summary:\n  Requests/sec:\t",
        b"  Thread Stats   Avg      Stdev     Max\n    Latency",
        b"$ hey ",
        b"Concurrency Level: 1\nComplete requests: 1\nTotal:",
    )
    for filler in (b" ", b"1", b"(", b"a ", b"$ ")
]


@pytest.mark.parametrize("content", BACKTRACKING, ids=range(len(BACKTRACKING)))
def test_a_megabyte_on_which_careless_patterns_hang_is_refused(content: bytes) -> None:
    with pytest.raises(UsageError):
        audited(content)
