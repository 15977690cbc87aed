"""An endpoint that asks another HTTP API, by every client that people use for it.

``UPSTREAM_URL`` names the upstream, ``UPSTREAM_TIMEOUT_S`` how long one answer may take. Arms differ in the
client alone: what becomes of an answer, of an error and of a time-out is the same code for all. A response
type would cost ``def`` endpoints a second thread hop, so none has one, as in the write-up.
"""

import asyncio
import json
import os
import ssl
import statistics
import time
from collections.abc import AsyncIterator, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any, Final

import aiohttp
import anyio.to_thread
import httpx
import httpx2
import requests
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse
from requests.adapters import HTTPAdapter

UPSTREAM_URL: Final = os.environ["UPSTREAM_URL"]
TIMEOUT_S: Final = float(os.environ.get("UPSTREAM_TIMEOUT_S", "5"))
MOST_CONNECTIONS: Final = 200
"""Of every shared client: as many as there are callers at most. Otherwise their defaults would be compared:
100, of which httpx keeps 20, and requests 10.
"""
MADE: Final = 5
"""Clients of each kind that are made to see what making one takes."""


@asynccontextmanager
async def clients(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    """The shared clients, one of each kind."""
    limits = {"max_connections": MOST_CONNECTIONS, "max_keepalive_connections": MOST_CONNECTIONS}
    async with (
        httpx.AsyncClient(timeout=TIMEOUT_S, limits=httpx.Limits(**limits)) as shared_httpx,
        httpx2.AsyncClient(timeout=TIMEOUT_S, limits=httpx2.Limits(**limits)) as shared_httpx2,
        aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=None, connect=TIMEOUT_S, sock_read=TIMEOUT_S),
            connector=aiohttp.TCPConnector(limit=MOST_CONNECTIONS),
        ) as shared_aiohttp,
    ):
        with requests.Session() as session:
            session.mount("http://", HTTPAdapter(pool_maxsize=MOST_CONNECTIONS))
            yield {
                "httpx": shared_httpx,
                "httpx2": shared_httpx2,
                "aiohttp": shared_aiohttp,
                "session": session,
            }


app = FastAPI(openapi_url=None, lifespan=clients)

# -- what becomes of an answer, and of none ------------------------------------------------------------------

TIMED_OUT: Final = (
    httpx.TimeoutException,
    httpx2.TimeoutException,
    requests.Timeout,
    aiohttp.ServerTimeoutError,
    TimeoutError,
)
UNREACHABLE: Final = (
    httpx.TransportError,
    httpx2.TransportError,
    requests.RequestException,
    aiohttp.ClientError,
)


def relayed(status: int, body: bytes) -> Any:
    """What the upstream said, or 503."""
    if status != 200:
        raise HTTPException(503, f"the upstream answered {status}")
    try:
        return json.loads(body)
    except ValueError as error:
        raise HTTPException(503, "the upstream's answer is no JSON") from error


async def timed_out(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": f"the upstream gave no answer within {TIMEOUT_S:g} s"}, 504)


async def unreachable(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": f"the upstream cannot be reached ({type(error).__name__})"}, 503)


for late in TIMED_OUT:
    app.add_exception_handler(late, timed_out)
for lost in UNREACHABLE:
    app.add_exception_handler(lost, unreachable)


def upstream(request: Request) -> str:
    """The address to ask: how the upstream is to behave is passed on to it."""
    return f"{UPSTREAM_URL}/uuid?{request.url.query}"


# -- the arms ------------------------------------------------------------------------------------------------


@app.get("/httpx-each", response_model=None)
async def httpx_each(request: Request) -> Any:
    async with httpx.AsyncClient(timeout=TIMEOUT_S) as client:
        answer = await client.get(upstream(request))
    return relayed(answer.status_code, answer.content)


@app.get("/requests-get", response_model=None)
def requests_get(request: Request) -> Any:
    answer = requests.get(upstream(request), timeout=TIMEOUT_S)
    return relayed(answer.status_code, answer.content)


@app.get("/httpx-shared", response_model=None)
async def httpx_shared(request: Request) -> Any:
    answer = await request.state.httpx.get(upstream(request))
    return relayed(answer.status_code, answer.content)


@app.get("/requests-session", response_model=None)
def requests_session(request: Request) -> Any:
    answer = request.state.session.get(upstream(request), timeout=TIMEOUT_S)
    return relayed(answer.status_code, answer.content)


@app.get("/httpx2-shared", response_model=None)
async def httpx2_shared(request: Request) -> Any:
    answer = await request.state.httpx2.get(upstream(request))
    return relayed(answer.status_code, answer.content)


@app.get("/aiohttp-shared", response_model=None)
async def aiohttp_shared(request: Request) -> Any:
    async with request.state.aiohttp.get(upstream(request)) as answer:
        return relayed(answer.status, await answer.read())


# -- what explains the arms ----------------------------------------------------------------------------------


@app.get("/thread-tokens")
async def thread_tokens(request: Request, arm: str, callers: int, delay_ms: int) -> dict[str, float]:
    """How many threads there are for ``def`` endpoints, and how many are taken while ``callers`` ask an arm.

    The callers come in through the app itself, not through a socket: FastAPI takes them as it takes any.
    """
    threads = anyio.to_thread.current_default_thread_limiter()
    scope = _scope_of(request, f"/{arm}", f"delay_ms={delay_ms}")
    calls = [asyncio.create_task(_status_of(dict(scope))) for _ in range(callers)]
    taken = waiting = 0
    while not all(call.done() for call in calls):
        seen = threads.statistics()
        taken, waiting = max(taken, seen.borrowed_tokens), max(waiting, seen.tasks_waiting)
        await asyncio.sleep(0.002)
    answered = [call.result() for call in calls].count(200)
    return {"threads": threads.total_tokens, "taken": taken, "waiting": waiting, "answered": answered}


def _scope_of(request: Request, path: str, query: str) -> dict[str, Any]:
    """The scope of a call beside ``request``, without what routing has put there."""
    kept = ("type", "asgi", "http_version", "scheme", "server", "client", "root_path", "headers", "state")
    scope = {key: request.scope[key] for key in kept if key in request.scope}
    return {
        **scope,
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
    }


async def _status_of(scope: dict[str, Any]) -> int:
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await app(scope, receive, send)
    return statuses[0]


@app.get("/making-a-client")
async def making_a_client() -> dict[str, float]:
    """Median nanoseconds that making a client takes, before it has asked anything."""
    tls = ssl.create_default_context()
    ways: dict[str, Callable[[], object]] = {
        "httpx.AsyncClient()": httpx.AsyncClient,
        "httpx.AsyncClient(verify=…) with a TLS context made once": lambda: httpx.AsyncClient(verify=tls),
        "httpx2.AsyncClient()": httpx2.AsyncClient,
        "requests.Session()": requests.Session,
    }
    return {way: _median_ns(make) for way, make in ways.items()}


def _median_ns(make: Callable[[], object]) -> float:
    times_ns = []
    for _ in range(MADE):
        began = time.perf_counter_ns()
        make()
        times_ns.append(time.perf_counter_ns() - began)
    return statistics.median(times_ns)
