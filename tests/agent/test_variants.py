"""A variant answers in place of its route, through the same app, and an unchanged one answers the same."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, BackgroundTasks, Depends, FastAPI, HTTPException, Query, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.responses import Response as StarletteResponse

from wirespeed_agent.annotations import Annotation
from wirespeed_agent.asgi import Request
from wirespeed_agent.live import CallFailed
from wirespeed_agent.routes import FoundRoute
from wirespeed_agent.ticket import Ticket
from wirespeed_agent.variants import (
    UNCHANGED,
    build,
    byte_dumper,
    openapi_of,
    rebuild,
    route_facts,
    wrap_call,
)


def change(**fields: Any) -> dict[str, Any]:
    return {**UNCHANGED, **fields}


def annotated(
    expression: str, imports: Sequence[str] = ("from typing import Any",), definitions: Sequence[str] = ()
) -> dict[str, Any]:
    annotation = Annotation(expression, list(imports), list(definitions), "exact", by_type=False)
    return change(annotation=annotation.to_json())


class Explicit(JSONResponse):
    """A class named on a route, router or app."""


class Timed(APIRoute):
    """A custom class with constructor arguments of its own and a handler around FastAPI's."""

    def __init__(self, *args: Any, label: str = "timed", **kwargs: Any) -> None:
        self.label = label
        super().__init__(*args, **kwargs)

    def get_route_handler(self) -> Callable[[Any], Any]:
        original = super().get_route_handler()

        async def handler(request: Any) -> Any:
            response = await original(request)
            response.headers["x-label"] = self.label
            return response

        return handler


class Stock(BaseModel):
    name: str
    count: int | None = None
    cost: float = Field(default=1.5, alias="unitCost")


class Shelf:
    def __init__(self, name: str) -> None:
        self.name = name

    async def read(self, page: int = 1) -> Any:
        return {"shelf": self.name, "page": page}

    def __call__(self, page: int = 1) -> Any:
        return [self.name, page]


def with_prefix(prefix: str, page: int = 1) -> Any:
    return f"{prefix}{page}"


def loud(endpoint: Any) -> Any:
    @functools.wraps(endpoint)
    async def louder(*args: Any, **kwargs: Any) -> Any:
        return (await endpoint(*args, **kwargs)).upper()

    return louder


@loud
async def shouted(word: str = "hello") -> Any:
    return word


def current_user(response: Response, token: str = "none") -> str:
    response.headers["x-user"] = token
    return token


def make_app() -> FastAPI:
    app, timed = (
        FastAPI(),
        APIRouter(route_class=Timed, prefix="/timed", dependencies=[Depends(current_user)]),
    )
    done = app.state.done = []

    @app.get("/plain")
    def plain(q: str = Query("x", max_length=3)) -> Any:
        return {"q": q}

    @app.get("/created", status_code=201)
    async def created(response: Response) -> Any:
        response.set_cookie("session", "s1")
        response.set_cookie("theme", "dark")
        response.headers["x-total"] = "3"
        return [1, 2, 3]

    @app.get("/teapot")
    async def teapot(response: Response) -> Any:
        response.status_code = 418
        return "short and stout"

    @app.get("/background")
    async def background(tasks: BackgroundTasks) -> Any:
        tasks.add_task(done.append, "mail")
        return {"queued": True}

    @app.get("/dependent")
    async def dependent(user: str = Depends(current_user)) -> Any:
        return {"user": user}

    @app.get("/stock", response_model=list[Stock], response_model_exclude_none=True)
    async def stock() -> Any:
        return [{"name": "tent", "unitCost": 2}, Stock(name="rope", count=3)]

    @app.get("/stock-by-name", response_model=Stock, response_model_by_alias=False)
    def stock_by_name() -> Any:
        return Stock(name="rope")

    @app.get("/missing")
    async def missing() -> Any:
        raise HTTPException(404, "no such thing", headers={"x-why": "gone"})

    @app.get("/ready-made")
    async def ready_made() -> Any:
        return PlainTextResponse("as it is", headers={"x-made": "by hand"})

    @app.get("/nothing", status_code=204)
    async def nothing() -> None:
        return None

    @app.post("/echo")
    async def echo(stock: Stock, extra: int = 0) -> Any:
        return {"got": stock, "extra": extra}

    @timed.get("/items", response_class=Explicit)
    async def timed_items() -> Any:
        return [1]

    timed.add_api_route("/method", Shelf("a").read)
    app.include_router(timed, prefix="/v1")
    app.include_router(timed, prefix="/v2", responses={404: {"description": "gone"}})
    app.router.routes.append(Timed("/labelled", shouted, label="from the constructor"))
    app.add_api_route("/callable", Shelf("b"))
    app.add_api_route("/partial", functools.partial(with_prefix, "p"))
    return app


