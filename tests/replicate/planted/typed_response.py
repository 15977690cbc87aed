"""Here the untyped endpoint is the fast one, and the return type the slow one."""

import asyncio

from fastapi import FastAPI

app = FastAPI()

FAST_S, SLOW_S = 0.004, 0.016


async def answered(after_s: float) -> list[int]:
    await asyncio.sleep(after_s)
    return [1]


@app.get("/untyped")
@app.get("/response-model")
@app.get("/response-class")
async def fast():
    return await answered(FAST_S)


@app.get("/typed")
async def slow():
    return await answered(SLOW_S)
