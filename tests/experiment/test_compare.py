"""Whole comparisons of real servers: who may win, who must not, and what is said about it."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wirespeed.errors import SubjectError, UsageError
from wirespeed.experiment import rhythm
from wirespeed.experiment.compare import compare
from wirespeed.experiment.events import ignore
from wirespeed.experiment.rhythm import rhythm_of_runs
from wirespeed.experiment.subjects import cast_of, lens_of
from wirespeed.model.comparison import Comparison, MetricEstimate
from wirespeed.model.comparison_plan import ArmPlan, ComparisonPlan, HostedApp
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject, BaseUrl, ServerSettings
from wirespeed.model.verdict import Verdict
from wirespeed.stats import LOOKS, t_interval

from ..http.servers import (  # noqa: TID252  (tests are no package that could be named)
    OK,
    Behaviour,
    Exchange,
    Server,
    answering,
    start,
    taking,
)

pytestmark = pytest.mark.slow

GET = Request(method="GET", path="/")
EXAMPLES = Path(__file__).parents[2] / "examples"

Serve = Callable[[Behaviour], BaseUrl]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """``serve(behave)`` starts a server that is stopped after the test."""
    servers: list[Server] = []

    def serve(behave: Behaviour) -> BaseUrl:
        servers.append(start(behave))
        return BaseUrl(url=servers[-1].url.rstrip("/"))

    yield serve
    for server in servers:
        server.stop()


def plan(*subjects: BaseUrl | HostedApp, request: Request = GET, **changed: Any) -> ComparisonPlan:
    known: dict[str, Any] = {
        "arms": [
            ArmPlan(name=name, subject=subject, request=request)
            for name, subject in zip("ABC", subjects, strict=False)
        ],
        "lens": "service",
        "connections": 1,
        "metric": "median_service_time",
        "margin": 0.02,
        "alpha": 0.05,
        "budget_s": 10.0,
        "max_errors": 0.001,
        "allow_different": False,
        "timeout_s": 5.0,
        "verify_tls": True,
        "seed": 7,
        "folder": Path.cwd(),
    }
    return ComparisonPlan.model_validate({**known, **changed})


def verdict_of(document: Comparison) -> MetricEstimate:
    (found,) = (each for each in document.estimates if each.verdict is not None)
    return found


def answer(body: object, status: str = "200 OK") -> bytes:
    content = json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


def test_a_tenth_more_delay_is_slower(serve: Serve) -> None:
    document = compare(plan(serve(taking(0.005)), serve(taking(0.0055)))).document
    found = verdict_of(document)
    assert found.verdict is Verdict.SLOWER
    assert found.ratio == pytest.approx(1.1, abs=0.05)
    assert document.validity.valid
    assert document.arms[0].errors == {}
    assert document.arms[0].requests > 0


def test_without_a_budget_it_goes_on_until_it_is_decided(serve: Serve) -> None:
    document = compare(plan(serve(taking(0.002)), serve(taking(0.004)), budget_s=None)).document
    assert verdict_of(document).verdict is Verdict.SLOWER
    assert (document.plan.budget_s, document.plan.looks) == (None, LOOKS)
    assert sum(each.kept for each in document.rounds) in LOOKS


def test_a_server_against_itself_never_has_a_winner(serve: Serve) -> None:
    same = serve(taking(0.002))
    document = compare(plan(same, same, budget_s=4.0)).document
    assert verdict_of(document).verdict in (Verdict.EQUIVALENT, Verdict.INCONCLUSIVE)
    assert any("were not restarted" in note for note in document.notes)


def test_a_server_that_answers_500_fast_never_wins(serve: Serve) -> None:
    failing = answering(answer({"detail": "no"}, "500 Internal Server Error"))
    document = compare(plan(serve(taking(0.005)), serve(failing), allow_different=True)).document
    assert verdict_of(document).verdict is Verdict.INVALID
    assert document.validity.reasons == ("B: it answers 500, which is an error",)
    assert document.rounds == ()


def test_a_server_that_hangs_up_after_an_error_is_told_for_the_error(serve: Serve) -> None:
    def failing(exchange: Exchange) -> None:
        exchange.send(answer({"detail": "no"}, "500 Internal Server Error"))
        exchange.reset()

    document = compare(plan(serve(answering(OK)), serve(failing), allow_different=True)).document
    assert document.validity.reasons == ("B: it answers 500, which is an error",)


def test_a_server_that_fails_fast_now_and_then_never_wins(serve: Serve) -> None:
    def now_and_then(exchange: Exchange) -> None:
        time.sleep(0.001)
        exchange.send(OK if exchange.number % 10 else OK.replace(b"200 OK", b"503 No"))

    numbers = count(1)

    def good_at_first(exchange: Exchange) -> None:
        exchange.number = next(numbers)
        now_and_then(exchange)

    document = compare(plan(serve(taking(0.005)), serve(good_at_first))).document
    found = verdict_of(document)
    assert (found.verdict, found.ratio, found.interval) == (Verdict.INVALID, None, None)
    assert "× status 503" in document.validity.reasons[0]
    assert document.arms[1].errors["status 503"] > 0


def test_resets_and_time_outs_are_errors_and_no_times(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        if exchange.number > 40 and exchange.number % 3 == 0:
            exchange.reset()
        else:
            exchange.send(OK)

    document = compare(plan(serve(answering(OK)), serve(behave))).document
    assert verdict_of(document).verdict is Verdict.INVALID
    assert document.arms[1].errors["reset"] >= 10
    assert document.arms[0].errors == {}


def test_a_server_that_hangs_is_given_up_and_invalid(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        if exchange.number > 100:
            time.sleep(30)
        exchange.send(OK)

    document = compare(plan(serve(answering(OK)), serve(behave), timeout_s=0.3)).document
    assert verdict_of(document).verdict is Verdict.INVALID
    assert "timeout" in document.arms[1].errors


def test_a_server_that_is_gone_in_the_middle_is_invalid(serve: Serve) -> None:
    running: list[Server] = []

    def behave(exchange: Exchange) -> None:
        if exchange.number == 300:
            running[0].refuse()
            exchange.reset()
        else:
            exchange.send(OK)

    running.append(start(behave))
    try:
        document = compare(plan(serve(answering(OK)), BaseUrl(url=running[0].url.rstrip("/")))).document
    finally:
        running[0].stop()
    assert verdict_of(document).verdict is Verdict.INVALID
    assert document.validity.reasons


def test_arms_that_answer_differently_get_no_verdict_and_are_not_measured(serve: Serve) -> None:
    one, other = (serve(answering(answer({"id": 1, "price": price}))) for price in (12.5, "12.5"))
    document = compare(plan(one, other)).document
    assert verdict_of(document).verdict is Verdict.INVALID
    assert document.rounds == ()
    assert [(each.at, each.baseline, each.arm) for each in document.arms[1].differences] == [
        ("$.price", 12.5, "12.5")
    ]
    assert "--allow-different" in document.validity.reasons[0]


def test_different_answers_are_compared_when_they_are_allowed(serve: Serve) -> None:
    one, other = (serve(answering(answer({"id": number}))) for number in (1, 2))
    document = compare(plan(one, other, allow_different=True, budget_s=2.0)).document
    assert document.validity.valid
    assert verdict_of(document).verdict is not Verdict.INVALID
    assert document.arms[1].differences[0].at == "$.id"


def test_what_changes_from_call_to_call_does_not_make_arms_differ(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        exchange.send(answer({"at": exchange.number, "name": "x"}))

    document = compare(plan(serve(behave), serve(behave), budget_s=2.0)).document
    assert document.validity.valid
    assert document.unstable == ("$.at",)


def test_under_load_the_time_per_request_at_saturation_is_compared(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A delay that connections do not share: four of them at 20 ms are answered 200 times a second."""
    monkeypatch.setattr(rhythm, "SLICE_S", 0.05)
    document = compare(
        plan(
            *(serve(taking(delay_s)) for delay_s in (0.02, 0.024)),
            lens="load",
            connections=4,
            metric="mean_time_per_request",
            budget_s=4.0,
        )
    ).document
    found = verdict_of(document)
    assert (found.metric, found.verdict) == ("mean_time_per_request", Verdict.SLOWER)
    assert found.ratio == pytest.approx(1.2, abs=0.1)
    assert document.arms[0].requests_per_s == pytest.approx(200, rel=0.25)


