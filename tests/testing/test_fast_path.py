import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import pytest
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from pydantic import BaseModel
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware

from wirespeed.errors import UsageError
from wirespeed.testing import assert_fast_path, assert_fast_path_async


class User(BaseModel):
    id: int
    name: str = "Ada"


class NewUser(BaseModel):
    name: str


class OtherJSON(JSONResponse):
    pass


app = FastAPI()


@app.get("/typed")
async def typed() -> list[User]:
    return [User(id=number) for number in range(3)]


@app.get("/typed-def")
def typed_def() -> list[User]:
    return [User(id=1)]


@app.get("/untyped")
async def untyped():
    return [{"id": 1, "name": "Ada"}]


@app.get("/other-class", response_class=OtherJSON)
async def other_class() -> list[User]:
    return [User(id=1)]


@app.get("/by-hand", response_model=list[User])
async def by_hand():
    return JSONResponse(jsonable_encoder([User(id=1)]))


@app.get("/by-hand-and-untyped")
async def by_hand_and_untyped():
    return Response(b'{"id":1}', media_type="application/json")


@app.get("/file", response_model=None)
async def file() -> FileResponse:
    return FileResponse(__file__)


@app.get("/stream", response_model=None)
async def stream() -> StreamingResponse:
    return StreamingResponse(iter([b"[1]"]), media_type="application/json")


@app.get("/refused")
async def refused() -> User:
    raise HTTPException(403, "not you")


@app.get("/number")
async def number(n: int) -> int:
    return n


@app.post("/users", status_code=201)
async def create(user: NewUser, request: Request) -> dict[str, str]:
    return {"name": user.name, "trace": request.headers.get("x-trace", "none")}


@app.delete("/users", status_code=204)
async def delete() -> None:
    return None


@app.delete("/users-by-hand", response_model=None)
async def delete_by_hand() -> Response:
    return Response(status_code=204)


def who() -> str:
    raise RuntimeError("the real one must not be asked")


@app.get("/me")
async def me(name: str = Depends(who)) -> User:
    return User(id=1, name=name)


def message_of(path: str, of: Any = app) -> str:
    with pytest.raises(AssertionError) as failure:
        assert_fast_path(of, path)
    return str(failure.value)


# -- what is on the fast path, and what is not ---------------------------------------------------------------


@pytest.mark.parametrize("path", ["/typed", "/typed-def", "/number?n=3"])
def test_an_answer_that_the_response_type_wrote_is_on_the_fast_path(path: str) -> None:
    assert_fast_path(app, path)


def test_an_endpoint_without_a_type_is_not_and_the_type_to_declare_is_named() -> None:
    message = message_of("/untyped")

    assert message.startswith("GET /untyped is not on FastAPI's fast path (WS101)")
    assert "jsonable_encoder and json.dumps" in message
    assert "test_fast_path.py:49  untyped" in message
    assert "`-> list[UntypedItem]` (`wirespeed advise` writes the class) or" in message
    assert "`-> Any`" in message


def test_a_response_class_is_named_that_keeps_a_typed_route_off_the_fast_path() -> None:
    message = message_of("/other-class")

    assert "(WS102)" in message
    assert "OtherJSON, set on the route or its router" in message
    assert "drop the response class" in message


def test_the_default_response_class_of_the_app_is_named_as_such() -> None:
    classy = FastAPI(default_response_class=OtherJSON)
    classy.add_api_route("/typed", typed)

    assert "OtherJSON, the app's default_response_class" in message_of("/typed", classy)


def test_a_response_built_by_hand_fails_even_where_a_response_model_is_set() -> None:
    message = message_of("/by-hand")

    assert "(WS103)" in message
    assert "a JSONResponse that it built itself, in which its response type list[User] has no say" in message
    assert "return the value itself; set status and headers on an injected Response" in message


def test_a_response_built_by_hand_without_a_type_needs_one_to_be_declared() -> None:
    assert "return the value itself, and declare its type" in message_of("/by-hand-and-untyped")


@pytest.mark.parametrize(("path", "kind"), [("/file", "FileResponse"), ("/stream", "StreamingResponse")])
def test_what_streams_is_not_blamed_on_a_rule(path: str, kind: str) -> None:
    message = message_of(path)

    assert f"it is a {kind}" in message
    assert "WS1" not in message


def test_an_answer_that_is_an_error_says_which() -> None:
    assert 'a 403 ({"detail":"not you"}) came in its place' in message_of("/refused")
    assert "a 422 (" in message_of("/number?n=x")


def test_a_path_that_no_route_answers_is_told() -> None:
    message = message_of("/nowhere")

    assert "no FastAPI route answered, but a 404" in message


def test_an_answer_without_a_body_has_nothing_to_be_fast_about() -> None:
    for path in ("/users", "/users-by-hand"):
        with pytest.raises(AssertionError, match="an answer with status 204 has no body"):
            assert_fast_path(app, ("DELETE", path))


