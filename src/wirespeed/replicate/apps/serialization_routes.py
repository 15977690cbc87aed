"""An order of 200 lines, turned into JSON by four routes; and adapters that are kept or made anew.

``GET /compare`` and ``GET /adapter-reuse`` measure as the original did. The endpoints below them do one
thing ``times`` times and answer with the last bytes: so what a request costs besides weighs next to nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from time import perf_counter
from typing import Any

from fastapi import FastAPI, Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter

app = FastAPI()


class Line(BaseModel):
    sku: str
    qty: int
    unit_price: float


class Order(BaseModel):
    ref: str
    lines: list[Line]


Rows = list[dict[str, int]]

LINES, BEST_OF, REUSES = 200, 3, 200
ORDER = Order(
    ref="ORD-1", lines=[Line(sku=f"SKU-{i}", qty=i % 7 + 1, unit_price=1.5 + i) for i in range(LINES)]
)
ROWS: Rows = [{"qty": line.qty, "index": index} for index, line in enumerate(ORDER.lines)]
ORDER_ADAPTER: TypeAdapter[Order] = TypeAdapter(Order)
ROWS_ADAPTER: TypeAdapter[Rows] = TypeAdapter(Rows)

ROUTES: dict[str, Callable[[], bytes]] = {
    "model_dump_json": lambda: ORDER.model_dump_json().encode(),
    "dump_json": lambda: ORDER_ADAPTER.dump_json(ORDER),
    "json.dumps(model_dump)": lambda: json.dumps(ORDER.model_dump(mode="json")).encode(),
    "json.dumps(jsonable_encoder)": lambda: json.dumps(jsonable_encoder(ORDER)).encode(),
}
ADAPTERS: dict[str, Callable[[], bytes]] = {
    "model-kept": lambda: ORDER_ADAPTER.dump_json(ORDER),
    "model-rebuilt": lambda: TypeAdapter(Order).dump_json(ORDER),
    "rows-kept": lambda: ROWS_ADAPTER.dump_json(ROWS),
    "rows-rebuilt": lambda: TypeAdapter(Rows).dump_json(ROWS),
}


def best_s(work: Callable[[], bytes], calls: int) -> float:
    """The best of three, after a warm-up."""
    work()
    return min(timed_s(work, calls) for _ in range(BEST_OF))


def timed_s(work: Callable[[], bytes], calls: int) -> float:
    started = perf_counter()
    for _ in range(calls):
        work()
    return perf_counter() - started


@app.get("/compare")
def compare(n: int = 300) -> dict[str, Any]:
    times_s = {name: best_s(work, n) for name, work in ROUTES.items()}
    fastest, slowest = min(times_s, key=times_s.__getitem__), max(times_s, key=times_s.__getitem__)
    return {
        "iterations": n,
        "lines_per_order": LINES,
        "fastest": fastest,
        "slowest": slowest,
        "slowest_is_at_least_2x_fastest": times_s[slowest] >= 2 * times_s[fastest],
        "byte_identical_output": ROUTES["model_dump_json"]() == ROUTES["dump_json"](),
    }


@app.get("/adapter-reuse")
def adapter_reuse() -> dict[str, Any]:
    kept_s, rebuilt_s = (best_s(ADAPTERS[name], REUSES) for name in ("model-kept", "model-rebuilt"))
    return {
        "iterations": REUSES,
        "reuse_is_faster": kept_s < rebuilt_s,
        "rebuild_costs_at_least_2x": rebuilt_s >= 2 * kept_s,
    }


def repeated(work: Callable[[], bytes], times: int) -> Response:
    for _ in range(times - 1):
        work()
    return Response(work(), media_type="application/json")


@app.get("/routes/{name}")
async def route(name: str, times: int = 1) -> Response:
    return repeated(ROUTES[name], times)


@app.get("/adapters/{name}")
async def adapter(name: str, times: int = 1) -> Response:
    return repeated(ADAPTERS[name], times)


@app.get("/orders/returned", response_model=Order)
async def returned():  # type: ignore[no-untyped-def]
    return ORDER


@app.get("/orders/built-by-hand", response_model=Order)
async def built_by_hand():  # type: ignore[no-untyped-def]
    return JSONResponse(jsonable_encoder(ORDER))


@app.get("/guard")
async def guard(path: str) -> dict[str, bool]:
    """The test that was recommended, for the route with this path."""
    return {"passes": any(each.path == path and each.response_model is not None for each in api_routes())}


def api_routes() -> list[APIRoute]:
    return [each for each in app.routes if isinstance(each, APIRoute)]