def test_a_server_that_cannot_be_reached_is_the_subjects_fault() -> None:
    with pytest.raises(SubjectError, match="no connection"):
        compare(plan(BaseUrl(url="http://127.0.0.1:1"), BaseUrl(url="http://127.0.0.1:1")))


def test_a_port_for_tls_is_told_from_a_broken_server() -> None:
    secure = start(answering(OK), tls=True)
    try:
        port = secure.port
        plain = BaseUrl(url=f"http://127.0.0.1:{port}")
        with pytest.raises(SubjectError, match="speaks TLS") as caught:
            compare(plan(plain, plain))
    finally:
        secure.stop()
    assert caught.value.advice == f"Try https://127.0.0.1:{port}."


def test_another_machine_is_not_loaded_unasked() -> None:
    with pytest.raises(UsageError, match="not on this machine"):
        compare(plan(BaseUrl(url="http://192.0.2.1"), BaseUrl(url="http://192.0.2.1/b")))


def hosted(folder: Path, app: str = "main.py", **env: str) -> HostedApp:
    subject = AppSubject(app=app, python=Path(sys.executable), folder=folder, env=env)
    return HostedApp(app=subject, server=ServerSettings())


DYING = """
import os
from fastapi import FastAPI

app = FastAPI()
calls = 0

@app.get("/")
async def die() -> str:
    global calls
    calls += 1
    if calls == int(os.environ["DIES_AT"]):
        print("no more memory for this", flush=True)
        os._exit(3)
    return "still here"
"""