def test_what_the_endpoint_raises_is_raised() -> None:
    with pytest.raises(RuntimeError, match="the real one must not be asked"):
        assert_fast_path(app, "/me")


def test_an_endpoint_that_asks_its_own_app_is_judged_by_its_own_answer() -> None:
    asking = FastAPI()

    async def ask_typed() -> Any:
        transport = httpx.ASGITransport(asking)
        async with httpx.AsyncClient(transport=transport, base_url="http://inner") as client:
            return JSONResponse((await client.get("/typed")).json())

    asking.add_api_route("/typed", typed)
    asking.add_api_route("/asks", ask_typed, response_model=None)

    assert "(WS103)" in message_of("/asks", asking)


def test_the_answer_is_judged_and_not_what_background_work_does_later() -> None:
    def recording(message: str) -> None:
        type_adapter.dump_json([User(id=9)])

    from fastapi import BackgroundTasks
    from pydantic import TypeAdapter

    type_adapter = TypeAdapter(list[User])
    busy = FastAPI()

    @busy.get("/")
    async def answer(tasks: BackgroundTasks) -> User:
        tasks.add_task(recording, "done")
        return User(id=1)

    assert_fast_path(busy, "/")


# -- what is around the route --------------------------------------------------------------------------------


def wrapped_in_app() -> FastAPI:
    outer = FastAPI()
    router = APIRouter(prefix="/v1")
    router.add_api_route("/typed", typed)
    router.add_api_route("/untyped", untyped)
    outer.include_router(router, prefix="/api")
    outer.mount("/sub", app)
    return outer


@pytest.mark.parametrize("path", ["/api/v1/typed", "/sub/typed"])
def test_included_routers_and_mounted_apps_are_looked_into(path: str) -> None:
    assert_fast_path(wrapped_in_app(), path)
    assert "(WS101)" in message_of(path.replace("typed", "untyped"), wrapped_in_app())


def test_middleware_that_compresses_or_passes_on_changes_nothing() -> None:
    layered = wrapped_in_app()
    layered.add_middleware(GZipMiddleware, minimum_size=1)

    @layered.middleware("http")
    async def pass_on(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        return await call_next(request)

    assert_fast_path(layered, "/api/v1/typed", headers={"accept-encoding": "gzip"})


def test_an_app_inside_a_plain_function_is_looked_into() -> None:
    async def outermost(scope: Any, receive: Any, send: Any) -> None:
        await app(scope, receive, send)

    assert_fast_path(outermost, "/typed")


def test_middleware_that_puts_another_body_in_place_is_found() -> None:
    class Envelope(BaseHTTPMiddleware):
        async def dispatch(self, request: Request, call_next: Any) -> Response:
            response = await call_next(request)
            body = b"".join([chunk async for chunk in response.body_iterator])
            return Response(b'{"data":' + body + b"}", media_type="application/json")

    layered = wrapped_in_app()
    layered.add_middleware(Envelope)

    assert "a middleware above the route put others in their place" in message_of("/api/v1/typed", layered)


def test_a_route_class_that_puts_another_body_in_place_is_found() -> None:
    class EnvelopeRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Any]:
            original = super().get_route_handler()

            async def handler(request: Request) -> Response:
                return Response(b"[" + (await original(request)).body + b"]")

            return handler

    router = APIRouter(route_class=EnvelopeRoute)
    router.add_api_route("/typed", typed)
    enveloped = FastAPI()
    enveloped.include_router(router)

    assert "the route (EnvelopeRoute) put others in their place" in message_of("/typed", enveloped)


# -- requests, clients, loops --------------------------------------------------------------------------------


def test_a_request_may_be_a_tuple_or_keywords() -> None:
    assert_fast_path(app, ("POST", "/users", {"name": "Bob"}))
    assert_fast_path(app, ("POST", "/users", b'{"name":"Bob"}', {"content-type": "application/json"}))
    assert_fast_path(app, "/users", method="POST", json={"name": "Bob"}, headers={"X-Trace": "1"})
    assert_fast_path(app, url="/number", params={"n": 3})


@pytest.mark.parametrize("request_", [None, 7, ("GET",), ("GET", "/", None, {}, "more")])
def test_what_is_no_request_is_refused(request_: Any) -> None:
    with pytest.raises(UsageError):
        assert_fast_path(app, request_)


@pytest.mark.parametrize("subject", [None, "main:app", httpx.Client(), object()])
def test_what_is_neither_an_app_nor_a_client_of_one_is_refused(subject: Any) -> None:
    with pytest.raises(UsageError):
        assert_fast_path(subject, "/typed")


def test_the_overrides_of_the_test_are_in_effect() -> None:
    app.dependency_overrides[who] = lambda: "Eve"
    try:
        assert_fast_path(app, "/me")
    finally:
        app.dependency_overrides.clear()


