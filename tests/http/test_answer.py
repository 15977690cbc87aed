"""Where answers end. Every answer is read whole, and again byte by byte, which must make no difference."""

from __future__ import annotations

import pytest

from wirespeed.http.answer import (
    LONGEST_HEAD_BYTES,
    AnswerReader,
    HeadAnswerReader,
    KnownHead,
    ProtocolViolation,
)

WHOLE_ANSWERS = {
    "of a length": (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", 200),
    "without content": (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200),
    "without a reason phrase": (b"HTTP/1.1 500\r\nContent-Length: 1\r\n\r\nx", 500),
    "in chunks": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n",
        200,
    ),
    "in chunks, with trailers": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n",
        200,
    ),
    "after 100 Continue": (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 C\r\nContent-Length: 1\r\n\r\nx", 201),
    "after two 1xx": (
        b"HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\nLink: </x>\r\n\r\nHTTP/1.1 204 N\r\n\r\n",
        204,
    ),
    "204": (b"HTTP/1.1 204 No Content\r\n\r\n", 204),
    "304, which tells the length of what it does not send": (
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n",
        304,
    ),
}


def read_whole(answer: bytes, reader: AnswerReader | None = None) -> AnswerReader:
    reader = reader or AnswerReader()
    assert reader.feed(answer)
    return reader


def read_bytewise(answer: bytes, reader: AnswerReader | None = None) -> AnswerReader:
    reader = reader or AnswerReader()
    completed = [reader.feed(answer[index : index + 1]) for index in range(len(answer))]
    assert completed.index(True) == len(answer) - 1
    return reader


@pytest.mark.parametrize("read", [read_whole, read_bytewise])
@pytest.mark.parametrize("name", WHOLE_ANSWERS)
def test_an_answer_ends_where_it_says(name: str, read: type) -> None:
    answer, status = WHOLE_ANSWERS[name]
    reader = read(answer)
    assert (reader.status, reader.keep_alive, reader.received_bytes) == (status, True, len(answer))


@pytest.mark.parametrize("read", [read_whole, read_bytewise])
@pytest.mark.parametrize("header", ["Content-Length: 500", "Transfer-Encoding: chunked", "X-Nothing: said"])
def test_an_answer_to_head_ends_with_its_head_whatever_it_says(header: str, read: type) -> None:
    reader = read(f"HTTP/1.1 200 OK\r\n{header}\r\n\r\n".encode(), HeadAnswerReader())
    assert (reader.status, reader.keep_alive) == (200, True)


@pytest.mark.parametrize("header", ["", "Connection: close\r\n", "Transfer-Encoding: gzip\r\n"])
def test_an_answer_that_tells_no_length_ends_with_the_stream(header: str) -> None:
    reader = AnswerReader()
    assert not reader.feed(f"HTTP/1.1 200 OK\r\n{header}\r\nabc".encode())
    assert not reader.feed(b"def")
    assert reader.ends_with_stream
    assert not reader.keep_alive


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Len",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        b"HTTP/1.1 100 Continue\r\n\r\n",
    ],
)
def test_the_end_of_the_stream_completes_no_answer_that_lacks_something(begun: bytes) -> None:
    reader = AnswerReader()
    assert not reader.feed(begun)
    assert not reader.ends_with_stream


@pytest.mark.parametrize(
    ("first_lines", "kept"),
    [
        ("HTTP/1.1 200 OK\r\nConnection: close", False),
        ("HTTP/1.1 200 OK\r\nConnection: Upgrade, Close", False),
        ("HTTP/1.0 200 OK", False),
        ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive", True),
    ],
)
def test_a_connection_is_kept_only_where_the_answer_allows(first_lines: str, kept: bool) -> None:
    assert read_whole(f"{first_lines}\r\nContent-Length: 1\r\n\r\nx".encode()).keep_alive is kept


BROKEN_ANSWERS = {
    "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "TLS": b"\x15\x03\x01\x00\x02\x02\x46",
    "HTTP/2": b"HTTP/2.0 200 OK\r\n\r\n",
    "a bad chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "a length and chunks": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "a negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "an upgrade nobody asked for": b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    "101 without an upgrade": b"HTTP/1.1 101 Switching\r\n\r\n",
    "more than it says": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy",
    "two answers": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" * 2,
    "a body after 204": b"HTTP/1.1 204 No Content\r\n\r\nx",
}


@pytest.mark.parametrize("name", BROKEN_ANSWERS)
def test_what_breaks_the_rules_is_a_violation_and_no_answer(name: str) -> None:
    with pytest.raises(ProtocolViolation):
        AnswerReader().feed(BROKEN_ANSWERS[name])


@pytest.mark.parametrize("header", ["Content-Length: 1", "X-Nothing: said"])
def test_a_body_in_the_answer_to_head_is_a_violation(header: str) -> None:
    with pytest.raises(ProtocolViolation):
        HeadAnswerReader().feed(f"HTTP/1.1 200 OK\r\n{header}\r\n\r\nx".encode())


@pytest.mark.parametrize("flood", [b"X-More: of the same\r\n", b"y" * 100, b"HTTP/1.1 103 E\r\n\r\n"])
def test_a_head_without_end_is_given_up(flood: bytes) -> None:
    reader = AnswerReader()
    reader.feed(b"" if flood.startswith(b"HTTP") else b"HTTP/1.1 200 OK\r\nX: ")
    pieces = 0
    with pytest.raises(ProtocolViolation):
        while pieces < 100_000:
            reader.feed(flood)
            pieces += 1
    assert pieces * len(flood) <= LONGEST_HEAD_BYTES


def test_a_body_may_be_longer_than_any_head() -> None:
    body = b"x" * (3 * LONGEST_HEAD_BYTES)
    read_whole(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def test_a_head_that_tells_all_is_known_from_then_on() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
    assert read_whole(head + b"abc").known_head() == KnownHead(head, len(head) + 3, 200)
    head = b"HTTP/1.1 204 No Content\r\n\r\n"
    assert read_whole(head).known_head() == KnownHead(head, len(head), 204)


@pytest.mark.parametrize(
    "answer",
    [
        WHOLE_ANSWERS["in chunks"][0],
        WHOLE_ANSWERS["after 100 Continue"][0],
        WHOLE_ANSWERS["after two 1xx"][0],
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
    ],
)
def test_a_head_that_does_not_tell_all_is_parsed_every_time(answer: bytes) -> None:
    assert read_whole(answer).known_head() is None


def test_a_head_that_came_in_pieces_is_not_known() -> None:
    assert read_bytewise(WHOLE_ANSWERS["of a length"][0]).known_head() is None
