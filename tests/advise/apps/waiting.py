"""The same answer twice: at once, and after a wait that is never the same.

It takes some 8 ms to serialize, and a third of that without the response class.
"""

import asyncio
import random

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel

app = FastAPI(default_response_class=JSONResponse)


class Row(BaseModel):
    id: int
    name: str
    tags: list[str]
    at: dict[str, int]
    even: bool


ROWS = [
    Row(id=n, name=f"row {n}", tags=["a", f"b{n}"], at={"x": n, "y": -n}, even=n % 2 == 0)
    for n in range(2000)
]


@app.get("/at-once")
async def at_once() -> list[Row]:
    return ROWS


@app.get("/after-a-wait")
async def after_a_wait() -> list[Row]:
    await asyncio.sleep(random.uniform(0.035, 0.045))
    return ROWS
