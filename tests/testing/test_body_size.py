import asyncio
import gzip
import json
from typing import Any

import pytest
from fastapi import FastAPI, Response
from starlette.middleware.gzip import GZipMiddleware

from wirespeed.errors import UsageError
from wirespeed.testing import assert_body_size, assert_body_size_async
from wirespeed.testing.sizes import largest_field

BOOKS = {"total": 3, "items": [{"id": number, "text": "x" * 1000} for number in range(3)]}

app = FastAPI()


@app.get("/books")
async def books() -> dict[str, Any]:
    return BOOKS


@app.get("/text")
async def text() -> Response:
    return Response(b"x" * 2000, media_type="text/plain")


def test_a_body_within_the_limit_passes() -> None:
    size = len(json.dumps(BOOKS, separators=(",", ":")))

    assert_body_size(app, "/books", at_most=size)
    assert_body_size(app, "/books", at_most="100kB")
    assert_body_size(app, "/books", at_most="1 MiB")


def test_a_body_beyond_the_limit_fails_and_names_the_field_that_weighs_most() -> None:
    with pytest.raises(AssertionError) as failure:
        assert_body_size(app, "/books", at_most="1kB")

    message = str(failure.value)
    assert message.startswith("GET /books sends 3.08 kB; at most 1.00 kB are allowed")
    assert "$.items[*].text: 3.03 kB in 3 places, 98 % of the body" in message


def test_one_byte_too_many_fails() -> None:
    with pytest.raises(AssertionError, match=r"2\.00 kB; at most 2\.00 kB"):
        assert_body_size(app, "/text", at_most=1999)


def test_bytes_are_counted_as_they_are_sent() -> None:
    compressing = FastAPI()
    compressing.add_api_route("/books", books)
    compressing.add_middleware(GZipMiddleware, minimum_size=1)
    sent = len(gzip.compress(json.dumps(BOOKS).encode()))

    assert_body_size(compressing, "/books", at_most=2 * sent, headers={"accept-encoding": "gzip"})
    with pytest.raises(AssertionError, match=r"3\.08 kB before compression"):
        assert_body_size(compressing, "/books", at_most=10, headers={"accept-encoding": "gzip"})


def test_an_error_is_not_a_small_answer() -> None:
    with pytest.raises(AssertionError, match="answered 404"):
        assert_body_size(app, "/nowhere", at_most="1MB")


@pytest.mark.parametrize("limit", ["100", "100 bytes", "-1kB", "lots", -1])
def test_a_limit_needs_a_unit_that_is_one(limit: Any) -> None:
    with pytest.raises(UsageError):
        assert_body_size(app, "/books", at_most=limit)


def test_a_coroutine_awaits_the_async_twin() -> None:
    async def check() -> None:
        await assert_body_size_async(app, "/books", at_most="4kB")
        with pytest.raises(AssertionError, match=r"\$\.items\[\*\]\.text"):
            await assert_body_size_async(app, "/books", at_most="3kB")

    asyncio.run(check())


def test_the_largest_field_is_the_innermost_that_has_most_of_those_around_it() -> None:
    even = {"rows": [{"a": "x" * 50, "b": "y" * 50, "c": "z" * 50}]}
    nested = {"a": {"b": {"c": "x" * 100, "d": 1}}, "e": "y" * 20}

    assert largest_field(even).path == "$.rows"  # type: ignore[union-attr]
    assert largest_field(nested).path == "$.a.b.c"  # type: ignore[union-attr]
    assert largest_field([[{"k": 1}], [{"k": 2}]]).path == "$[*][*].k"  # type: ignore[union-attr]


@pytest.mark.parametrize("document", [[], {}, "text", 7, None, [1, [2]]])
def test_a_document_without_fields_has_no_largest_one(document: object) -> None:
    assert largest_field(document) is None
