"""Every way in which a server can fail: each in its class, none a success, nothing hangs.

The servers count for themselves, and what they counted is what the outcomes are held against.
"""

from __future__ import annotations

import itertools
import socket
import ssl
import time

import pytest

from wirespeed.http.outcomes import Failure, Tally
from wirespeed.http.plan import LoadPlan
from wirespeed.http.processes import run_load
from wirespeed.http.target import parse_target
from wirespeed.model.request import Request

from .conftest import Serve
from .servers import OK, Behaviour, Exchange, answering, taking

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def load(
    url: str, requests: int = 12, *, method: str = "GET", connections: int = 3, timeout_s: float = 5
) -> Tally:
    plan = LoadPlan(connections=connections, requests=requests, duration_s=None, timeout_s=timeout_s)
    call = Request(method=method, path="/", body=b"x" * 10 if method == "POST" else b"")
    return run_load(parse_target(url, requests=[(call, 1)]), plan).tally


def resetting(sent_before: bytes) -> Behaviour:
    def behave(exchange: Exchange) -> None:
        exchange.send(sent_before)
        exchange.reset()

    return behave


def closing(sent_before: bytes) -> Behaviour:
    def behave(exchange: Exchange) -> None:
        exchange.send(sent_before)
        exchange.finish()

    return behave