REQUESTS = [
    "GET /plain",
    "GET /plain?q=yes",
    "GET /plain?q=too-long",
    "GET /created",
    "GET /teapot",
    "GET /background",
    "GET /dependent?token=t1",
    "GET /stock",
    "GET /stock-by-name",
    "GET /missing",
    "GET /ready-made",
    "GET /nothing",
    'POST /echo?extra=4 {"name": "x"}',
    "POST /echo {}",
    "GET /v1/timed/items",
    "GET /v1/timed/items?token=t2",
    "GET /v2/timed/method?page=2",
    "GET /labelled?word=hey",
    "GET /callable?page=3",
    "GET /partial?page=4",
]


def request_of(text: str) -> Request:
    method, path, *body = text.split(" ", 2)
    return Request(method, path, [], body[0].encode() if body else b"")


async def call_changed(
    at_work: Any, request: Request, changed: Any, *, found: FoundRoute | None = None
) -> tuple[Ticket, Any]:
    """One call through the whole app with the route that answers this request changed."""
    found = found or at_work.study(request, [await at_work.call(request, 10.0)]).found
    assert found is not None
    clone = build(found, changed)
    dumper = byte_dumper(found, clone, changed)
    if dumper is not None:
        wrap_call(clone, lambda endpoint: dumper.around(endpoint, True))
    ticket = Ticket(found.key, rebuild(clone))
    return ticket, (await at_work.call(request, 10.0, ticket=ticket)).answer


@pytest.mark.parametrize("text", REQUESTS)
def test_an_unchanged_variant_answers_exactly_as_its_route(run: Any, bench: Any, text: str) -> None:
    app, request = make_app(), request_of(text)

    async def ask() -> None:
        at_work = bench(app)
        expected = (await at_work.call(request, 10.0)).answer
        ticket, answer = await call_changed(at_work, request, UNCHANGED)

        assert ticket.hits == 1
        assert (answer.status, answer.body) == (expected.status, expected.body)
        assert list(answer.headers) == list(expected.headers)

    run(ask)


def test_a_request_that_is_answered_above_its_route_is_no_hit(run: Any, bench: Any) -> None:
    app = make_app()

    @app.middleware("http")
    async def cached(request: Any, call_next: Any) -> Any:
        return JSONResponse("from the cache") if "cached" in request.url.query else await call_next(request)

    async def ask() -> list[int]:
        at_work = bench(app)
        found = (await at_work.study_of("/plain")).found
        requests = [Request("GET", path, [], b"") for path in ("/plain", "/plain?cached")]
        return [(await call_changed(at_work, each, UNCHANGED, found=found))[0].hits for each in requests]

    assert run(ask) == [1, 0]


def test_one_inclusion_of_a_router_is_changed_without_the_other(run: Any, bench: Any) -> None:
    async def ask() -> tuple[Ticket, Ticket]:
        at_work = bench(make_app())
        first, second = (Request("GET", f"/v{n}/timed/method", [], b"") for n in (1, 2))
        found = at_work.study(first, [await at_work.call(first, 10.0)]).found
        tickets = [(await call_changed(at_work, r, UNCHANGED, found=found))[0] for r in (first, second)]
        return tickets[0], tickets[1]

    first, second = run(ask)

    assert (first.hits, second.hits) == (1, 0)
    assert first.answered_by != second.answered_by


def test_requests_without_our_ticket_are_answered_by_the_app_as_ever(run: Any, bench: Any) -> None:
    app = make_app()

    async def ask() -> None:
        bench(app)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
            assert (await client.get("/v1/timed/items")).json() == [1]

    run(ask)


def body_of(bench: Any, run: Any, app: Any, path: str, changed: Any) -> bytes:
    async def ask() -> Any:
        return await call_changed(bench(app), request_of(f"GET {path}"), changed)

    ticket, answer = run(ask)
    assert (ticket.hits, answer.status) == (1, 200)
    return bytes(answer.body)


def test_an_annotation_becomes_the_response_type(run: Any, bench: Any) -> None:
    app = FastAPI()

    @app.get("/tiny")
    async def tiny() -> Any:
        return {"ratio": 1e-05}

    app.router.routes[-1].response_field = None  # type: ignore[attr-defined]
    assert body_of(bench, run, app, "/tiny", annotated("dict[str, float]")) == b'{"ratio":0.00001}'


def untyped_app(value: Any, **options: Any) -> FastAPI:
    app = FastAPI()

    async def endpoint():  # type: ignore[no-untyped-def]
        return value

    app.add_api_route("/x", endpoint, **options)
    return app


def test_a_type_that_the_value_does_not_fit_fails_as_it_would_in_production(run: Any, bench: Any) -> None:
    with pytest.raises(CallFailed, match="ResponseValidationError"):
        body_of(bench, run, untyped_app(["a"]), "/x", annotated("list[int]"))


