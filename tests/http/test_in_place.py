"""A single connection waits for its answers without the event loop, which no count and no outcome shows."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from wirespeed.http.engine import Measured
from wirespeed.http.lanes import Lane
from wirespeed.http.outcomes import Failure
from wirespeed.http.plan import LoadPlan
from wirespeed.http.processes import run_load
from wirespeed.http.target import parse_target

from .conftest import Serve
from .servers import OK, Exchange

ONE = LoadPlan(connections=1, requests=None, duration_s=None, timeout_s=5)


def run(url: str, **changes: object) -> Measured:
    return run_load(parse_target(url, verify=False), replace(ONE, **changes))


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long lanes began to wait in place for, a number each time."""
    began: list[int] = []
    wait = Lane.wait_in_place

    def noted(lane: Lane, patience_ns: int) -> None:
        if patience_ns:
            began.append(patience_ns)
        wait(lane, patience_ns)

    monkeypatch.setattr(Lane, "wait_in_place", noted)
    return began


def test_every_request_is_sent_and_answered_once(serve: Serve, waits: list[int]) -> None:
    server = serve()
    measured = run(server.url, requests=500)
    assert measured.tally.status == {200: 500}
    assert (server.requests, server.connections) == (500, 1)
    assert waits


@pytest.mark.parametrize("changes", [{"connections": 2}, {"rate": 1000.0}])
def test_whoever_might_miss_something_meanwhile_does_not(
    serve: Serve, waits: list[int], changes: dict[str, object]
) -> None:
    assert run(serve().url, duration_s=0.1, **changes).tally.answered
    assert not waits


def test_what_goes_through_tls_does_not(serve: Serve, waits: list[int]) -> None:
    assert run(serve(tls=True).url, requests=20).tally.status == {200: 20}
    assert not waits


def test_timers_have_their_turn_however_soon_answers_come(serve: Serve) -> None:
    reports: list[float] = []
    run_load(
        parse_target(serve().url),
        replace(ONE, duration_s=1.2),
        lambda tally, elapsed_s: reports.append(elapsed_s),
    )
    assert reports


def test_an_answer_that_takes_long_after_many_that_did_not_is_timed_like_any(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        if exchange.number % 50 == 49:
            time.sleep(0.05)
        exchange.send(OK)

    measured = run(serve(behave).url, requests=200)
    assert measured.tally.status == {200: 200}
    histogram = measured.tally.service.histogram
    assert histogram.max_ns is not None
    assert histogram.max_ns >= 50_000_000
    assert measured.tally.service.histogram.percentile_ns(0.985) >= 50_000_000  # type: ignore[operator]


def test_faults_after_answers_that_came_soon_are_counted_in_their_class(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        match exchange.number % 20:
            case 15:
                exchange.reset()
            case 16:
                exchange.send(OK[:-1])
                exchange.finish()
            case 17:
                exchange.send(OK + b"!")
            case 18:
                time.sleep(0.6)
            case _:
                exchange.send(OK)

    tally = run(serve(behave).url, requests=40, timeout_s=0.3).tally
    assert tally.status == {200: 32}
    assert tally.errors == {
        Failure.RESET: 2,
        Failure.TRUNCATED: 2,
        Failure.PROTOCOL: 2,
        Failure.TIMEOUT: 2,
    }
    assert tally.service.censored_above_ns == 300_000_000


def test_an_answer_that_never_ends_but_never_pauses_times_out(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        if exchange.number < 10:
            exchange.send(OK)
            return
        exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            exchange.send(b"1\r\nx\r\n")
            time.sleep(0.0001)

    tally = run(serve(behave).url, requests=12, timeout_s=0.2).tally
    assert (tally.status, tally.errors) == ({200: 10}, {Failure.TIMEOUT: 2})
