"""What comparisons rely on: turns never overlap, keep their connections, and end when too much fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from wirespeed.errors import SubjectError, UsageError
from wirespeed.http.connection import Call
from wirespeed.http.event_loop import event_loop
from wirespeed.http.kept_answer import KeptAnswer
from wirespeed.http.outcomes import Failure
from wirespeed.http.recording import DUE, END, STATUS
from wirespeed.http.target import Target, parse_target
from wirespeed.http.turns import Driver, TurnResult
from wirespeed.model.request import Request

from .conftest import Serve
from .servers import OK, Exchange, answering, taking


def driven(
    url: str,
    use: Callable[[Driver, Target], Awaitable[object]],
    *,
    connections: int = 1,
    timeout_s: float = 5.0,
    requests: tuple[Request, ...] = (),
) -> object:
    target = parse_target(url, requests=[(request, 1) for request in requests])

    async def drive() -> object:
        driver = await Driver.connected(
            target.origin, connections, timeout_s=timeout_s, connect_timeout_s=5.0, remote=False
        )
        try:
            return await use(driver, target)
        finally:
            await driver.close()

    with asyncio.Runner(loop_factory=event_loop()[0]) as runner:
        return runner.run(drive())


def turn_of(result: object) -> TurnResult:
    assert isinstance(result, TurnResult)
    return result


def test_turns_share_a_connection_and_tell_their_requests_apart(serve: Serve) -> None:
    server = serve()

    async def two_turns(driver: Driver, target: Target) -> tuple[TurnResult, TurnResult]:
        first, second = (Call(request) for request in target.requests)
        return await driver.run(first, 5), await driver.run(second, 7)

    requests = (Request(method="GET", path="/a"), Request(method="GET", path="/b"))
    five, seven = driven(server.url, two_turns, requests=requests)  # type: ignore[misc]

    assert (five.sent, len(five.rows), seven.sent, len(seven.rows)) == (5, 5, 7, 7)
    assert (server.connections, dict(server.paths)) == (1, {"/a": 5, "/b": 7})
    assert five.rows[:, END].max() <= seven.rows[:, DUE].min()


def test_a_slice_waits_for_what_is_under_way_when_its_time_is_up(serve: Serve) -> None:
    server = serve(taking(0.02))

    async def slice_(driver: Driver, target: Target) -> TurnResult:
        return await driver.slice(Call(target.requests[0]), 0.05)

    turn = turn_of(driven(server.url, slice_, connections=4))

    assert turn.sent == len(turn.rows) == server.requests
    assert turn.full_from_ns < turn.full_until_ns <= turn.rows[:, END].max()


def test_a_server_that_fails_again_and_again_ends_the_turn(serve: Serve) -> None:
    server = serve(Exchange.reset)

    async def many(driver: Driver, target: Target) -> TurnResult:
        return await driver.run(Call(target.requests[0]), 1_000_000)

    turn = turn_of(driven(server.url, many))

    assert 10 <= turn.sent < 1_000_000
    assert turn.failures.total() == turn.sent
    assert len(turn.rows) == 0


def test_the_first_time_out_ends_the_turn_and_is_a_row_without_a_status(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        if exchange.number == 3:
            time.sleep(1)
        exchange.send(OK)

    async def many(driver: Driver, target: Target) -> TurnResult:
        return await driver.run(Call(target.requests[0]), 1_000_000)

    turn = turn_of(driven(serve(behave).url, many, timeout_s=0.2))

    assert turn.failures[Failure.TIMEOUT] == 1
    assert (turn.rows[:, STATUS] == 0).sum() == 1
    assert turn.sent == len(turn.rows)


def test_the_failures_of_one_turn_are_not_counted_in_the_next(serve: Serve) -> None:
    def behave(exchange: Exchange) -> None:
        if exchange.number < 3:
            exchange.reset()
        else:
            exchange.send(OK)

    async def two_turns(driver: Driver, target: Target) -> tuple[TurnResult, TurnResult]:
        call = Call(target.requests[0])
        return await driver.run(call, 3), await driver.run(call, 3)

    failing, good = driven(serve(behave).url, two_turns)  # type: ignore[misc]

    assert (failing.failures.total(), good.failures.total()) == (3, 0)
    assert good.rows[:, STATUS].tolist() == [200, 200, 200]


CHUNKED = (
    b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"2\r\nwi\r\n3\r\nres\r\n0\r\n\r\n"
)


@pytest.mark.parametrize(
    ("sent", "method", "body"),
    [
        (CHUNKED, "GET", b"wires"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok", "GET", b"ok"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n", "HEAD", b""),
    ],
)
def test_a_fetched_answer_is_whole(serve: Serve, sent: bytes, method: str, body: bytes) -> None:
    async def fetch(driver: Driver, target: Target) -> object:
        return await driver.fetch(target.requests[0])

    requests = (Request(method=method, path="/"),)
    answer = driven(serve(answering(sent)).url, fetch, requests=requests, connections=3)

    assert isinstance(answer, KeptAnswer)
    assert (answer.status, bytes(answer.body)) == (200, body)
    assert (b"Content-Type", b"text/plain") in answer.headers
    assert b"Link" not in dict(answer.headers)


def test_an_answer_that_does_not_come_is_fetched_as_its_failure(serve: Serve) -> None:
    async def fetch(driver: Driver, target: Target) -> object:
        return await driver.fetch(target.requests[0])

    assert driven(serve(Exchange.finish).url, fetch) is Failure.TRUNCATED


def test_an_answer_that_does_not_come_for_want_of_tls_names_the_url_that_works(serve: Serve) -> None:
    server = serve(tls=True)

    async def fetch(driver: Driver, target: Target) -> object:
        return await driver.fetch(target.requests[0])

    with pytest.raises(SubjectError) as caught:
        driven(server.url.replace("https", "http"), fetch)
    assert caught.value.advice == f"Try https://127.0.0.1:{server.port}."


def test_a_server_that_cannot_be_reached_is_the_subjects_fault(closed_port: int) -> None:
    async def nothing(driver: Driver, target: Target) -> None: ...

    with pytest.raises(SubjectError, match=r"no connection to 127\.0\.0\.1"):
        driven(f"http://127.0.0.1:{closed_port}/", nothing)


def test_another_machine_is_not_driven_unasked() -> None:
    async def nothing(driver: Driver, target: Target) -> None: ...

    with pytest.raises(UsageError, match="not on this machine"):
        driven("http://192.0.2.1/", nothing)
