"""URLs and requests become bytes before anything is sent."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from wirespeed.errors import UsageError
from wirespeed.http.target import Target, parse_target, weighted_cycle
from wirespeed.model.request import Request


def lines_of(target: Target) -> list[str]:
    return target.requests[0].content.decode("latin-1").split("\r\n")


@pytest.mark.parametrize(
    ("url", "host", "port", "authority", "first_line"),
    [
        ("http://127.0.0.1:8000/a?b=c", "127.0.0.1", 8000, "127.0.0.1:8000", "GET /a?b=c HTTP/1.1"),
        ("http://localhost", "localhost", 80, "localhost", "GET / HTTP/1.1"),
        ("HTTPS://LocalHost/", "localhost", 443, "localhost", "GET / HTTP/1.1"),
        ("http://[::1]:81/#part", "::1", 81, "[::1]:81", "GET / HTTP/1.1"),
        (
            "http://bücher.example/ä b",
            "xn--bcher-kva.example",
            80,
            "xn--bcher-kva.example",
            "GET /%C3%A4%20b HTTP/1.1",
        ),
        ("http://h/a%2Fb?x=%zz", "h", 80, "h", "GET /a%2Fb?x=%25zz HTTP/1.1"),
    ],
)
def test_a_url_says_where_to_connect_and_what_to_get(
    url: str, host: str, port: int, authority: str, first_line: str
) -> None:
    target = parse_target(url)
    assert (target.origin.host, target.origin.port, target.origin.authority) == (host, port, authority)
    assert lines_of(target)[:2] == [first_line, f"Host: {authority}"]


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("127.0.0.1:8000/a", "http://127.0.0.1:8000/a"),
        ("ftp://h/", "http://"),
        ("http:///a", "http://"),
        ("http://h:99999/", "http://"),
        ("http://user:secret@h/", "Authorization"),
    ],
)
def test_what_is_no_url_of_a_server_is_refused_with_what_to_write(url: str, advice: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_target(url)
    assert advice in (caught.value.advice or "")
    assert "secret" not in str(caught.value)


def test_own_headers_win_over_those_for_all_and_over_defaults() -> None:
    request = Request(method="GET", path="/", headers=(("accept", "text/html"),))
    target = parse_target(
        "http://h/", requests=[(request, 1)], headers=[("Accept", "a/b"), ("HOST", "other"), ("X", "y")]
    )
    lines = lines_of(target)
    assert [line for line in lines if line.lower().startswith(("accept", "host", "x:"))] == [
        "accept: text/html",
        "HOST: other",
        "X: y",
    ]


def test_the_length_of_a_body_is_told_even_where_there_is_none() -> None:
    post = Request(method="POST", path="/", body=b"abc")
    assert (
        parse_target("http://h/", requests=[(post, 1)])
        .requests[0]
        .content.endswith(b"Content-Length: 3\r\n\r\nabc")
    )
    empty = Request(method="POST", path="/")
    assert b"Content-Length: 0\r\n" in parse_target("http://h/", requests=[(empty, 1)]).requests[0].content
    assert b"Content-Length" not in parse_target("http://h/").requests[0].content


@pytest.mark.parametrize("name", ["Content-Length", "transfer-encoding"])
def test_headers_that_the_body_decides_cannot_be_set(name: str) -> None:
    with pytest.raises(UsageError):
        parse_target("http://h/", headers=[(name, "1")])


def test_only_methods_that_may_be_repeated_are_marked_so() -> None:
    requests = [
        (Request(method=method, path="/"), 1) for method in ("GET", "HEAD", "PUT", "DELETE", "POST", "PATCH")
    ]
    prepared = parse_target("http://h/", requests=requests).requests
    assert [request.is_idempotent for request in prepared] == [True, True, True, True, False, False]
    assert [request.is_head for request in prepared] == [False, True, False, False, False, False]


def test_weights_are_met_in_every_cycle_and_the_seed_fixes_the_order() -> None:
    requests = [(Request(method="GET", path="/a"), 2), (Request(method="GET", path="/b"), 1)]
    prepared = parse_target("http://h/", requests=requests).requests
    turns = list(islice(weighted_cycle(prepared, seed=1), 999))
    assert Counter(turns) == {0: 666, 1: 333}
    assert Counter(turns[:3]) == {0: 2, 1: 1}
    assert turns == list(islice(weighted_cycle(prepared, seed=1), 999))
    assert turns != list(islice(weighted_cycle(prepared, seed=2), 999))
