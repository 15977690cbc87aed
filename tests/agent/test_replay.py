"""Replay answers with a captured value and runs nothing of the user's; where it would mislead, it says so."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import APIRouter, BackgroundTasks, Depends, FastAPI, HTTPException, Response
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse
from pydantic import BaseModel, field_serializer, model_validator

from wirespeed_agent.asgi import Sink
from wirespeed_agent.replay import floor_of, replay_of
from wirespeed_agent.screening import why_not_replayable
from wirespeed_agent.variants import UNCHANGED

ROWS = [{"id": number, "name": f"name {number}"} for number in range(200)]


class Item(BaseModel):
    name: str
    note: str | None = None


def ran(request_log: list[str], what: str) -> Any:
    def dependency(response: Response) -> str:
        request_log.append(what)
        response.headers["x-dependency"] = what
        return what

    return Depends(dependency)


def make_app() -> FastAPI:
    log: list[str] = []
    app, router = FastAPI(), APIRouter(dependencies=[ran(log, "router")])
    app.state.log = log

    @router.get("/rows")
    async def rows(response: Response, tasks: BackgroundTasks, inner: str = ran(log, "endpoint's")) -> Any:
        log.append("endpoint")
        tasks.add_task(log.append, "background")
        response.set_cookie("session", "s1")
        response.status_code = 203
        return ROWS

    @router.get("/items", response_model=list[Item], response_model_exclude_none=True)
    def items() -> Any:
        log.append("endpoint")
        return [Item(name="a"), {"name": "b", "note": "c"}]

    @router.post("/orders", status_code=201)
    async def order(item: Item) -> Any:
        log.append("endpoint")
        return {"ordered": item}

    app.include_router(router, prefix="/api")
    return app


STUDIED = [("GET", "/api/rows", b""), ("GET", "/api/items", b""), ("POST", "/api/orders", b'{"name":"tent"}')]


@pytest.mark.parametrize(("method", "path", "body"), STUDIED)
def test_a_replay_sends_what_the_route_sent_and_runs_nothing_of_the_users(
    run: Any, bench: Any, method: str, path: str, body: bytes
) -> None:
    app = make_app()

    async def ask() -> None:
        study = await bench(app).study_of(path, method=method, body=body)
        replay = replay_of(study.found, study.captured()[0], UNCHANGED)
        app.state.log.clear()
        answers = [await replay.answer() for _ in range(3)]

        assert app.state.log == []
        for answer in answers:
            assert (answer.status, answer.body) == (study.last.at_route.status, study.last.at_route.body)
            assert sorted(answer.headers) == sorted(study.last.at_route.headers)

    run(ask)


def test_headers_and_cookies_are_those_that_were_set_when_the_endpoint_returned(run: Any, bench: Any) -> None:
    app = make_app()

    @app.middleware("http")
    async def adds_more(request: Any, call_next: Any) -> Any:
        response = await call_next(request)
        response.headers["x-middleware"] = "later"
        return response

    async def ask() -> dict[bytes, bytes]:
        study = await bench(app).study_of("/api/rows")
        return dict((await replay_of(study.found, study.captured()[0], UNCHANGED).answer()).headers)

    headers = run(ask)

    assert headers[b"set-cookie"].startswith(b"session=s1")
    assert headers[b"x-dependency"] == b"endpoint's"
    assert b"x-middleware" not in headers


@pytest.mark.parametrize("path", ["/api/rows", "/api/items"])
def test_the_floor_is_the_same_answer_with_its_bytes_ready(run: Any, bench: Any, path: str) -> None:
    async def ask() -> None:
        study = await bench(make_app()).study_of(path)
        answer = await floor_of(study.found, study.captured()[0]).answer()

        assert (answer.status, answer.body) == (study.last.at_route.status, study.last.at_route.body)
        assert sorted(answer.headers) == sorted(study.last.at_route.headers)

    run(ask)


def test_a_def_endpoint_is_replayed_in_a_worker_thread_like_the_real_one(run: Any, bench: Any) -> None:
    seen: list[threading.Thread] = []

    class Noting(BaseModel):
        name: str

        @model_validator(mode="after")
        def note(self) -> Any:
            seen.append(threading.current_thread())
            return self

    app = FastAPI()

    @app.get("/x", response_model=Noting)
    def endpoint() -> Any:
        return {"name": "a"}

    async def ask() -> None:
        study = await bench(app).study_of("/x")
        seen.clear()
        await replay_of(study.found, study.captured()[0], UNCHANGED).answer()

    run(ask)

    assert seen
    assert threading.main_thread() not in seen


def test_replays_do_not_see_the_users_middleware(run: Any, bench: Any) -> None:
    app, requests = make_app(), []

    @app.middleware("http")
    async def audit(request: Any, call_next: Any) -> Any:
        requests.append(request.url.path)
        return await call_next(request)

    async def ask() -> None:
        study = await bench(app).study_of("/api/items")
        requests.clear()
        await replay_of(study.found, study.captured()[0], UNCHANGED).watched_calls()

    run(ask)

    assert requests == []


def test_an_app_that_calls_itself_is_captured_from_outside(run: Any, bench: Any) -> None:
    app = FastAPI()

    @app.get("/inner")
    async def inner(response: Response) -> Any:
        response.headers["x-inner"] = "1"
        return "inner"

    @app.get("/outer")
    async def outer(response: Response) -> Any:
        response.headers["x-outer"] = "1"
        sink = Sink()
        scope = {"type": "http", "method": "GET", "path": "/inner", "query_string": b"", "headers": []}
        await app(scope, sink.receive, sink.send)
        return {"got": sink.body.decode()}

    async def ask() -> None:
        study = await bench(app).study_of("/outer")

        assert study.found.path == "/outer"
        assert study.last.ticket.record.value == {"got": '"inner"'}
        assert [name for name, _ in study.captured()[0].extra_headers] == [b"x-outer"]

    run(ask)


# -- where replay would mislead ------------------------------------------------------------------------------


def why_not(run: Any, bench: Any, app: FastAPI, path: str = "/x") -> str | None:
    async def ask() -> Any:
        at_work = bench(app)
        study = await at_work.study_of(path)
        if study.obstacle() is not None:
            return study.obstacle()
        unchanged = replay_of(study.found, study.captured()[0], UNCHANGED)
        return await why_not_replayable(at_work, study, unchanged, 10.0)

    reason = run(ask)
    assert reason is None or isinstance(reason, str)
    return reason


OTHER_BYTES = "a replay of the captured value gives other bytes than the live answer"


def test_an_ordinary_value_can_be_replayed(run: Any, bench: Any) -> None:
    assert why_not(run, bench, make_app(), "/api/rows") is None


def test_a_value_that_can_be_read_once_cannot_be_replayed(run: Any, bench: Any) -> None:
    app = FastAPI()

    @app.get("/x")
    async def once() -> Any:
        return map(str, range(3))

    assert why_not(run, bench, app) == OTHER_BYTES


def test_a_value_that_validating_it_changes_cannot_be_replayed(run: Any, bench: Any) -> None:
    class Counting(BaseModel):
        seen: int = 0

        @model_validator(mode="after")
        def count(self) -> Any:
            self.__dict__["seen"] += 1
            return self

    app = FastAPI()

    @app.get("/x", response_model=Counting)
    async def counted() -> Any:
        return Counting()

    assert why_not(run, bench, app) == OTHER_BYTES


def test_a_value_that_answers_differently_the_third_time_cannot_be_replayed(run: Any, bench: Any) -> None:
    class Wearing(BaseModel):
        uses: int = 0

        @field_serializer("uses")
        def use(self, value: int) -> int:
            self.__dict__["uses"] += 1
            return self.__dict__["uses"] // 3

    app = FastAPI()

    @app.get("/x", response_model=Wearing)
    async def worn() -> Any:
        return Wearing()

    assert why_not(run, bench, app) == "replaying the captured value twice gives different bytes"


def test_a_value_that_fails_the_second_time_cannot_be_replayed(run: Any, bench: Any) -> None:
    class Closing:
        """A row of a session that is closed once the answer is out."""

        reads = 0

        @property
        def name(self) -> str:
            self.reads += 1
            if self.reads > 1:
                raise LookupError("the session is closed")
            return "read"

    class Shown(BaseModel):
        name: str

    app = FastAPI()

    @app.get("/x", response_model=Shown)
    async def closing() -> Any:
        return Closing()

    reason = why_not(run, bench, app)

    assert reason is not None
    assert reason.startswith("replaying the captured value fails: ")
    assert "the session is closed" in reason


def test_work_that_is_done_on_first_sight_only_cannot_be_replayed(run: Any, bench: Any) -> None:
    class Lazy:
        """Loads what it shows when it is first shown, as an ORM's rows do."""

        loaded = False

        @property
        def name(self) -> str:
            if not self.loaded:
                self.loaded = True
                time.sleep(0.02)
            return "loaded"

    class Shown(BaseModel):
        name: str

    app = FastAPI()

    @app.get("/x", response_model=Shown)
    async def lazy() -> Any:
        return Lazy()

    reason = why_not(run, bench, app)

    assert reason is not None
    assert "work (loading lazily, calling out) that a replay does not repeat" in reason


