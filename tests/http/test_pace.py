"""Closed and open loops against servers whose delays and counts are known."""

from __future__ import annotations

import resource
import statistics
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.http import engine
from wirespeed.http.engine import Measured
from wirespeed.http.outcomes import Distribution, Tally
from wirespeed.http.plan import LoadPlan
from wirespeed.http.processes import run_load
from wirespeed.http.target import parse_target
from wirespeed.model.request import Request

from .conftest import Serve
from .servers import OK, Exchange, taking

pytestmark = pytest.mark.slow

MS = 1_000_000
PLAN = LoadPlan(connections=2, requests=None, duration_s=None, timeout_s=5)


def run(url: str, **changes: object) -> Measured:
    return run_load(parse_target(url), replace(PLAN, **changes))


def percentile_ns(distribution: Distribution, share: float) -> int:
    value = distribution.histogram.percentile_ns(share)
    assert value is not None
    return value


class Timed:
    """Answers after 5 ms, and knows how long it really took."""

    def __init__(self) -> None:
        self.took_ns: list[int] = []

    def __call__(self, exchange: Exchange) -> None:
        started = time.perf_counter_ns()
        time.sleep(0.005)
        self.took_ns.append(time.perf_counter_ns() - started)
        exchange.send(OK)


class Crowd:
    """Counts how many requests are being answered at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = self.most = 0

    def __call__(self, exchange: Exchange) -> None:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(0.01)
        with self._lock:
            self._now -= 1
        exchange.send(OK)


class StallingOnce:
    """Answers at once, except in the second half of the first second: what comes then waits for its end."""

    def __init__(self) -> None:
        self._first: float | None = None

    def __call__(self, exchange: Exchange) -> None:
        now = time.perf_counter()
        self._first = self._first or now
        if 0.5 <= now - self._first < 1.0:
            time.sleep(self._first + 1.0 - now)
        exchange.send(OK)


def test_a_number_of_requests_is_sent_exactly_over_so_many_connections(serve: Serve) -> None:
    crowd = Crowd()
    server = serve(crowd)
    measured = run(server.url, connections=5, requests=53)
    assert measured.tally.status == {200: 53}
    assert (server.requests, server.connections, crowd.most) == (53, 5, 5)


def test_fewer_requests_than_connections_are_fine(serve: Serve) -> None:
    assert run(serve().url, connections=5, requests=3).tally.sent == 3


def test_sending_ends_with_the_duration_and_waits_for_what_is_under_way(serve: Serve) -> None:
    server = serve(taking(0.12))
    measured = run(server.url, connections=3, duration_s=0.3)
    assert measured.tally.in_flight == 0
    # A machine that stops for a moment lets fewer be sent, never more.
    assert 3 <= measured.tally.answered == server.requests <= 9


@pytest.mark.parametrize("pace", [{"duration_s": 1.0}, {"duration_s": 1.0, "rate": 50.0, "connections": 10}])
def test_latencies_agree_with_what_the_server_knows_it_took(pace: dict[str, float], serve: Serve) -> None:
    timed = Timed()
    measured = run(serve(timed).url, **pace)
    theirs = statistics.median(timed.took_ns)
    assert theirs <= percentile_ns(measured.tally.service, 0.5) <= 2 * theirs + 10 * MS
    assert theirs <= percentile_ns(measured.tally.response, 0.5) <= 2 * theirs + 10 * MS


def test_an_open_loop_shows_a_stall_that_timing_from_the_send_hides(serve: Serve) -> None:
    measured = run(serve(StallingOnce()).url, rate=200.0, duration_s=1.5)
    tally = measured.tally
    assert (tally.due, tally.unsent) == (300, 0)
    assert percentile_ns(tally.response, 0.99) > 350 * MS
    # From the send only two of 300 requests, one a connection, have seen it.
    assert percentile_ns(tally.service, 0.99) < 150 * MS


def test_a_closed_loop_hides_the_stall_too(serve: Serve) -> None:
    tally = run(serve(StallingOnce()).url, duration_s=1.5).tally
    assert percentile_ns(tally.response, 0.99) < 150 * MS


def test_requests_that_found_no_connection_are_counted_and_are_lower_bounds(serve: Serve) -> None:
    server = serve(taking(0.05))
    tally = run(server.url, connections=1, rate=100.0, duration_s=0.5).tally
    assert tally.due == 50
    assert tally.unsent == 50 - server.requests > 30
    assert tally.response.histogram.total == 50
    assert tally.response.is_lower_bound(percentile_ns(tally.response, 0.9))
    assert not tally.service.is_lower_bound(percentile_ns(tally.service, 0.9))


def test_connections_that_are_there_are_used_before_new_ones_are_made(serve: Serve) -> None:
    """As with a server whose idle time-out is short: half of the connections are closed after their first
    use.
    """

    def behave(exchange: Exchange) -> None:
        exchange.send(OK)
        if exchange.number < 5:
            exchange.finish()

    server = serve(behave)
    tally = run(server.url, connections=10, rate=100.0, requests=60).tally
    assert tally.status == {200: 60}
    assert server.connections == 10


def test_a_number_of_requests_can_be_sent_at_a_rate(serve: Serve) -> None:
    tally = run(serve().url, requests=30, rate=300.0).tally
    assert (tally.due, tally.answered) == (30, 30)


def test_random_arrivals_are_as_many_as_the_seed_says(serve: Serve) -> None:
    dues = {run(serve().url, rate=200.0, duration_s=0.5, poisson=True, seed=3).tally.due for _ in range(2)}
    assert len(dues) == 1


@pytest.mark.parametrize("rate", [None, 20.0])
def test_requests_without_an_answer_at_the_end_are_in_flight_and_lower_bounds(
    rate: float | None, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "DRAIN_NS", 100 * MS)
    tally = run(serve(taking(1.0)).url, duration_s=0.3, rate=rate, connections=10).tally
    assert tally.in_flight == tally.sent > 0
    assert tally.response.is_lower_bound(percentile_ns(tally.response, 0.1))


def test_requests_are_sent_as_often_as_their_weights_say(serve: Serve) -> None:
    server = serve()
    calls = [(Request(method="GET", path="/often"), 3), (Request(method="GET", path="/seldom"), 1)]
    run_load(parse_target(server.url, requests=calls), replace(PLAN, requests=1000))
    assert server.paths == {"/often": 750, "/seldom": 250}


def test_an_answer_that_comes_in_pieces_keeps_its_own_head(serve: Serve) -> None:
    """While one connection reads a long body, another gets another head in answer to the same request."""
    body = b"x" * 50_000
    long = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    def behave(exchange: Exchange) -> None:
        if exchange.number % 2:
            exchange.send(b"HTTP/1.1 500 Oh\r\nContent-Length: 1\r\n\r\nx")
            return
        exchange.send(long[:1000])
        time.sleep(0.01)
        exchange.send(long[1000:])

    tally = run(serve(behave).url, connections=4, requests=80).tally
    assert tally.status == {200: 40, 500: 40}
    assert tally.failed == 0


@pytest.mark.slow
def test_processes_share_the_requests_and_the_schedule(serve: Serve) -> None:
    server = serve()
    measured = run(server.url, connections=5, requests=41, processes=2)
    assert measured.tally.status == {200: 41}
    assert (server.requests, server.connections) == (41, 5)
    measured = run(server.url, connections=4, rate=101.0, duration_s=0.5, processes=2)
    assert measured.tally.due == measured.tally.answered == 51


def test_what_a_process_fails_with_is_what_the_user_sees(closed_port: int) -> None:
    with pytest.raises(engine.SubjectError, match="no connection"):
        run(f"http://127.0.0.1:{closed_port}/", requests=4, processes=2)


@pytest.mark.slow
def test_outcomes_so_far_are_told_while_the_run_goes_on(serve: Serve) -> None:
    told: list[tuple[int, float]] = []
    target = parse_target(serve(taking(0.01)).url)
    for processes in (1, 2):
        told.clear()
        run_load(
            target,
            replace(PLAN, duration_s=1.2, processes=processes),
            lambda tally, elapsed_s: told.append((tally.answered, elapsed_s)),
        )
        assert len(told) >= 2
        assert told == sorted(told)


@pytest.mark.slow
def test_a_server_that_is_gone_for_good_ends_the_run(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        exchange.send(OK)
        if exchange.number == 20:
            server.refuse()
            exchange.reset()

    server = serve(behave)
    measured = run(server.url, connections=1, duration_s=60.0)
    assert measured.server_gone
    assert measured.duration_s < 30


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_memory_does_not_grow_while_a_run_goes_on(serve: Serve) -> None:
    pages: list[int] = []

    def note(tally: Tally, elapsed_s: float) -> None:
        pages.append(int(Path("/proc/self/statm").read_text().split()[1]))

    measured = run_load(parse_target(serve().url), replace(PLAN, duration_s=10.0), note)
    early, late = pages[len(pages) // 4], pages[-1]
    # The rows of the requests between would take 56 bytes each.
    assert measured.tally.sent > 10_000
    assert (late - early) * resource.getpagesize() < 500_000