def flooding(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 OK\r\n")
    for number in itertools.count():
        exchange.send(b"X-%d: %s\r\n" % (number, b"y" * 1000))


def dribbling_for_ever(exchange: Exchange) -> None:
    exchange.send(CHUNKED)
    while True:
        exchange.send(b"1\r\nx\r\n")
        time.sleep(0.01)


def byte_by_byte(exchange: Exchange) -> None:
    for byte in OK:
        exchange.send(bytes([byte]))


FAULTS: dict[str, tuple[Behaviour, Failure]] = {
    "resets before the answer": (resetting(b""), Failure.RESET),
    "resets in the middle of the head": (resetting(b"HTTP/1.1 200 OK\r\nContent-Le"), Failure.RESET),
    "resets in the middle of the body": (resetting(OK[:-1]), Failure.RESET),
    "resets an answer of unknown length": (resetting(b"HTTP/1.1 200 OK\r\n\r\nabc"), Failure.RESET),
    "closes before the answer": (closing(b""), Failure.TRUNCATED),
    "closes in the middle of the head": (closing(b"HTTP/1.1 200 OK\r\nContent-Le"), Failure.TRUNCATED),
    "closes in the middle of the body": (closing(OK[:-1]), Failure.TRUNCATED),
    "closes in the middle of a chunk": (closing(CHUNKED + b"5\r\nab"), Failure.TRUNCATED),
    "closes before the last chunk": (closing(CHUNKED + b"2\r\nab\r\n"), Failure.TRUNCATED),
    "closes after 100 Continue": (closing(b"HTTP/1.1 100 Continue\r\n\r\n"), Failure.TRUNCATED),
    "sends a bad chunk": (answering(CHUNKED + b"zz\r\nab\r\n"), Failure.PROTOCOL),
    "sends a bad chunk later": (answering(CHUNKED + b"2\r\nabcd\r\n"), Failure.PROTOCOL),
    "answers twice": (answering(OK + OK), Failure.PROTOCOL),
    "sends more than it said": (answering(OK + b"!"), Failure.PROTOCOL),
    "speaks another protocol": (answering(b"220 smtp.example ESMTP\r\n"), Failure.PROTOCOL),
    "floods headers": (flooding, Failure.PROTOCOL),
    "never answers": (lambda exchange: time.sleep(2), Failure.TIMEOUT),
    "never finishes": (dribbling_for_ever, Failure.TIMEOUT),
    "answers too late": (taking(1.0), Failure.TIMEOUT),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_counted_in_its_class_and_none_as_an_answer(name: str, serve: Serve) -> None:
    behave, failure = FAULTS[name]
    server = serve(behave)
    tally = load(server.url, timeout_s=0.2 if failure is Failure.TIMEOUT else 5)
    assert dict(tally.errors) == {failure: 12}
    assert not tally.status
    assert server.requests == tally.sent == 12


ANSWERS: dict[str, tuple[bytes, int]] = {
    "500": (b"HTTP/1.1 500 Oh\r\nContent-Length: 1\r\n\r\nx", 500),
    "a redirect": (b"HTTP/1.1 307 T\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", 307),
    "204": (b"HTTP/1.1 204 N\r\n\r\n", 204),
    "in chunks": (CHUNKED + b"2\r\nok\r\n0\r\n\r\n", 200),
    "after 1xx": (b"HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\n" + OK, 200),
    "with a head of its own each time": (b"", 200),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_are_counted_by_their_exact_status(name: str, serve: Serve) -> None:
    content, status = ANSWERS[name]
    server = serve(answering(content) if content else with_number)
    tally = load(server.url)
    assert dict(tally.status) == {status: 12}
    assert server.requests == tally.sent == 12
    assert server.connections == 3


def with_number(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Number: %d\r\nContent-Length: 2\r\n\r\nok" % exchange.number)


def test_an_answer_that_comes_byte_by_byte_is_an_answer(serve: Serve) -> None:
    tally = load(serve(byte_by_byte).url)
    assert dict(tally.status) == {200: 12}
    assert tally.received_bytes == 12 * len(OK)


def test_an_answer_that_ends_with_its_connection_is_an_answer(serve: Serve) -> None:
    server = serve(closing(b"HTTP/1.1 200 OK\r\n\r\nuntil the end"))
    assert dict(load(server.url).status) == {200: 12}
    assert server.connections == 12


def test_answers_to_head_have_no_body_whatever_they_say(serve: Serve) -> None:
    server = serve(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"))
    assert dict(load(server.url, method="HEAD").status) == {200: 12}
    assert server.connections == 3


def test_a_connection_that_the_server_will_close_is_not_used_again(serve: Serve) -> None:
    server = serve(closing(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"))
    tally = load(server.url)
    assert (dict(tally.status), tally.retried) == ({200: 12}, 0)
    assert server.connections == 12


def test_a_body_larger_than_any_buffer_arrives_whole(serve: Serve) -> None:
    body = b"x" * 3_000_000
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    tally = load(serve(answering(answer)).url, requests=6)
    assert dict(tally.status) == {200: 6}
    assert tally.received_bytes == 6 * len(answer)


def test_a_request_larger_than_any_buffer_arrives_whole(serve: Serve) -> None:
    server = serve()
    plan = LoadPlan(connections=2, requests=4, duration_s=None, timeout_s=5)
    call = Request(method="POST", path="/", body=b"x" * 3_000_000)
    tally = run_load(parse_target(server.url, requests=[(call, 1)]), plan).tally
    assert dict(tally.status) == {200: 4}


def closing_after_each(exchange: Exchange) -> None:
    """As a server does whose idle time-out has passed: without a word."""
    exchange.send(OK)
    exchange.finish()


def test_a_request_that_found_its_connection_closed_is_sent_again_and_counted_once(serve: Serve) -> None:
    server = serve(closing_after_each)
    tally = load(server.url)
    assert (dict(tally.status), tally.failed) == ({200: 12}, 0)
    assert server.requests == 12
    assert tally.retried == server.connections - 3


def test_a_request_that_must_not_be_sent_twice_is_not(serve: Serve) -> None:
    server = serve(closing_after_each)
    tally = load(server.url, method="POST")
    assert set(tally.errors) == {Failure.STALE}
    assert tally.answered == server.requests
    assert (tally.sent, tally.retried) == (12, 0)


def test_a_request_is_never_sent_again_after_a_reset(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        if exchange.number % 2:
            exchange.reset()
        else:
            exchange.send(OK)

    server = serve(behave)
    tally = load(server.url, connections=1)
    assert (dict(tally.status), dict(tally.errors)) == ({200: 6}, {Failure.RESET: 6})
    assert (server.requests, tally.retried) == (12, 0)


def test_a_server_that_stops_in_the_middle_is_seen_in_the_errors(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        exchange.send(OK)
        if exchange.number == 9:
            server.refuse()
            exchange.reset()

    server = serve(behave)
    tally = load(server.url, connections=1, requests=20)
    assert tally.answered >= 9
    assert set(tally.errors) <= {Failure.RESET, Failure.CONNECT_REFUSED}
    assert tally.errors[Failure.CONNECT_REFUSED] >= 9


def test_a_time_out_is_a_lower_bound_in_the_distribution_and_never_a_fast_answer(serve: Serve) -> None:
    slow_every_third = serve(lambda exchange: taking(1.0 if exchange.number % 3 == 0 else 0.0)(exchange))
    tally = load(slow_every_third.url, requests=60, timeout_s=0.1)
    assert tally.errors[Failure.TIMEOUT] >= 15
    histogram = tally.response.histogram
    assert histogram.total == tally.answered + tally.errors[Failure.TIMEOUT]
    slowest = histogram.percentile_ns(0.99)
    assert slowest is not None
    assert tally.response.is_lower_bound(slowest)
    assert tally.service.censored_above_ns == 100_000_000


def test_one_fault_does_not_hide_behind_another(serve: Serve) -> None:
    faults = itertools.cycle(
        [answering(OK), resetting(b""), closing(OK[:-1]), answering(CHUNKED + b"zz\r\n"), answering(OK)]
    )
    tally = load(serve(lambda exchange: next(faults)(exchange)).url, connections=1, requests=25)
    assert tally.status == {200: 10}
    assert tally.errors == {Failure.RESET: 5, Failure.TRUNCATED: 5, Failure.PROTOCOL: 5}


def test_connections_that_are_neither_made_nor_refused_time_out() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        # Nobody accepts, and the queue of those who wait for that is as short as can be.
        listener.listen(0)
        target = parse_target(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        plan = LoadPlan(connections=6, requests=6, duration_s=None, timeout_s=0.2, connect_timeout_s=0.2)
        tally = run_load(target, plan).tally
    assert set(tally.errors) == {Failure.CONNECT_TIMEOUT, Failure.TIMEOUT}
    assert tally.failed == 6


def test_a_tls_handshake_that_fails_later_is_counted(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        exchange.send(OK)
        # Without a certificate it can greet nobody.
        server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        exchange.finish()

    server = serve(behave, tls=True)
    plan = LoadPlan(connections=1, requests=6, duration_s=None, timeout_s=5)
    tally = run_load(parse_target(server.url, verify=False), plan).tally
    assert (dict(tally.status), dict(tally.errors)) == ({200: 1}, {Failure.TLS: 5})
