"""Hello world twice, and twice with something to wait for."""

from __future__ import annotations

import asyncio
import time

from fastapi import FastAPI

WAIT_S = 0.02

app = FastAPI()


@app.get("/def")
def sync_hello():  # type: ignore[no-untyped-def]
    return {"message": "Hello World"}


@app.get("/async-def")
async def async_hello():  # type: ignore[no-untyped-def]
    return {"message": "Hello World"}


@app.get("/def-waiting")
def sync_waiting():  # type: ignore[no-untyped-def]
    time.sleep(WAIT_S)
    return {"message": "Hello World"}


@app.get("/async-def-waiting")
async def async_waiting():  # type: ignore[no-untyped-def]
    await asyncio.sleep(WAIT_S)
    return {"message": "Hello World"}
