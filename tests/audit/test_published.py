"""What published write-ups misread in the outputs of their tools is found in those outputs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.audit.audit import Output, audit
from wirespeed.model.audit import Asked, Audit, AuditedFile

FIXTURES = Path(__file__).parent / "fixtures"
One = Callable[..., AuditedFile]
Audited = Callable[..., Audit]


def finding_of(file: AuditedFile, check: str) -> str:
    (found,) = (finding for finding in file.findings if finding.check == check)
    return found.problem


@pytest.mark.parametrize("arm", ["untyped", "response-model", "typed"])
def test_a_sound_run_of_ten_thousand_requests_is_left_alone(one: One, arm: str) -> None:
    file = one(f"published/1-{arm}.hey.txt", connections=50, requests=10_000)

    assert file.findings == ()
    assert "littles-law" in file.passed


def test_arms_that_ran_once_each_do_not_show_how_much_they_differ_from_themselves(audited: Audited) -> None:
    document = audited("published/1-typed.hey.txt", "published/1-response-model.hey.txt")

    assert [difference.verdict for difference in document.differences] == ["cannot tell"]
    assert "ran only once" in document.findings[0].problem


def test_gains_inside_the_baselines_own_spread_are_no_gains(audited: Audited) -> None:
    names = [f"published/2-{arm}-{n}.ab.txt" for arm in ("json", "orjson", "ujson") for n in (1, 2, 3)]
    document = audited(*names)

    assert document.groups[0].spread == pytest.approx(0.074, abs=0.0005)
    assert [difference.gain for difference in document.differences] == pytest.approx(
        [0.0253, 0.0049], abs=1e-4
    )
    assert {difference.verdict for difference in document.differences} == {"within the spread"}
    assert "repeats of one and the same by up to 7.4 %" in document.findings[0].problem


@pytest.mark.parametrize("arm", ["async-client", "sync-client"])
def test_options_after_the_url_that_never_counted_are_found(one: One, arm: str) -> None:
    file = one(f"published/3-{arm}.hey.txt")

    assert "ignored `-n 1000 -c 40`" in finding_of(file, "ignored-options")
    assert "p99: 200 answers are too few" in finding_of(file, "few-samples")


def test_without_the_command_200_requests_look_like_heys_default() -> None:
    text = (FIXTURES / "published/3-async-client.hey.txt").read_text().partition("\n")[2]
    (alone,) = audit([Output("x", text.encode())], Asked()).files
    (told,) = audit([Output("x", text.encode())], Asked(requests=1000)).files

    assert "200 requests are hey's default" in finding_of(alone, "ignored-options")
    assert finding_of(told, "counts") == "1,000 requests were asked for, 200 ran."


def test_a_tenth_of_failed_reads_is_found(one: One) -> None:
    file = one("published/4-def.wrk.txt")

    assert finding_of(file, "hidden-errors").startswith(
        "25,070 of 250,671 requests failed (10 %): 25,036 read errors, 34 write errors."
    )


def test_the_rate_of_one_thread_is_told_from_the_total(one: One) -> None:
    assert finding_of(one("published/4-def.wrk.txt"), "per-thread") == (
        "Req/Sec 377.54 is the rate of one of 20 threads; all together made 7,504/s."
    )


def test_time_outs_left_out_of_the_latencies_make_the_maximum_a_lower_bound(one: One) -> None:
    file = one("published/4-async-def.wrk.txt")

    assert "399 answers came after the time-out (2 s unless told otherwise)" in finding_of(file, "left-out")
    assert "the maximum of 1.99 s is only a lower bound" in finding_of(file, "censored-maximum")
