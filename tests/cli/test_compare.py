"""``wirespeed compare``: which arms its forms make, what it refuses, and what it ends with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wirespeed.cli.compare_options import CompareOptions
from wirespeed.cli.compare_plan import comparison_plan, demanded_verdicts
from wirespeed.cli.compare_run import exit_code
from wirespeed.errors import UsageError
from wirespeed.model.comparison import Comparison
from wirespeed.model.comparison_plan import ComparisonPlan, HostedApp
from wirespeed.model.subject import BaseUrl
from wirespeed.model.verdict import Verdict
from wirespeed.store import records

from ..http.servers import (  # noqa: TID252  (tests are no package that could be named)
    OK,
    Exchange,
    answering,
    start,
    taking,
)

pytestmark = pytest.mark.slow

SCRIPT = Path(sys.executable).with_name("wirespeed")
SAMPLE = Path(__file__).parents[1] / "data" / "comparison.json"
ONE, OTHER = "http://127.0.0.1:8000/a", "http://127.0.0.1:8000/b"


def plan_of(*subjects: str, **options: Any) -> ComparisonPlan:
    return comparison_plan(CompareOptions(subjects, **options), read=lambda name: f"<{name}>".encode())


def names(plan: ComparisonPlan) -> list[str]:
    return [arm.name for arm in plan.arms]


def hosted(plan: ComparisonPlan) -> list[HostedApp]:
    subjects = [arm.subject for arm in plan.arms]
    assert all(isinstance(subject, HostedApp) for subject in subjects)
    return subjects  # type: ignore[return-value]


# Forms


def test_two_urls_of_a_server_are_named_by_their_requests() -> None:
    plan = plan_of(ONE, OTHER + "?x=1")
    assert names(plan) == ["GET /a", "GET /b?x=1"]
    assert {arm.subject for arm in plan.arms if isinstance(arm.subject, BaseUrl)} == {
        BaseUrl(url="http://127.0.0.1:8000")
    }


def test_urls_of_two_servers_are_named_by_both() -> None:
    assert names(plan_of(ONE, "http://127.0.0.1:9000/a")) == ["127.0.0.1:8000/a", "127.0.0.1:9000/a"]


def test_two_servers_can_be_asked_for_the_same_path() -> None:
    plan = plan_of("http://127.0.0.1:8000", "http://127.0.0.1:9000", gets=("/x",))
    assert names(plan) == ["127.0.0.1:8000", "127.0.0.1:9000"]
    assert {arm.request.path for arm in plan.arms} == {"/x"}


def test_a_url_against_itself_has_two_names() -> None:
    assert names(plan_of(ONE, ONE)) == ["GET /a", "GET /a (2)"]


def test_two_requests_of_an_app_share_its_subject() -> None:
    plan = plan_of("main:app", gets=("/a",), requests=("POST /b",), bodies=("@f",), headers=("X: 1",))
    assert names(plan) == ["GET /a", "POST /b"]
    assert hosted(plan)[0] == hosted(plan)[1]
    assert plan.arms[1].request.body == b"<f>"
    assert plan.arms[1].request.headers == (("X", "1"),)


HERE = str(Path(sys.executable).parents[1])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"servers": ("uvicorn", "granian")}, ["uvicorn", "granian"]),
        ({"workers": (1, 2)}, ["1 worker", "2 workers"]),
        ({"requirements": ("fastapi==0.129.0", "a==1,b==2")}, ["fastapi==0.129.0", "a==1, b==2"]),
        ({"revisions": ("main", "HEAD")}, ["main", "HEAD"]),
        ({"pythons": (sys.executable, sys.executable)}, [HERE, f"{HERE} (2)"]),
    ],
)
def test_the_option_that_is_repeated_is_what_is_compared(options: Any, expected: list[str]) -> None:
    assert names(plan_of("main:app", gets=("/a",), **options)) == expected


def test_what_is_not_repeated_is_the_same_in_all_arms() -> None:
    plan = plan_of("main:app", gets=("/a",), servers=("uvicorn", "granian"), workers=(2,), env=("A=1",))
    assert [(each.server.name, each.server.workers) for each in hosted(plan)] == [
        ("uvicorn", 2),
        ("granian", 2),
    ]
    assert {each.app.env["A"] for each in hosted(plan)} == {"1"}


def test_two_apps_can_be_compared() -> None:
    plan = plan_of("one:app", "other:app", gets=("/a",))
    assert names(plan) == ["one:app", "other:app"]


def test_two_repeated_options_need_cross() -> None:
    options: dict[str, Any] = {"gets": ("/a", "/b"), "servers": ("uvicorn", "granian")}
    with pytest.raises(UsageError, match="--get or --request and --server are repeated") as refused:
        plan_of("main:app", **options)
    assert "--cross" in (refused.value.advice or "")
    assert names(plan_of("main:app", **options, cross=True)) == [
        "GET /a · uvicorn",
        "GET /a · granian",
        "GET /b · uvicorn",
        "GET /b · granian",
    ]


# Refusals


@pytest.mark.parametrize(
    ("subjects", "options", "message"),
    [
        ((ONE,), {}, "only one arm"),
        (("main:app",), {"gets": ("/a",)}, "only one arm"),
        (("main:app",), {"servers": ("uvicorn", "granian")}, "no request is named"),
        (("main:app", ONE), {}, "an app and a URL"),
        ((ONE, OTHER), {"servers": ("uvicorn",)}, "--server says how to start an app"),
        ((ONE, OTHER), {"gets": ("/c",)}, "has a path, and so has --get"),
        (("ftp://x/a", ONE), {}, "ftp:// cannot be loaded"),
        ((ONE, OTHER), {"lens": "direct"}, "--lens direct"),
        ((ONE, OTHER), {"lens": "slow"}, "--lens 'slow' is not known"),
        ((ONE, OTHER), {"connections": 5}, "one at a time"),
        ((ONE, OTHER), {"lens": "load", "connections": 0}, "-c 0 is too small"),
        ((ONE, OTHER), {"metric": "peak_memory"}, "cannot be told for these arms"),
        ((ONE, OTHER), {"metric": "p99"}, "cannot be told"),
        ((ONE, OTHER), {"margin": "2"}, "--margin"),
        ((ONE, OTHER), {"budget": "soon"}, "--budget"),
        ((ONE, OTHER), {"budget": "10s", "until_decided": True}, "both say when to end"),
        ((ONE, OTHER), {"max_errors": "-1"}, "--max-errors"),
        ((ONE, OTHER), {"bodies": ("x",)}, "--body without a --request"),
        (("main:app",), {"gets": ("/a", "/b"), "servers": ("gunicorn",)}, "--server 'gunicorn' is not known"),
        (("main:app",), {"gets": ("/a",), "workers": (0, 1)}, "--workers 0 is too small"),
        (("main:app",), {"gets": ("/a", "/b"), "lens": "direct", "workers": (2,)}, "no server for --workers"),
        (("main:app",), {"gets": ("/a", "/b"), "remote": True}, "--remote is about URLs"),
        (("main:app",), {"gets": ("/a",), "requirements": ("", "x")}, "names no package"),
        (("main:app",), {"gets": ("/a",), "pythons": ("/no/python", "x")}, "is not an interpreter"),
        (("main:app",), {"gets": ("/a", "/a"), "metric": "peak_memory"}, "cannot be told"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(subjects: tuple[str, ...], options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plan_of(*subjects, **options)


def test_a_lens_has_its_own_metric_and_connections() -> None:
    service, load = plan_of(ONE, OTHER), plan_of(ONE, OTHER, lens="load")
    assert (service.metric, service.connections) == ("median_service_time", 1)
    assert (load.metric, load.connections) == ("mean_time_per_request", 50)


def test_another_metric_can_be_what_the_verdict_is_about() -> None:
    servers: dict[str, Any] = {"gets": ("/a",), "servers": ("uvicorn", "granian")}
    assert plan_of("main:app", metric="cpu_s_per_request", **servers).metric == "cpu_s_per_request"
    assert plan_of("main:app", metric="peak_memory", **servers).metric == "peak_memory"


def test_until_decided_has_no_budget() -> None:
    assert plan_of(ONE, OTHER).budget_s == 60
    assert plan_of(ONE, OTHER, until_decided=True).budget_s is None


def test_no_errors_at_all_can_be_asked_for() -> None:
    assert plan_of(ONE, OTHER, max_errors="0").max_errors == 0


# Exit codes


def document(verdict: str, **changed: Any) -> Comparison:
    found = json.loads(SAMPLE.read_text())
    found["estimates"][0]["verdict"] = verdict
    found["plan"]["budget_s"] = 60.0
    return Comparison.model_validate({**found, **changed})


@pytest.mark.parametrize(
    ("verdict", "fail_on", "code"),
    [
        ("slower", None, 0),
        ("slower", "slower", 1),
        ("faster", "slower", 0),
        ("faster", "different", 1),
        ("slower", "different", 1),
        ("equivalent", "different", 0),
        ("equivalent", "faster, equivalent", 1),
        ("inconclusive", None, 0),
        ("inconclusive", "slower", 4),
    ],
)
def test_a_check_fails_on_the_verdicts_it_names_and_needs_one(
    verdict: str, fail_on: str | None, code: int
) -> None:
    assert exit_code(document(verdict), demanded_verdicts(fail_on)) == code


def test_invalid_comes_before_a_failed_check_and_interrupted_before_both() -> None:
    invalid = {"valid": False, "reasons": ["x"]}
    assert exit_code(document("slower", validity=invalid), demanded_verdicts("slower")) == 4
    assert exit_code(document("slower", validity=invalid, complete=False), ()) == 130


def test_whoever_waits_for_a_decision_is_told_when_there_is_none() -> None:
    undecided = document("inconclusive")
    until_decided = undecided.model_copy(
        update={"plan": undecided.plan.model_copy(update={"budget_s": None})}
    )
    assert exit_code(until_decided, ()) == 4


def test_fail_on_names_verdicts() -> None:
    assert demanded_verdicts("slower,different") == (Verdict.SLOWER, Verdict.FASTER)
    with pytest.raises(UsageError, match="names no verdict"):
        demanded_verdicts("worse")


# The whole command


def wirespeed(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_DATA_HOME": str(cwd)}
    return subprocess.run(
        [SCRIPT, "compare", *arguments], capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


@pytest.fixture
def urls() -> Iterator[tuple[str, str]]:
    servers = [start(taking(delay_s)) for delay_s in (0.004, 0.006)]
    yield servers[0].url, servers[1].url
    for server in servers:
        server.stop()


def test_json_is_one_document_and_the_record_has_it_too(tmp_path: Path, urls: tuple[str, str]) -> None:
    done = wirespeed(*urls, "--json", "--fail-on", "slower", "--budget", "6s", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    printed = Comparison.model_validate_json(done.stdout)
    (path,) = (tmp_path / ".wirespeed").glob("*-comparison.json")
    saved = records.load(path)
    assert saved.document == printed
    assert len(saved.evidence["rounds"]) == len(printed.rounds)
    assert str(path) in done.stderr


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    """The third server of the test's own says when two rounds are over."""
    server = start(answering(OK))
    process = subprocess.Popen(
        [
            SCRIPT,
            "compare",
            server.url,
            server.url,
            "--until-decided",
            "--margin",
            "0.01%",
            "--json",
            "--no-save",
        ],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
    )
    try:
        # Round 0 has one connection, and every round another.
        while server.connections < 4 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=30)
    finally:
        process.kill()
        server.stop()
    assert process.returncode == 130
    found = Comparison.model_validate_json(printed)
    assert not found.complete
    assert 1 <= len(found.rounds) < 40


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("http://127.0.0.1:1/a", "http://127.0.0.1:1/b"), 3, "no connection to 127.0.0.1:1"),
        (("http://no.such.host.invalid/a", "http://no.such.host.invalid/b"), 3, "is not known"),
        (("http://192.0.2.1/a", "http://192.0.2.1/b"), 2, "--remote"),
        (("main:app", "--get", "/a", "--revision", "a", "--revision", "b"), 2, "is in no git repository"),
        (("missing:app", "--get", "/a", "--get", "/b"), 2, "missing"),
        (("http://127.0.0.1:1/a",), 2, "only one arm"),
    ],
)
def test_what_goes_wrong_is_told_with_what_to_do(
    arguments: tuple[str, ...], code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The folder of the tests may lie in a repository, as nox makes it.
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    done = wirespeed(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_arms_that_differ_are_told_and_end_with_4(tmp_path: Path) -> None:
    def behave(exchange: Exchange) -> None:
        body = exchange.path.encode()
        exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    server = start(behave)
    done = wirespeed(server.url + "a", server.url + "b", "--no-save", cwd=tmp_path)
    server.stop()
    assert done.returncode == 4
    assert "invalid: GET /b answers differently than GET /a: body is '/b', not '/a'" in done.stdout
    assert "no verdict" in done.stdout