def test_a_name_in_an_annotation_is_the_endpoints_modules_own(run: Any, bench: Any) -> None:
    changed = annotated("list[Stock]", imports=[])

    assert body_of(bench, run, untyped_app([Stock(name="a")]), "/x", changed) == (
        b'[{"name":"a","count":null,"unitCost":1.5}]'
    )


def test_dropping_the_class_brings_back_fastapis_own(run: Any, bench: Any) -> None:
    class Shouting(JSONResponse):
        def render(self, content: Any) -> bytes:
            return super().render(content).upper()

    app = FastAPI(default_response_class=Shouting)

    @app.get("/x", response_model=list[str])
    async def endpoint() -> Any:
        return ["quiet"]

    assert body_of(bench, run, app, "/x", UNCHANGED) == b'["QUIET"]'
    assert body_of(bench, run, app, "/x", change(response_class="drop")) == b'["quiet"]'


def test_ready_bytes_keep_the_content_type_of_the_class(run: Any, bench: Any) -> None:
    class Feed(JSONResponse):
        media_type = "application/feed+json"

    app = FastAPI()

    @app.get("/x", response_class=Feed, response_model=list[Stock], response_model_exclude_none=True)
    async def endpoint(response: Response) -> Any:
        response.headers["x-n"] = "1"
        return [Stock(name="a")]

    async def ask() -> Any:
        at_work, request = bench(app), request_of("GET /x")
        return (await at_work.call(request, 10.0)).answer, (
            await call_changed(at_work, request, change(response_class="bytes"))
        )[1]

    live, changed = run(ask)

    assert changed.body == live.body
    assert dict(changed.headers)[b"content-type"] == b"application/feed+json"


def test_dormant_options_are_named_and_can_be_reset(run: Any, bench: Any) -> None:
    app = untyped_app({"a": None}, response_model_exclude_none=True)

    async def facts() -> Any:
        at_work = bench(app)
        return route_facts(at_work.routes[0])

    imports = ["from typing_extensions import TypedDict"]
    awake = annotated("Row", imports, ["class Row(TypedDict):\n    a: int | None"])
    reset = {**awake, "options": "reset"}

    assert run(facts)["dormant_options"] == ["response_model_exclude_none"]
    assert body_of(bench, run, app, "/x", UNCHANGED) == b'{"a":null}'
    assert body_of(bench, run, app, "/x", awake) == b"{}"
    assert body_of(bench, run, app, "/x", reset) == b'{"a":null}'


def test_the_facts_of_a_route_are_those_in_force_where_it_is_included(bench: Any) -> None:
    router, app = APIRouter(), FastAPI(default_response_class=Explicit)
    router.add_api_route("/a", Shelf("a").read)
    router.add_api_route("/b", Shelf("b").read, response_class=PlainTextResponse)
    app.include_router(router)

    facts = [route_facts(found) for found in bench(app).routes]

    assert [(each["response_class"], each["explicit_class"]) for each in facts] == [
        ("Explicit", True),
        ("PlainTextResponse", True),
    ]
    assert route_facts(bench(make_app()).routes[0])["explicit_class"] is False


def test_what_openapi_gains_is_the_schema_of_the_type(bench: Any) -> None:
    found = bench(untyped_app([1])).routes[0]

    assert openapi_of(build(found, UNCHANGED)) == ()
    assert openapi_of(build(found, annotated("list[int]"))) == (
        {"items": {"type": "integer"}, "type": "array"},
    )


def test_making_a_variant_leaves_the_route_as_it_was(run: Any, bench: Any) -> None:
    app = untyped_app({"a": None}, response_model_exclude_none=True, response_class=Explicit)
    at_work = bench(app)
    found = at_work.routes[0]
    before = {name: value for name, value in vars(found.route).items() if name != "handle"}

    rebuild(
        build(found, {**annotated("dict[str, int | None]"), "options": "reset", "response_class": "drop"})
    )

    assert {name: value for name, value in vars(found.route).items() if name != "handle"} == before
    assert body_of(bench, run, app, "/x", UNCHANGED) == b'{"a":null}'


def test_a_response_that_the_endpoint_made_itself_is_sent_as_it_is_by_ready_bytes(bench: Any) -> None:
    app = FastAPI()

    @app.get("/x", response_model=list[int], response_class=Explicit)
    async def endpoint() -> Any: ...

    found = bench(app).routes[0]
    changed = change(response_class="bytes")
    dumper = byte_dumper(found, build(found, changed), changed)
    made = StarletteResponse(b"mine")

    assert dumper is not None
    assert dumper(made) is made
    assert dumper([1, 2]).body == b"[1,2]"
    with pytest.raises(ValueError, match="does not validate"):
        dumper(["x"])