def test_answers_without_a_value_to_serialize_are_no_matter_for_replay(run: Any, bench: Any) -> None:
    app = FastAPI()
    app.mount("/mounted", JSONResponse("mounted"))

    @app.get("/made")
    async def made() -> Any:
        return JSONResponse("made")

    @app.get("/streamed", response_class=StreamingResponse)
    async def streamed() -> Any:
        return StreamingResponse(iter([b"a", b"b"]))

    @app.get("/file", response_class=FileResponse)
    async def file() -> Any:
        return __file__

    @app.get("/generated")
    async def generated() -> Iterator[int]:
        yield 1

    @app.get("/refused")
    async def refused() -> Any:
        raise HTTPException(403)

    reasons = {
        path: why_not(run, bench, app, path)
        for path in ("/made", "/streamed", "/file", "/generated", "/refused", "/mounted/")
    }

    assert reasons == {
        "/made": "the endpoint answers with a JSONResponse of its own",
        "/streamed": "a streamed answer has no single value to serialize",
        "/file": "a streamed answer has no single value to serialize",
        "/generated": "a streamed answer has no single value to serialize",
        "/refused": "the endpoint did not return",
        "/mounted/": "no FastAPI route answered: a mounted app, a middleware or a plain Starlette route did",
    }


def test_distinct_answers_are_all_kept_the_last_one_first(run: Any, bench: Any) -> None:
    app, answers = FastAPI(), iter(["cold", "a", "b", "a"])

    @app.get("/x")
    async def changing() -> Any:
        return next(answers)

    async def ask() -> list[Any]:
        study = await bench(app).study_of("/x", calls=3)
        return [captured.value for captured in study.captured()]

    assert run(ask) == ["b", "a"]


def test_what_a_call_leaves_on_the_loop_does_not_reach_the_next(run: Any, bench: Any) -> None:
    """The injected response of a replay is a new one every time."""
    app = FastAPI()

    @app.get("/x")
    async def cookies(response: Response) -> Any:
        await asyncio.sleep(0)
        response.set_cookie("a", "1")
        return "x"

    async def ask() -> int:
        study = await bench(app).study_of("/x")
        replay = replay_of(study.found, study.captured()[0], UNCHANGED)
        answers = [await replay.answer() for _ in range(4)]
        return max([name for name, _ in answer.headers].count(b"set-cookie") for answer in answers)

    assert run(ask) == 1
