"""One call of the whole app: what a server would make of it, and what is said when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from fastapi.responses import StreamingResponse
from starlette.middleware.base import BaseHTTPMiddleware

from wirespeed_agent import asgi
from wirespeed_agent.asgi import Request, Sink
from wirespeed_agent.live import CallFailed

# -- the scope and the two callables -------------------------------------------------------------------------


def test_a_scope_is_what_a_server_would_make_of_the_request_line() -> None:
    scope = Request("GET", "/caf%C3%A9/a%2Fb?q=1&q=%20", [], b"").scope({"pool": 1})

    assert (scope["path"], scope["raw_path"], scope["query_string"]) == (
        "/café/a/b",
        b"/caf%C3%A9/a%2Fb",
        b"q=1&q=%20",
    )
    assert scope["state"] == {"pool": 1}


def test_the_users_headers_win_over_those_every_client_sends() -> None:
    headers = Request("POST", "/", [(b"host", b"api.example.org")], b"{}").scope({})["headers"]

    assert [value for name, value in headers if name == b"host"] == [b"api.example.org"]
    assert (b"content-length", b"2") in headers
    assert (b"content-type", b"application/json") in headers


def test_the_state_of_the_lifespan_is_copied_for_every_request() -> None:
    state = {"pool": 1}
    Request("GET", "/", [], b"").scope(state)["state"]["mine"] = 2

    assert state == {"pool": 1}


def test_the_client_stays_until_the_answer_is_complete_and_is_then_gone(run: Any) -> None:
    async def watch() -> list[str]:
        sink, seen = Sink(b"body"), []
        seen.append((await sink.receive())["type"])
        waiting = asyncio.ensure_future(sink.receive())
        await asyncio.sleep(0)
        assert not waiting.done()
        await sink.send({"type": "http.response.start", "status": 200})
        await sink.send({"type": "http.response.body", "body": b"a", "more_body": True})
        await asyncio.sleep(0)
        assert not waiting.done()
        await sink.send({"type": "http.response.body", "body": b"b"})
        seen += [(await waiting)["type"], (await sink.receive())["type"]]
        assert sink.body == b"ab"
        return seen

    assert run(watch) == ["http.request", "http.disconnect", "http.disconnect"]


# -- what fails ----------------------------------------------------------------------------------------------


async def forever() -> AsyncIterator[bytes]:
    while True:
        yield b"x" * 1000


async def forever_slowly() -> AsyncIterator[bytes]:
    while True:
        yield b"x"
        await asyncio.sleep(0.001)


def make_app(*, behind_middleware: bool = False) -> FastAPI:
    app = FastAPI()
    if behind_middleware:

        async def passing(request: Any, call_next: Any) -> Any:
            return await call_next(request)

        app.add_middleware(BaseHTTPMiddleware, dispatch=passing)

    @app.get("/raises")
    async def raises() -> Any:
        raise LookupError("no such\ntable")

    @app.get("/refuses")
    async def refuses() -> Any:
        raise HTTPException(403, "not you")

    @app.get("/times-out")
    async def times_out() -> Any:
        raise TimeoutError("the database")

    @app.get("/sleeps")
    async def sleeps() -> Any:
        await asyncio.sleep(3600)

    @app.get("/endless")
    async def endless() -> Any:
        return StreamingResponse(forever())

    @app.get("/slow-stream")
    async def slow_stream() -> Any:
        return StreamingResponse(forever_slowly())

    return app


def failure(run: Any, bench: Any, path: str, app: Any = None, deadline_s: float = 5.0) -> CallFailed:
    async def ask() -> None:
        await bench(app or make_app()).get(path, deadline_s=deadline_s)

    with pytest.raises(CallFailed) as raised:
        run(ask)
    return raised.value


def test_what_an_endpoint_raises_is_a_500_with_the_apps_own_traceback(run: Any, bench: Any) -> None:
    failed = failure(run, bench, "/raises")

    assert (failed.kind, failed.status, failed.message) == ("raised", 500, "LookupError: no such table")
    assert failed.traceback is not None
    assert "in raises" in failed.traceback
    assert "wirespeed_agent" not in failed.traceback


def test_an_error_that_the_app_answers_is_an_answer(run: Any, bench: Any) -> None:
    assert run(lambda: bench(make_app()).get("/refuses")).answer.status == 403


def test_a_time_out_of_the_apps_own_is_not_taken_for_our_deadline(run: Any, bench: Any) -> None:
    failed = failure(run, bench, "/times-out")

    assert (failed.kind, failed.message) == ("raised", "TimeoutError: the database")


def test_no_answer_before_the_deadline_is_said_to_be_that(run: Any, bench: Any) -> None:
    failed = failure(run, bench, "/sleeps", deadline_s=0.05)

    assert (failed.kind, failed.status, failed.message) == ("deadline", 0, "no answer within 0.05 s")


def test_a_stream_that_goes_on_until_the_deadline_had_begun_to_answer(run: Any, bench: Any) -> None:
    failed = failure(run, bench, "/slow-stream", deadline_s=0.05)

    assert failed.status == 200
    assert failed.kind in ("deadline", "endless")


@pytest.mark.parametrize("behind_middleware", [False, True])
def test_a_stream_that_never_waits_ends_at_the_size_limit(
    run: Any, bench: Any, monkeypatch: pytest.MonkeyPatch, behind_middleware: bool
) -> None:
    monkeypatch.setattr(asgi, "MAX_BODY_BYTES", 100_000)

    failed = failure(run, bench, "/endless", make_app(behind_middleware=behind_middleware))

    assert (failed.kind, failed.status) == ("endless", 200)
    assert failed.message == "still sending after 101000 bytes"


def test_a_call_after_one_that_failed_works(run: Any, bench: Any) -> None:
    app = make_app()

    async def ask() -> int:
        at_work = bench(app)
        for path in ("/sleeps", "/raises"):
            with pytest.raises(CallFailed):
                await at_work.get(path, deadline_s=0.05)
        status: int = (await at_work.get("/refuses")).answer.status
        return status

    assert run(ask) == 403
