"""``wirespeed audit`` as a shell sees it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from wirespeed.audit.checks import all_checks
from wirespeed.audit.readers import all_readers
from wirespeed.cli import shell

SCRIPT = Path(sys.executable).with_name("wirespeed")
FIXTURES = Path(__file__).parents[1] / "audit" / "fixtures"
CLEAN, TROUBLED = "real/clean-c50.hey.txt", "published/4-async-def.wrk.txt"


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Audit = Callable[..., Done]


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Audit:
    """``wirespeed audit ARGUMENTS…`` in the folder of the fixtures; in this process, which is fast."""
    monkeypatch.chdir(FIXTURES)

    def run(*arguments: str | Path, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = shell.run(["audit", *map(str, arguments)])
        written = capsysbinary.readouterr()
        return Done(code, written.out.decode(), written.err.decode())

    return run


def test_a_troubled_file_is_explained_and_a_clean_one_is_left_alone(audit: Audit) -> None:
    done = audit(CLEAN, TROUBLED)

    assert done.returncode == 0, done.stderr
    assert "misleading: 7,010 of 436,091 requests failed" in done.stdout
    assert "2 files · " in done.stdout


def test_the_output_of_a_tool_can_be_piped_in() -> None:
    with (FIXTURES / CLEAN).open("rb") as output:
        done = subprocess.run([SCRIPT, "audit", "-"], stdin=output, capture_output=True, check=False)

    assert done.stdout.decode().startswith("standard input  hey's summary")
    assert done.stdout.decode().endswith("1 file · nothing to object to\n")


@pytest.mark.parametrize(
    ("file", "fail_on", "code"),
    [
        (CLEAN, "note", 0),
        (TROUBLED, "misleading", 1),
        ("documented/clean.oha.json", "doubtful", 0),
        ("documented/clean.oha.json", "note", 1),
        ("documented/few.oha.json", "doubtful", 1),
        ("documented/few.oha.json", "misleading", 0),
    ],
)
def test_a_check_fails_from_the_severity_on_that_was_asked_for(
    audit: Audit, file: str, fail_on: str, code: int
) -> None:
    assert audit(file, "--fail-on", fail_on).returncode == code


def test_findings_about_the_files_together_fail_the_check_too(audit: Audit) -> None:
    assert audit("old=published/1-typed.hey.txt", f"new={CLEAN}", "--fail-on", "doubtful").returncode == 1


def test_json_is_one_document_with_figures_unrounded(audit: Audit) -> None:
    document = json.loads(audit(TROUBLED, "--json").stdout)

    assert document["format"] == "wirespeed/audit/1"
    (file,) = document["files"]
    by_check = {finding["check"]: finding for finding in file["findings"]}
    assert by_check["hidden-errors"]["figures"]["failures"] == 7010
    assert file["run"]["statuses"] is None


def test_labels_make_repeats(audit: Audit) -> None:
    names = [f"a=published/2-json-{n}.ab.txt" for n in (1, 2, 3)]
    names += [f"b=published/2-orjson-{n}.ab.txt" for n in (1, 2, 3)]
    document = json.loads(audit(*names, "--json").stdout)

    assert [group["group"] for group in document["groups"]] == ["a", "b"]
    assert document["differences"][0]["verdict"] == "within the spread"


def test_a_file_with_an_equals_sign_in_its_name_is_a_file(
    audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "c=50.txt").write_bytes((FIXTURES / CLEAN).read_bytes())
    monkeypatch.chdir(tmp_path)

    assert audit("c=50.txt").stdout.startswith("c=50.txt  ")


def test_what_the_tool_was_told_is_compared_with_what_it_did(audit: Audit) -> None:
    done = audit("real/clean-c1.hey.txt", "--connections", "4", "--requests", "2000")

    assert "2,000 requests were asked for, 1,000 ran. (counts)" in done.stdout
    assert "(littles-law)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "there is nothing to audit"),
        (["-", "-"], "standard input can be read only once"),
        (["missing.txt"], "missing.txt cannot be read: No such file or directory"),
        (["."], ". cannot be read: Is a directory"),
        (["=x"], "'=x' names no file"),
        ([CLEAN, "--format", "jmeter"], "there is no format 'jmeter'"),
        ([CLEAN, "--format", "wrk"], "is no whole wrk output"),
        ([CLEAN, "--rate", "nan"], "--rate nan is no rate"),
        ([CLEAN, "--connections", "0"], "--connections 0 is too small"),
        ([CLEAN, "--fail-on", "everything"], "--fail-on 'everything' is no severity"),
        (["--explain", "karma"], "there is no check 'karma'"),
        (["README.md"], "README.md is of no format known here"),
    ],
)
def test_bad_input_says_what_is_wrong_and_what_to_do(
    audit: Audit, arguments: list[str], message: str
) -> None:
    done = audit(*arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert len(done.stderr.splitlines()) >= 2, "an advice follows"


def test_a_file_of_a_gigabyte_is_refused_before_it_is_read(audit: Audit, tmp_path: Path) -> None:
    huge = tmp_path / "huge.txt"
    with huge.open("wb") as file:
        file.truncate(10**9)
    done = audit(huge)

    assert done.returncode == 2
    assert "huge.txt has 1,000.0 MB: at most 83.9 MB are read" in done.stderr


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero")
def test_a_file_without_end_is_refused(audit: Audit) -> None:
    done = audit("/dev/zero")

    assert done.returncode == 2
    assert "/dev/zero does not end" in done.stderr


def test_escape_sequences_in_a_refused_file_reach_no_terminal(audit: Audit, tmp_path: Path) -> None:
    (tmp_path / "x\x1b[2J.txt").write_text("\x1b]0;owned\x07 hello")
    done = audit(tmp_path / "x\x1b[2J.txt")

    assert done.returncode == 2
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("check", all_checks())
def test_every_check_can_be_explained(audit: Audit, check: str) -> None:
    assert audit("--explain", check).stdout.startswith(f"# {check}: ")


def test_all_checks_are_listed_with_their_questions(audit: Audit) -> None:
    lines = audit("--explain", "all").stdout.splitlines()

    assert [line.split()[0] for line in lines] == list(all_checks())


def test_the_help_names_every_format(audit: Audit) -> None:
    page = audit("--help").stdout

    assert [name for name in all_readers() if name not in page] == []
