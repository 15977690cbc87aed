"""Coroutines that hold the event loop in different ways, and some that do not."""

import asyncio
import ctypes
import threading
import time

from fastapi import Depends, FastAPI, Request

app = FastAPI()
LIBC = ctypes.CDLL(None)


@app.middleware("http")
async def waits_where_asked(request: Request, call_next):
    if request.url.path == "/middleware":
        time.sleep(0.005)  # noqa: ASYNC251
    return await call_next(request)


@app.get("/unknown_c")
async def unknown_c():
    LIBC.usleep(5000)
    return 1


@app.get("/lock")
async def lock():
    guard = threading.Lock()
    guard.acquire()
    threading.Timer(0.005, guard.release).start()
    guard.acquire()
    return 1


@app.get("/computes")
async def computes():
    return sum(range(300_000))


@app.get("/awaits")
async def awaits():
    await asyncio.sleep(0.005)
    return 1


@app.get("/awaits_and_blocks")
async def awaits_and_blocks():
    await asyncio.sleep(0)
    LIBC.usleep(5000)
    return 1


@app.get("/in_a_thread")
def in_a_thread():
    time.sleep(0.005)
    return 1


async def blocking_dependency():
    LIBC.usleep(5000)


@app.get("/dependency", dependencies=[Depends(blocking_dependency)])
async def dependency():
    return 1


@app.get("/middleware")
async def middleware():
    return 1
