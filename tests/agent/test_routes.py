"""Which routes of an app are found, and what is said of those that cannot be advised."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter, Depends, FastAPI, Response, WebSocket
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, StreamingResponse
from fastapi.routing import APIRoute
from starlette.applications import Starlette
from starlette.routing import Host, Mount, Route
from starlette.staticfiles import StaticFiles

from wirespeed_agent.routes import Discovery, describe, has_explicit_response_class, shorten, source_of

HERE = Path(__file__)


def paths(app: Any, kind: str = "api") -> list[str]:
    return [found.path for found in Discovery(app).routes if found.kind == kind]


def one(app: Any) -> Any:
    (found,) = Discovery(app).routes
    return found


def small_app(path: str = "/items") -> FastAPI:
    app = FastAPI()
    app.add_api_route(path, items)
    return app


async def items() -> list[int]:
    return [1]


# -- nesting -------------------------------------------------------------------------------------------------


def test_routers_in_routers_are_found_under_their_whole_path() -> None:
    inner, outer, app = APIRouter(prefix="/inner"), APIRouter(prefix="/outer"), FastAPI()
    inner.add_api_route("/items/{item_id}", items)
    outer.include_router(inner, prefix="/between")
    app.include_router(outer, prefix="/api")

    assert paths(app) == ["/api/outer/between/inner/items/{item_id}"]


def test_a_router_included_twice_is_two_routes_with_settings_of_their_own() -> None:
    router, app = APIRouter(), FastAPI()
    router.add_api_route("/items", items)
    app.include_router(router, prefix="/v1")
    app.include_router(router, prefix="/v2", default_response_class=PlainTextResponse)

    first, second = Discovery(app).routes

    assert [first.path, second.path] == ["/v1/items", "/v2/items"]
    assert first.key != second.key
    assert [has_explicit_response_class(found.effective) for found in (first, second)] == [False, True]


def test_an_app_mounted_in_an_app_is_walked_with_its_prefix() -> None:
    app, api = FastAPI(), small_app()
    app.mount("/partner", api)
    app.add_api_route("/own", items)

    assert sorted(paths(app)) == ["/own", "/partner/items"]


def test_an_app_below_starlette_below_middleware_is_found() -> None:
    app = Starlette(routes=[Mount("/api", CORSMiddleware(small_app(), allow_origins=["*"]))])

    assert paths(app) == ["/api/items"]


def test_an_app_mounted_twice_is_listed_twice_and_known_once() -> None:
    app, api = FastAPI(), small_app()
    app.mount("/a", api)
    app.mount("/b", api)

    found = Discovery(app)

    assert [route.path for route in found.routes] == ["/a/items", "/b/items"]
    assert found.apps == [app, api]


def test_an_app_that_mounts_itself_does_not_end_the_search() -> None:
    app = small_app()
    app.mount("/again", app)

    assert paths(app) == ["/items"]


def test_routes_behind_a_host_are_found() -> None:
    app = Starlette(routes=[Host("api.example.org", small_app())])

    assert paths(app) == ["/items"]


def test_a_mount_inside_a_router_has_the_prefix_it_is_included_with() -> None:
    router, app = APIRouter(), FastAPI()
    router.mount("/mounted", small_app())
    app.include_router(router, prefix="/outer")

    assert paths(app) == ["/outer/mounted/items"]


def test_routes_that_appear_in_the_lifespan_are_found_once_it_has_started(run: Any) -> None:
    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.add_api_route("/late", items)
        yield

    app = FastAPI(lifespan=lifespan)

    async def start_and_look() -> list[str]:
        async with app.router.lifespan_context(app):
            return paths(app)

    assert paths(app) == []
    assert run(start_and_look) == ["/late"]


def test_routes_that_appear_with_the_first_request_are_found_after_it(run: Any, bench: Any) -> None:
    app, router = FastAPI(), APIRouter(prefix="/api")
    router.add_api_route("/items", items)
    app.include_router(router)

    @app.middleware("http")
    async def add_routes(request: Any, call_next: Any) -> Any:
        if not router.routes[1:]:
            router.add_api_route("/late", items)
        return await call_next(request)

    async def ask() -> Any:
        at_work = bench(app)
        return [(await at_work.study_of(path)).obstacle() for path in ("/api/items", "/api/late")]

    assert run(ask) == [None, None]


# -- outer wrappers ------------------------------------------------------------------------------------------


class Holding:
    def __init__(self, app: Any) -> None:
        self.whatever_it_calls_it = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.whatever_it_calls_it(scope, receive, send)


class InSlots:
    __slots__ = ("app",)

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)


@dataclass(frozen=True)
class Frozen:
    application: Any

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.application(scope, receive, send)


def closing_over(app: Any) -> Any:
    async def wrapper(scope: Any, receive: Any, send: Any) -> None:
        await app(scope, receive, send)

    return wrapper


async def takes_an_app(app: Any, scope: Any, receive: Any, send: Any) -> None:
    await app(scope, receive, send)


async def takes_an_app_last(scope: Any, receive: Any, send: Any, *, app: Any) -> None:
    await app(scope, receive, send)


def decorated(app: Any) -> Any:
    def trace(call: Any) -> Any:
        @functools.wraps(call)
        async def traced(*args: Any) -> None:
            await call(*args)

        return traced

    return trace(closing_over(app))


WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "an attribute": Holding,
    "a slot": InSlots,
    "a field of a dataclass": Frozen,
    "a closure": closing_over,
    "an argument of a partial": lambda app: functools.partial(takes_an_app, app),
    "a keyword of a partial": lambda app: functools.partial(takes_an_app_last, app=app),
    "a bound method": lambda app: Holding(app).__call__,
    "a decorated closure": decorated,
    "published middleware": lambda app: CORSMiddleware(app, allow_origins=["*"]),
    "several of them": lambda app: Holding(functools.partial(takes_an_app, closing_over(InSlots(app)))),
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_the_app_is_found_inside(wrap: Callable[[Any], Any]) -> None:
    assert paths(wrap(small_app())) == ["/items"]


def test_looking_inside_a_wrapper_runs_none_of_its_code() -> None:
    class Lazy(Holding):
        @property
        def app(self) -> Any:
            raise AssertionError("a property ran")

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            raise AssertionError(f"looked up {name}")

    assert paths(Lazy(small_app())) == ["/items"]


def test_nothing_is_found_where_there_is_no_app() -> None:
    assert Discovery(closing_over(len)).routes == []


# -- what cannot be advised ----------------------------------------------------------------------------------


def streaming_app(response_class: Any = None, endpoint: Any = items) -> FastAPI:
    app = FastAPI()
    app.add_api_route("/x", endpoint, **({"response_class": response_class} if response_class else {}))
    return app


async def numbers() -> AsyncIterator[int]:
    yield 1


class Generator:
    def __call__(self) -> Iterator[int]:
        yield 1


@pytest.mark.parametrize("response_class", [StreamingResponse, FileResponse])
def test_a_class_that_streams_is_streaming(response_class: Any) -> None:
    assert one(streaming_app(response_class)).kind == "streaming"


@pytest.mark.parametrize("endpoint", [numbers, functools.partial(numbers), Generator()])
def test_an_endpoint_that_yields_is_streaming(endpoint: Any) -> None:
    found = one(streaming_app(endpoint=endpoint))

    assert (found.kind, found.reason) == ("streaming", "a streamed answer has no single value to serialize")


def test_what_is_no_api_route_is_listed_with_the_reason(tmp_path: Path) -> None:
    app = FastAPI()
    app.mount("/static", StaticFiles(directory=tmp_path))
    app.router.routes.append(Route("/plain", lambda request: JSONResponse(1)))

    @app.websocket("/ws")
    async def ws(socket: WebSocket) -> None:
        pass

    described = {found.path: (found.kind, found.reason) for found in Discovery(app).routes}

    assert described == {
        "/static": ("mount", "StaticFiles is mounted here; only FastAPI routes can be advised"),
        "/plain": ("starlette", "a plain Starlette route: it builds its own response"),
        "/ws": ("websocket", "a WebSocket has no response to speed up"),
    }


def test_fastapis_own_pages_are_no_routes_of_the_app() -> None:
    app = FastAPI()

    assert any(getattr(route, "path", "") == "/docs" for route in app.routes)
    assert Discovery(app).routes == []


def test_endpoints_that_no_walk_reaches_are_counted_once_each() -> None:
    app, hidden = small_app("/found"), APIRouter()
    before = Discovery(app).unreachable_endpoints()

    hidden.add_api_route("/a", numbers_of_the_day)
    hidden.add_api_route("/b", numbers_of_the_day)

    assert Discovery(app).unreachable_endpoints() == before + 1


async def numbers_of_the_day() -> list[int]:
    return [4]


# -- what is said of a route ---------------------------------------------------------------------------------


class Named(APIRoute):
    """A custom class with an argument that no copy could know."""

    def __init__(self, *args: Any, label: str = "none", **kwargs: Any) -> None:
        self.label = label
        super().__init__(*args, **kwargs)


def test_a_route_of_a_custom_class_is_an_api_route() -> None:
    router, app = APIRouter(route_class=Named), FastAPI()
    router.add_api_route("/items", items)
    app.include_router(router)

    assert paths(app) == ["/items"]


def test_a_route_is_described_as_the_conductor_reads_it() -> None:
    app = FastAPI()

    @app.api_route("/items/{item_id:int}", methods=["POST", "GET"], name="the items")
    async def with_an_id(item_id: int, page: int = 1) -> list[int]:
        return [item_id, page]

    described = describe(one(app), 7, str(HERE.parent))

    assert {key: described[key] for key in ("id", "methods", "path", "name", "kind", "reason")} == {
        "id": 7,
        "methods": ["GET", "POST"],
        "path": "/items/{item_id:int}",
        "name": "the items",
        "kind": "api",
        "reason": None,
    }
    assert described["source"].startswith("test_routes.py:")
    assert [p["name"] for p in described["operation"]["parameters"]] == ["item_id", "page"]


def line_of(text: str) -> int:
    return 1 + next(i for i, line in enumerate(HERE.read_text().splitlines()) if line.strip() == text)


def twice(call: Any) -> Any:
    @functools.wraps(call)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        return await call(*args, **kwargs)

    return wrapper


@twice
@twice
async def decorated_endpoint() -> int:
    return 1


class Resource:
    async def read(self) -> int:
        return 1

    async def __call__(self) -> int:
        return 2


class Derived(Resource):
    pass


SOURCES = {
    "a function": (items, "async def items() -> list[int]:"),
    "a decorated function": (decorated_endpoint, "async def decorated_endpoint() -> int:"),
    "a partial": (functools.partial(items), "async def items() -> list[int]:"),
    "a partial of a decorated function": (
        functools.partial(decorated_endpoint),
        "async def decorated_endpoint() -> int:",
    ),
    "a bound method": (Resource().read, "async def read(self) -> int:"),
    "a callable object": (Derived(), "async def __call__(self) -> int:"),
}


@pytest.mark.parametrize(("endpoint", "text"), SOURCES.values(), ids=SOURCES)
def test_the_source_is_the_line_of_the_def(endpoint: Any, text: str) -> None:
    assert source_of(endpoint) == (str(HERE), line_of(text))


def test_the_source_of_a_lambda_is_its_own_line_not_that_of_the_next_def() -> None:
    lambda_endpoint = lambda: 1  # noqa: E731

    assert source_of(lambda_endpoint) == (str(HERE), line_of("lambda_endpoint = lambda: 1  # noqa: E731"))


def test_what_is_not_written_in_python_has_no_source() -> None:
    assert source_of(len) is None


def test_files_are_named_from_the_apps_folder_or_the_library_folder_they_lie_in() -> None:
    assert shorten("/srv/app/api/main.py", "/srv/app") == "api/main.py"
    assert shorten("/srv/application/main.py", "/srv/app") == "/srv/application/main.py"
    assert shorten(inspect.getfile(FastAPI), "/srv/app") == "fastapi/applications.py"


def test_dependencies_of_the_routers_above_belong_to_the_route() -> None:
    def token(x_token: str) -> None: ...

    router, app = APIRouter(dependencies=[Depends(token)]), FastAPI()
    router.add_api_route("/items", items)
    app.include_router(router)

    described = describe(one(app), 0, "/")

    assert [parameter["name"] for parameter in described["operation"]["parameters"]] == ["x_token"]


def test_a_response_as_return_type_is_no_response_type() -> None:
    app = FastAPI()

    @app.get("/x")
    async def answer() -> Response:
        return Response()

    assert one(app).effective.response_field is None
