import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Response
from fastapi.testclient import TestClient
from starlette.middleware.gzip import GZipMiddleware

from wirespeed.errors import UsageError
from wirespeed.testing import (
    assert_same_bytes,
    assert_same_bytes_async,
    assert_same_json,
    assert_same_json_async,
)

BODIES = {
    "/prices": b'{"items":[{"id":1,"price":1.0},{"id":2,"price":2.5}]}',
    "/reordered": b'{"items":[{"price":1,"id":1},{"price":2.50,"id":2}]}',
    "/as-text": b'{"items":[{"id":1,"price":"1.0"},{"id":2,"price":2.5}]}',
    "/fewer": b'{"items":[{"id":1,"price":1.0}]}',
    "/not-json": b"items",
}


def serving(bodies: dict[str, bytes], media_type: str = "application/json", status: int = 200) -> FastAPI:
    app = FastAPI()
    for path, body in bodies.items():
        app.add_api_route(path, answering(Response(body, status, media_type=media_type)))
    return app


def answering(response: Response) -> Callable[[], Response]:
    def answer() -> Response:
        return response

    return answer


app = serving(BODIES)


def failing(check: Any, *arguments: Any) -> str:
    with pytest.raises(AssertionError) as failure:
        check(*arguments)
    return str(failure.value)


def test_an_answer_has_the_same_bytes_as_itself_however_it_is_named() -> None:
    assert_same_bytes(app, "/prices", "/prices?again=1")
    assert_same_bytes(app, "/prices", ("GET", "/prices"))
    assert_same_bytes(app, "/prices", BODIES["/prices"])
    assert_same_bytes(app, "/prices", serving(BODIES))
    assert_same_bytes(TestClient(app), "/prices", app)
    assert_same_bytes(
        app, "/prices", httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://a")
    )


def test_other_bytes_are_shown_from_where_they_differ_and_as_the_values_they_mean() -> None:
    message = failing(assert_same_bytes, app, "/prices", "/as-text")

    assert message.startswith("GET /prices and GET /as-text differ from byte 26 on (53 and 55 bytes)")
    assert '$.items[0].price: 1.0 != "1.0"' in message


def test_bytes_that_differ_only_in_spelling_are_called_that() -> None:
    message = failing(assert_same_bytes, app, "/prices", "/reordered")

    assert "the same values, written in another way" in message


def test_compression_is_no_difference() -> None:
    compressing = serving(BODIES)
    compressing.add_middleware(GZipMiddleware, minimum_size=1)

    assert_same_bytes(TestClient(compressing), "/prices", app)


def test_a_fast_error_is_never_the_same() -> None:
    broken = serving(BODIES, status=500)

    assert "answered 200, and GET /prices of the other app 500" in failing(
        assert_same_bytes, app, "/prices", broken
    )
    assert "answered 500" in failing(assert_same_bytes, broken, "/prices", BODIES["/prices"])
    assert_same_bytes(broken, "/prices", "/prices")


def test_another_content_type_is_a_difference() -> None:
    message = failing(assert_same_bytes, app, "/prices", serving(BODIES, "application/hal+json"))

    assert "is application/json, and GET /prices of the other app is application/hal+json" in message


def test_key_order_and_the_spelling_of_numbers_do_not_count_as_json() -> None:
    assert_same_json(app, "/prices", "/reordered")
    assert_same_json(app, "/prices", BODIES["/reordered"])


def test_values_that_differ_are_named_with_their_paths() -> None:
    assert failing(assert_same_json, app, "/prices", "/as-text") == (
        'GET /prices and GET /as-text are not the same JSON:\n  $.items[0].price: 1.0 != "1.0"'
    )
    message = failing(assert_same_json, app, "/prices", "/fewer")
    assert '$.items[1]: {"id": 2, "price": 2.5} != (absent)' in message


def test_of_many_differences_ten_are_shown_and_the_rest_is_counted() -> None:
    numbers = serving({"/up": str(list(range(50))).encode(), "/down": str(list(range(1, 51))).encode()})

    lines = failing(assert_same_json, numbers, "/up", "/down").splitlines()

    assert lines[1:3] == ["  $[0]: 0 != 1", "  $[1]: 1 != 2"]
    assert lines[-1] == "  and 40 more"


def test_what_is_no_json_is_shown() -> None:
    assert "GET /not-json is not JSON" in failing(assert_same_json, app, "/not-json", "/prices")


def test_something_else_to_compare_with_is_refused() -> None:
    with pytest.raises(UsageError, match="neither a request nor a recorded body"):
        assert_same_bytes(app, "/prices", {"items": []})


def test_coroutines_await_the_async_twins() -> None:
    async def check() -> None:
        await assert_same_bytes_async(app, "/prices", BODIES["/prices"])
        await assert_same_bytes_async(app, "/prices", serving(BODIES))
        await assert_same_json_async(app, "/prices", "/reordered")
        with pytest.raises(AssertionError, match="differ from byte"):
            await assert_same_bytes_async(app, "/prices", "/reordered")
        with pytest.raises(AssertionError, match="not the same JSON"):
            await assert_same_json_async(app, "/prices", "/fewer")

    asyncio.run(check())