def test_an_app_that_dies_while_it_is_measured_is_invalid(write_app: Callable[..., Path]) -> None:
    app = hosted(write_app(DYING), DIES_AT="1700")
    document = compare(plan(app, app, timeout_s=1.0)).document
    assert verdict_of(document).verdict is Verdict.INVALID
    reasons = " ".join(document.validity.reasons)
    assert "exit status 3" in reasons
    assert "it last said 'no more memory for this'" in reasons


def test_an_app_that_dies_the_first_time_is_the_subjects_fault(write_app: Callable[..., Path]) -> None:
    folder = write_app(DYING)
    with pytest.raises(SubjectError, match="B: "):
        compare(plan(hosted(folder, DIES_AT="0"), hosted(folder, DIES_AT="2"), timeout_s=1.0))


@pytest.mark.slow
def test_requests_of_one_app_share_its_process_and_different_apps_do_not() -> None:
    one, other = hosted(EXAMPLES, "users.py"), hosted(EXAMPLES, "users.py", OTHER="1")
    health = Request(method="GET", path="/health")
    shared = compare(plan(one, one, request=health, budget_s=5.0)).document
    apart = compare(plan(one, other, request=health, budget_s=5.0)).document

    assert shared.validity.valid
    assert apart.validity.valid
    assert [arm.memory_bytes for arm in shared.arms] == [None, None]
    assert all((arm.memory_bytes or 0) > 10_000_000 for arm in apart.arms)
    for arm in (*shared.arms, *apart.arms):
        assert arm.cpu_s_per_request is not None
        assert 0 < arm.cpu_s_per_request < 0.1
    assert verdict_of(shared).verdict in (Verdict.EQUIVALENT, Verdict.INCONCLUSIVE)


@pytest.mark.slow
def test_the_direct_lens_calls_the_app_in_its_process() -> None:
    app = hosted(EXAMPLES, "users.py")
    requests = [Request(method="GET", path=path) for path in ("/typed", "/untyped")]
    arms = tuple(ArmPlan(name=each.path, subject=app, request=each) for each in requests)
    document = compare(plan(app, app, arms=arms, lens="direct", budget_s=10.0)).document

    found = verdict_of(document)
    assert (found.verdict, document.validity.reasons) == (Verdict.SLOWER, ())
    assert found.ratio is not None
    assert found.ratio > 3
    assert [each.metric for each in document.estimates] == ["median_service_time"]
    assert document.arms[0].latency_ns.p50 is not None


@pytest.mark.slow
def test_a_small_arm_beside_a_heavy_one_reads_as_it_does_alone() -> None:
    """Within the margin, or so little beyond that this machine cannot show it."""
    app = hosted(EXAMPLES, "users.py")
    requests = [Request(method="GET", path=path) for path in ("/health", "/untyped")]
    arms = tuple(ArmPlan(name=each.path, subject=app, request=each) for each in requests)
    wanted = plan(app, app, arms=arms)
    turn, _ = rhythm_of_runs([400_000, 8_000_000], 0.5).turns
    with cast_of(wanted, ignore) as cast, lens_of(wanted, cast) as lens, lens.stage([0, 1]) as stage:

        def small_after(arm: int) -> float:
            stage.sample(arm, turn, 200)
            return stage.sample(0, turn, 200).time_ns or math.nan

        stage.warm_up(0, 50)
        log_ratios = [math.log(small_after(1) / small_after(0)) for _ in range(40)]
    low, _, high = t_interval(np.array(log_ratios), 0.001)
    assert low < math.log(1.02)
    assert high > -math.log(1.02)
