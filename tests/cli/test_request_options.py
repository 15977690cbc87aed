"""What the options that name requests may say."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wirespeed.cli.request_options import parse_header, parse_wishes, read_body
from wirespeed.errors import UsageError
from wirespeed.model.plan import RequestWishes
from wirespeed.model.request import Request


def wishes(
    *,
    get: list[str] | None = None,
    request: list[str] | None = None,
    body: list[str] | None = None,
    header: list[str] | None = None,
    only: bool = False,
    files: dict[str, bytes] | None = None,
) -> RequestWishes:
    contents = files or {}
    return parse_wishes(
        get or [], request or [], body or [], header or [], only=only, read=lambda name: contents[name]
    )


def refusal(**options: Any) -> UsageError:
    with pytest.raises(UsageError) as refused:
        wishes(**options)
    return refused.value


def test_gets_and_requests_become_complete_requests() -> None:
    made = wishes(get=["/orders/42?page=2"], request=["delete  /orders/42"], header=["X-A: 1"])

    assert made.named == (
        Request(method="GET", path="/orders/42?page=2"),
        Request(method="DELETE", path="/orders/42"),
    )
    assert made.headers == (("X-A", "1"),)


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("/a b", "/a%20b"),
        ("/ü", "/%C3%BC"),
        ("/a%2Fb", "/a%2Fb"),
        ("/100%", "/100%25"),
        ("/a?q=x y&r=[1]", "/a?q=x%20y&r=%5B1%5D"),
        ("/a/{b}", "/a/%7Bb%7D"),
        ("/a\r\nX: y", "/a%0D%0AX:%20y"),
    ],
)
def test_paths_are_encoded_once(written: str, sent: str) -> None:
    assert wishes(get=[written]).named[0].path == sent


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"get": ["orders"]}, "--get '/orders'"),
        ({"get": ["http://127.0.0.1:8000/orders?page=2"]}, "--get '/orders?page=2'"),
        ({"get": ["https://example.com"]}, "--get '/'"),
        ({"request": ["POST orders"]}, "--request 'METHOD /orders'"),
        ({"get": ["/a#top"]}, "%23"),
    ],
)
def test_a_path_that_no_app_sees_is_refused_with_the_one_it_would(options: Any, advice: str) -> None:
    assert advice in str(refusal(**options).advice)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/orders", "not a method and a path"),
        ("POST", "not a method and a path"),
        ("PSOT /orders", "no method"),
    ],
)
def test_a_request_needs_a_method_and_a_path(text: str, message: str) -> None:
    assert message in refusal(request=[text]).message


def test_a_mistyped_method_is_answered_with_the_one_that_was_meant() -> None:
    assert refusal(request=["PSOT /orders"]).advice == "Did you mean POST?"


def test_a_body_is_text_or_what_a_file_holds() -> None:
    made = wishes(
        request=["POST /a", "PUT /b"], body=["@order.json", '{"ü": 1}'], files={"order.json": b"\xff\x00"}
    )

    assert [request.body for request in made.named] == [b"\xff\x00", '{"ü": 1}'.encode()]


def test_bodies_go_to_the_requests_that_take_one_in_their_order() -> None:
    made = wishes(request=["DELETE /a", "POST /b", "PATCH /c"], body=["1", "2"])

    assert [request.body for request in made.named] == [b"", b"1", b"2"]


def test_any_method_takes_a_body_when_there_is_one_for_each_request() -> None:
    made = wishes(get=["/x"], request=["DELETE /a", "POST /b"], body=["1", ""])

    assert [request.body for request in made.named] == [b"", b"1", b""]


@pytest.mark.parametrize(
    "options",
    [
        {"get": ["/a"], "body": ["1"]},
        {"request": ["POST /a", "POST /b"], "body": ["1"]},
        {"request": ["POST /a"], "body": ["1", "2"]},
    ],
)
def test_bodies_that_could_belong_to_several_requests_are_refused(options: Any) -> None:
    assert "--body '' stands for none" in str(refusal(**options).advice)


def test_standard_input_is_one_body_at_most() -> None:
    assert "only once" in refusal(request=["POST /a", "POST /b"], body=["@-", "@-"]).message


def test_a_body_is_read_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"\x00typed")))

    assert read_body("-") == b"\x00typed"


def test_a_body_that_cannot_be_read_says_why_and_what_else_there_is(tmp_path: Path) -> None:
    (tmp_path / "order.json").write_bytes(b"{}")

    assert read_body(str(tmp_path / "order.json")) == b"{}"
    with pytest.raises(UsageError, match="No such file") as refused:
        read_body(str(tmp_path / "missing.json"))
    assert "@-" in str(refused.value.advice)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("Authorization: Bearer a:b", ("Authorization", "Bearer a:b")),
        ("X-Empty:", ("X-Empty", "")),
        ("  X-Padded :  v  ", ("X-Padded", "v")),
        ("X-Latin: é", ("X-Latin", "é")),
    ],
)
def test_a_header_is_a_name_a_colon_and_a_value(text: str, pair: tuple[str, str]) -> None:
    assert parse_header(text) == pair


@pytest.mark.parametrize(
    "text", ["Authorization Bearer x", ": v", "Two Words: v", "A: b\r\nEvil: 1", "A: 日"]
)
def test_a_header_that_could_not_be_sent_as_written_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--header"):
        parse_header(text)


def test_only_needs_something_to_be_named() -> None:
    assert wishes(get=["/a"], only=True).only
    assert "leaves nothing" in refusal(only=True).message
