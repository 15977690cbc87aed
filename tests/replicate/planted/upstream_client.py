"""No claim holds here: whatever the upstream takes, threads are many times slower than the event loop."""

import asyncio
import time
from typing import Any

from fastapi import FastAPI

app = FastAPI(openapi_url=None)


@app.get("/httpx-each", response_model=None)
@app.get("/httpx-shared", response_model=None)
@app.get("/httpx2-shared", response_model=None)
@app.get("/aiohttp-shared", response_model=None)
async def waiting() -> Any:
    await asyncio.sleep(0.01)
    return {}


@app.get("/requests-get", response_model=None)
@app.get("/requests-session", response_model=None)
def blocking() -> Any:
    time.sleep(0.05)
    return {}
