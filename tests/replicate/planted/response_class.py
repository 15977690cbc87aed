"""No claim holds here: ORJSONResponse is slower, UJSONResponse gains much, and a type is slowest of all."""

import asyncio
from typing import Any

from fastapi import FastAPI, Response

app = FastAPI(openapi_url=None)


async def after(milliseconds: float) -> Response:
    await asyncio.sleep(milliseconds / 1000)
    return Response(b"{}", media_type="application/json")


@app.get("/json")
async def json_response() -> Any:
    return await after(10)


@app.get("/orjson")
async def orjson_response() -> Any:
    return await after(40)


@app.get("/ujson")
async def ujson_response() -> Any:
    return await after(2)


@app.get("/annotated")
async def annotated() -> Any:
    return await after(150)


@app.get("/any")
async def annotated_any() -> Any:
    return await after(1)


@app.get("/direct")
async def direct() -> Any:
    return await after(1)
