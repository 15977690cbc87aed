"""What a guard says: its document as others read it, and the page that people do."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from wirespeed.cli.guard_run import exit_code, when_inconclusive
from wirespeed.errors import UsageError
from wirespeed.model.guard import Guard, GuardDecision
from wirespeed.model.record import Record
from wirespeed.report.guard import print_guard

SAMPLE = json.loads((Path(__file__).parents[1] / "data" / "guard.json").read_text(encoding="utf-8"))


def document(**changed: Any) -> Guard:
    return Guard.model_validate({**SAMPLE, **changed})


def printed(width: int = 100, **changed: Any) -> str:
    file = io.StringIO()
    print_guard(document(**changed), Console(file=file, width=width, color_system=None))
    return file.getvalue()


def endpoint(request: str, decision: str | None, ratio: float | None = 1.0, **more: Any) -> dict[str, Any]:
    interval = None if ratio is None else [ratio - 0.01, ratio + 0.01]
    known = {
        "request": request,
        "ratio": ratio,
        "interval": interval,
        "decision": decision,
        "behaviour": "same",
    }
    return {**known, **more}


# The document


def test_the_published_sample_is_read_and_written_as_it_stands() -> None:
    written = json.loads(document().to_json())
    for key, value in SAMPLE.items():
        if key != "created":
            assert written[key] == value or _is_kept(value, written[key]), key


def _is_kept(expected: Any, actual: Any) -> bool:
    """Everything that was said is said still; more may be."""
    if isinstance(expected, dict):
        return all(_is_kept(value, actual[key]) for key, value in expected.items())
    if isinstance(expected, list):
        pairs = zip(expected, actual, strict=True)
        return all(_is_kept(*pair) for pair in pairs)
    return bool(expected == actual)


def test_a_record_keeps_a_guard_as_a_guard() -> None:
    record = Record(kind="guard", document=document(), evidence={"rounds": []})
    assert isinstance(Record.model_validate_json(record.to_json()).document, Guard)


# Exit codes


@pytest.mark.parametrize(
    ("decision", "inconclusive", "code"),
    [
        ("pass", "fail", 0),
        ("fail", "pass", 1),
        ("inconclusive", "pass", 0),
        ("inconclusive", "fail", 4),
    ],
)
def test_a_guard_fails_where_it_is_proven_and_where_a_decision_is_demanded(
    decision: str, inconclusive: str, code: int
) -> None:
    assert exit_code(document(decision=decision), when_inconclusive(inconclusive)) == code


def test_an_interrupted_guard_ends_as_one_whatever_it_found() -> None:
    assert exit_code(document(complete=False), "pass") == 130


def test_inconclusive_is_fail_or_pass() -> None:
    with pytest.raises(UsageError, match="'maybe'"):
        when_inconclusive("maybe")


# The page


def test_the_published_sample_reads_like_this() -> None:
    assert printed() == (
        "app  head (working tree, no changes) against base (3f2c…)\n"
        "fail: behaviour changed: GET /b; more than 5 % slower: GET /a\n"
        "\n"
        "GET /b body\n"
        "    $.v: 0 → 1\n"
        "\n"
        "GET /a  1.24× slower [1.21, 1.27]  fail\n"
        "base against itself: 0.1 % slower [-0.3, 0.5], so this machine is fit\n"
    )


def test_packages_that_differ_are_the_likely_explanation() -> None:
    changes = [{"name": "fastapi", "base": "0.165.0", "head": "0.129.0"}]
    assert "likely explanation: fastapi 0.165.0 → 0.129.0" in printed(package_changes=changes)


def test_an_unfit_machine_blames_nobody() -> None:
    certificate = {"ratio": 1.2, "interval": [1.1, 1.3], "fit": False, "unfit": ["GET /a"]}
    told = printed(
        decision="inconclusive",
        certificate=certificate,
        endpoints=[endpoint("GET /a", "inconclusive")],
        behaviour=[],
    )
    assert "nobody is blamed" in told
    assert "differs from itself at GET /a" in told
    assert "fail" not in told


def test_what_would_decide_stands_beside_what_is_undecided() -> None:
    told = printed(
        decision="inconclusive",
        endpoints=[endpoint("GET /a", "inconclusive", 1.04, rounds_needed=25)],
        behaviour=[],
    )
    assert "neither proven nor excluded" in told
    assert "about 25 rounds would decide" in told


def test_an_endpoint_that_behaves_differently_has_no_speed() -> None:
    told = printed(endpoints=[endpoint("GET /b", None, None, note="it behaves differently")])
    assert "GET /b  not compared" in told


def test_many_endpoints_that_pass_are_counted_not_listed() -> None:
    passing = [endpoint(f"GET /{number}", "pass") for number in range(30)]
    told = printed(endpoints=[endpoint("GET /slow", "fail", 1.3), *passing], behaviour=[])
    assert "GET /slow" in told
    assert "30 endpoints more pass" in told
    assert "GET /7" not in told


def test_escape_sequences_of_an_app_never_reach_the_terminal() -> None:
    told = printed(endpoints=[endpoint("GET /\x1b[31mred", "pass")], notes=["\x1b]0;title\x07note"])
    assert "\x1b" not in told


def test_a_guard_that_passes_says_what_it_excludes() -> None:
    told = printed(decision="pass", endpoints=[endpoint("GET /a", "pass")], behaviour=[])
    assert "pass: nothing is more than 5 % slower" in told
    assert GuardDecision.PASS.value in told