def test_the_cookies_and_headers_of_a_test_client_are_sent_and_kept() -> None:
    guarded = FastAPI()

    @guarded.get("/login")
    async def login(response: Response) -> str:
        response.set_cookie("session", "s1")
        return "welcome"

    @guarded.get("/mine")
    async def mine(request: Request) -> str:
        if request.cookies.get("session") != "s1" or request.headers.get("x-key") != "k":
            raise HTTPException(401)
        return "yours"

    client = TestClient(guarded, headers={"x-key": "k"})
    assert_fast_path(client, "/login")
    assert_fast_path(client, "/mine")


def test_a_test_client_follows_redirects_to_the_answer_that_counts() -> None:
    redirecting = FastAPI()
    redirecting.add_api_route("/typed/", typed)

    assert_fast_path(TestClient(redirecting), "/typed")
    assert "a 307" in message_of("/typed", redirecting)


def test_a_client_is_as_it_was_afterwards() -> None:
    client = TestClient(app)
    before = dict(vars(client)), dict(vars(client._transport))

    assert_fast_path(client, "/typed")

    assert (dict(vars(client)), dict(vars(client._transport))) == before


def test_a_client_that_is_to_take_errors_as_answers_does() -> None:
    client = TestClient(app, raise_server_exceptions=False)

    assert "a 500 (Internal Server Error) came in its place" in message_of("/me", client)


def test_nothing_stays_behind_in_fastapi() -> None:
    from fastapi import _compat, routing

    watched = [vars(routing), vars(APIRoute), vars(_compat.ModelField)]
    before = [dict(each) for each in watched]

    assert_fast_path(app, "/typed")
    message_of("/untyped")

    assert [dict(each) for each in watched] == before


def test_an_async_client_works_in_and_out_of_coroutines() -> None:
    def client() -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here")

    async def inside() -> None:
        async with client() as inner:
            await assert_fast_path_async(inner, "/typed")
            with pytest.raises(AssertionError, match="WS101"):
                await assert_fast_path_async(inner, "/untyped")

    asyncio.run(inside())
    assert_fast_path(client(), "/typed")


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_coroutine_awaits_the_async_twin_on_either_event_loop(backend: str) -> None:
    async def check() -> None:
        await assert_fast_path_async(app, "/typed")
        await assert_fast_path_async(app, "/typed-def")
        with pytest.raises(AssertionError, match="WS103"):
            await assert_fast_path_async(app, "/by-hand")

    anyio.run(check, backend=backend)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_plain_function_refuses_to_hold_up_an_event_loop(backend: str) -> None:
    async def check() -> None:
        with pytest.raises(UsageError, match="_async"):
            assert_fast_path(app, "/typed")

    anyio.run(check, backend=backend)


def test_several_may_be_awaited_at_once() -> None:
    async def check() -> None:
        async with anyio.create_task_group() as group:
            for path in ("/typed", "/typed-def", "/number?n=1"):
                group.start_soon(assert_fast_path_async, app, path)

    asyncio.run(check())
    test_nothing_stays_behind_in_fastapi()


# -- lifespan ------------------------------------------------------------------------------------------------


def living(events: list[str]) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, str]]:
        events.append("up")
        yield {"greeting": "hello"}
        events.append("down")

    alive = FastAPI(lifespan=lifespan)

    @alive.get("/")
    async def greet(request: Request) -> str:
        return str(getattr(request.state, "greeting", "nobody is up"))

    return alive


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_lifespan_runs_only_when_asked_for(backend: str) -> None:
    events: list[str] = []
    alive = living(events)

    assert_fast_path(alive, "/")
    assert events == []
    assert_fast_path(alive, "/", lifespan=True)
    assert events == ["up", "down"]

    async def check() -> None:
        await assert_fast_path_async(alive, "/", lifespan=True)

    anyio.run(check, backend=backend)
    assert events == ["up", "down"] * 2


def test_a_start_that_fails_is_raised_as_it_is() -> None:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        raise ValueError("no database")
        yield

    with pytest.raises(ValueError, match="no database"):
        assert_fast_path(FastAPI(lifespan=lifespan), "/", lifespan=True)


def test_an_app_without_a_lifespan_is_not_asked_to_have_one() -> None:
    async def bare(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await app(scope, receive, send)

    with pytest.raises(UsageError, match="no part in the lifespan protocol"):
        assert_fast_path(bare, "/typed", lifespan=True)


def test_the_lifespan_of_a_client_is_its_own_affair() -> None:
    events: list[str] = []
    with TestClient(living(events)) as client:
        assert_fast_path(client, "/")
        with pytest.raises(UsageError, match="with TestClient"):
            assert_fast_path(client, "/", lifespan=True)
    assert events == ["up", "down"]
