"""Endpoints, dependencies and routes made in every way that makes an edit of the code hard or unsafe."""

import contextvars
import functools
import os
import threading
import time
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.routing import APIRoute

app = FastAPI()
second = FastAPI()
ROWS = [{"n": n, "name": f"row {n}"} for n in range(200)]
CURRENT = contextvars.ContextVar("CURRENT", default="nobody")
LOCAL = threading.local()
COUNTS = {"hits": 0}


@app.get("/fine")
async def fine():
    return ROWS


# -- dependencies that are small, and belong into their thread or their context


def sets_a_context_variable() -> str:
    CURRENT.set("somebody")
    return "somebody"


def uses_a_thread_local() -> int:
    LOCAL.calls = getattr(LOCAL, "calls", 0) + 1
    return 1


def sleeps() -> int:
    time.sleep(0.001)
    return 1


def generates():
    yield 1


@app.get("/context")
async def context(who: Annotated[str, Depends(sets_a_context_variable)]) -> dict[str, str]:
    return {"who": who}


@app.get("/thread-local")
async def thread_local(n: Annotated[int, Depends(uses_a_thread_local)]) -> dict[str, int]:
    return {"n": n}


@app.get("/sleeps")
async def sleeping(n: Annotated[int, Depends(sleeps)]) -> dict[str, int]:
    return {"n": n}


@app.get("/generates")
async def generating(n: Annotated[int, Depends(generates)]) -> dict[str, int]:
    return {"n": n}


# -- endpoints that are no plain functions


class Callable:
    def __call__(self) -> dict[str, str]:
        return {"made": "by an object"}

    def method(self) -> dict[str, str]:
        return {"made": "by a method"}


def with_argument(made: str) -> dict[str, str]:
    return {"made": made}


def without_wraps(function):
    def wrapper():
        return function()

    return wrapper


@without_wraps
def decorated() -> dict[str, str]:
    return {"made": "behind a decorator"}


def bound(made: str = "by a partial") -> dict[str, str]:
    return {"made": made}


app.add_api_route("/object", Callable())
app.add_api_route("/method", Callable().method)
app.add_api_route("/partial", functools.partial(bound))
app.add_api_route("/decorated", decorated)


# -- routes made in a loop, in a factory, by a class of their own, and with the first request

for _name in ("a", "b"):

    def in_a_loop(name: str = _name) -> dict[str, str]:
        return {"name": name}

    app.add_api_route(f"/loop/{_name}", in_a_loop)


def make_router(name: str) -> APIRouter:
    router = APIRouter()

    @router.get(f"/factory/{name}")
    def in_a_factory() -> dict[str, str]:
        return {"name": name}

    return router


app.include_router(make_router("a"))
app.include_router(make_router("b"))


class Timed(APIRoute):
    def __init__(self, *args, note: str = "a note", **kwargs):
        super().__init__(*args, **kwargs)
        self.note = note

    def get_route_handler(self):
        original = super().get_route_handler()

        async def timed(request: Request):
            response = await original(request)
            response.headers["x-note"] = self.note
            return response

        return timed


timed = APIRouter(route_class=Timed)


@timed.get("/own-route-class")
def own_route_class():
    return ROWS


app.include_router(timed)


@second.get("/second")
def of_the_second_app() -> dict[str, str]:
    return {"app": "second"}


app.mount("/second", second)


# -- endpoints that do something


@app.get("/mutates")
def mutates() -> dict[str, int]:
    COUNTS["hits"] += 1
    return dict(COUNTS)


@app.get("/forks")
def forks() -> dict[str, int]:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return {"forked": 1}


@app.get("/large")
def large():
    return [{"text": "x" * 1000} for _ in range(5_000)]


@app.get("/not-json")
def not_json() -> int:
    from fastapi.responses import PlainTextResponse

    return PlainTextResponse("not JSON")


@app.get("/allocates")
def allocates() -> dict[str, int]:
    return {"bytes": len(bytearray(200_000_000))}


@app.get("/starts-a-thread")
def starts_a_thread() -> dict[str, int]:
    thread = threading.Thread(target=time.sleep, args=(0.001,))
    thread.start()
    thread.join()
    return {"threads": 1}
