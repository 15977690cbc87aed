"""One endpoint for every way in which an endpoint can go wrong, and one that is fine."""

import asyncio
import os
import random
import sys
import time
from itertools import count

from fastapi import FastAPI, HTTPException
from fastapi.responses import RedirectResponse, StreamingResponse

app = FastAPI()
ROWS = [{"n": n, "name": f"row {n}"} for n in range(200)]
TICKETS = count()


@app.get("/fine")
async def fine():
    return ROWS


@app.get("/raises")
def raises():
    raise LookupError("no such table")


@app.get("/unavailable")
def unavailable():
    raise HTTPException(503)


@app.get("/unauthorized")
def unauthorized():
    raise HTTPException(401)


@app.get("/redirects")
def redirects():
    return RedirectResponse("/fine", status_code=302)


@app.get("/streams-forever")
async def streams_forever():
    async def ticks():
        while True:
            yield b"tick"
            await asyncio.sleep(0.001)

    return StreamingResponse(ticks())


@app.get("/different-every-time")
async def different_every_time():
    # Never below 0.0001, where json.dumps and Pydantic write the same number in two ways.
    return [{"n": n, "ticket": next(TICKETS), "luck": random.uniform(1, 2)} for n in range(200)]


@app.get("/another-status-every-time")
async def another_status_every_time():
    if next(TICKETS) % 2:
        raise HTTPException(404)
    return ROWS


@app.get("/waits-forever")
async def waits_forever():
    await asyncio.sleep(3600)


@app.get("/blocks-forever")
async def blocks_forever():
    time.sleep(3600)  # noqa: ASYNC251


@app.get("/ends-the-process")
async def ends_the_process():
    os._exit(3)


@app.get("/prints")
def prints():
    print("x" * 100_000)
    sys.stderr.write("y" * 100_000)
    return ROWS


@app.get("/fine-too")
async def fine_too():
    return ROWS
