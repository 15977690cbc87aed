"""What a connection makes of bytes once it knows the head they begin with: the same as before."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from wirespeed.http.connection import NOW, Call, Connection
from wirespeed.http.outcomes import Failure
from wirespeed.http.recording import BYTES, CENSORED, DUE, END, FIRST, SENT, STATUS, WRITTEN, Recorder
from wirespeed.http.target import parse_target
from wirespeed.model.request import Request
from wirespeed.stats.histogram import IntArray


def answer(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\nServer: s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


OK = answer(b"twelve bytes")
UNTIL_THE_END = b"HTTP/1.1 200 OK\r\nServer: s\r\n\r\nabc"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"


class Transport:
    """Of a connection that writes to its socket itself."""

    def abort(self) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0


class Line:
    """A connection whose other end is the test, and what its lane was told."""

    def __init__(self, ours: socket.socket) -> None:
        self.told: list[str | Failure] = []
        self._recorder = Recorder()
        self.connection = Connection(self, self._recorder, ours, in_the_clear=True)
        self.connection.connection_made(Transport())  # type: ignore[arg-type]

    def ready(self) -> None:
        self.told.append("ready")

    def closed(self) -> None:
        self.told.append("closed")

    def stale(self, call: Call, due_ns: int) -> None:
        self.told.append("stale")

    def failed(self, failure: Failure) -> None:
        self.told.append(failure)

    def exchange(self, call: Call, *pieces: bytes) -> None:
        """Send a request, and let the answer come in pieces."""
        self.connection.send(call, NOW)
        self.receive(*pieces)

    def receive(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.connection.data_received(piece)

    def answers(self) -> list[tuple[int, int]]:
        """Status and length of each, in order."""
        return [(int(row[STATUS]), int(row[BYTES])) for row in self.rows()]

    def rows(self) -> IntArray:
        return self._recorder.take()


@pytest.fixture
def line() -> Iterator[Line]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        yield Line(ours)


def a_call(method: str = "GET") -> Call:
    request = Request(method=method, path="/")
    return Call(parse_target("http://127.0.0.1:1/", requests=[(request, 1)]).requests[0])


@pytest.fixture
def knowing(line: Line) -> tuple[Line, Call]:
    """A connection that has had an answer, and the call it was to."""
    call = a_call()
    line.exchange(call, OK)
    assert line.answers() == [(200, len(OK))]
    assert OK.startswith(call.known_head.head)
    line.told.clear()
    return line, call


@pytest.mark.parametrize("boundary", range(1, len(OK)))
def test_an_answer_may_be_split_anywhere(knowing: tuple[Line, Call], boundary: int) -> None:
    line, call = knowing
    line.exchange(call, OK[:boundary], OK[boundary:])
    line.exchange(call, OK)
    assert line.answers() == [(200, len(OK))] * 2
    assert line.told == ["ready"] * 2


def test_an_answer_may_come_byte_by_byte(knowing: tuple[Line, Call]) -> None:
    line, call = knowing
    line.exchange(call, *(OK[index : index + 1] for index in range(len(OK))))
    assert (line.answers(), line.told) == ([(200, len(OK))], ["ready"])


@pytest.mark.parametrize("boundary", range(1, len(OK)))
def test_an_answer_that_ends_too_early_is_truncated_wherever_that_is(
    knowing: tuple[Line, Call], boundary: int
) -> None:
    line, call = knowing
    line.exchange(call, OK[:boundary])
    line.connection.eof_received()
    assert (line.answers(), line.told) == ([], [Failure.TRUNCATED])


@pytest.mark.parametrize(
    ("other", "status"),
    [
        (answer(b"thirteen here"), 200),
        (answer(b""), 200),
        (answer(b"twelve bytes", b"201 OK"), 201),
        (answer(b"twelve bytes", b"500 No"), 500),
        (b"HTTP/1.1 204 No Content\r\n\r\n", 204),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 12\r\n\r\n", 304),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" + OK, 200),
        (CHUNKED, 200),
    ],
)
def test_another_answer_in_between_is_taken_for_what_it_is(
    knowing: tuple[Line, Call], other: bytes, status: int
) -> None:
    line, call = knowing
    for content in (other, OK, other, other, OK):
        line.exchange(call, content)
    one, another = (200, len(OK)), (status, len(other))
    assert line.answers() == [another, one, another, another, one]
    assert line.told == ["ready"] * 5


def test_an_answer_without_a_length_still_ends_with_its_connection(knowing: tuple[Line, Call]) -> None:
    line, call = knowing
    line.exchange(call, UNTIL_THE_END)
    assert line.told == []
    line.connection.eof_received()
    assert line.answers() == [(200, len(UNTIL_THE_END))]
    assert line.told == ["closed", "ready"]


def test_a_head_that_is_known_but_closes_the_connection_is_read_again_each_time(line: Line) -> None:
    closing = OK.replace(b"Server: s", b"Connection: close")
    call = a_call()
    line.exchange(call, closing)
    assert line.told == ["closed", "ready"]
    assert not closing.startswith(call.known_head.head)


@pytest.mark.parametrize("pieces", [(OK + b"!",), (OK[:-3], OK[-3:] + b"!"), (OK + OK,)])
def test_bytes_beyond_the_answer_are_a_violation(
    knowing: tuple[Line, Call], pieces: tuple[bytes, ...]
) -> None:
    line, call = knowing
    line.exchange(call, *pieces)
    assert (line.answers(), line.told) == ([], [Failure.PROTOCOL])


def test_bytes_that_nobody_asked_for_end_the_connection_but_not_the_answer(
    knowing: tuple[Line, Call],
) -> None:
    line, call = knowing
    line.exchange(call, OK)
    line.receive(OK)
    assert (line.answers(), line.told) == ([(200, len(OK))], ["ready", "closed"])


def test_what_a_head_means_depends_on_the_request(line: Line) -> None:
    get, head = a_call("GET"), a_call("HEAD")
    bare = OK.removesuffix(b"twelve bytes")
    for _ in range(2):
        line.exchange(get, OK)
        line.exchange(head, bare)
    assert line.answers() == [(200, len(OK)), (200, len(bare))] * 2
    line.told.clear()
    line.exchange(head, OK)
    assert line.told == [Failure.PROTOCOL]


def test_a_time_out_in_the_middle_of_a_known_answer_is_one(knowing: tuple[Line, Call]) -> None:
    line, call = knowing
    line.exchange(call, OK[:-1])
    due = line.connection.in_flight()
    assert due is not None
    line.connection.time_out(due[1] + 1, 1000)
    line.receive(OK[-1:])
    (row,) = line.rows()
    assert (row[STATUS], row[END] - row[SENT]) == (CENSORED, 1000)
    assert line.told == [Failure.TIMEOUT]


def test_times_are_those_of_the_pieces(knowing: tuple[Line, Call]) -> None:
    line, call = knowing
    line.exchange(call, OK[:-5], OK[-5:])
    line.exchange(call, OK)
    in_two, at_once = line.rows()
    for row in (in_two, at_once):
        assert row[DUE] == row[SENT] <= row[WRITTEN] <= row[FIRST] <= row[END]
    assert in_two[FIRST] < in_two[END]
    assert at_once[FIRST] == at_once[END]


def test_a_request_that_was_due_before_keeps_that_time(knowing: tuple[Line, Call]) -> None:
    line, call = knowing
    line.connection.send(call, 5)
    line.receive(OK)
    (row,) = line.rows()
    assert row[DUE] == 5 < row[SENT]
