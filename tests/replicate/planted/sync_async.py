"""Here ``def`` takes eight times as long although nothing of it is a thread hop."""

import asyncio

from fastapi import FastAPI

app = FastAPI()


@app.get("/def")
@app.get("/def-waiting")
async def slow():
    await asyncio.sleep(0.04)
    return {}


@app.get("/async-def")
@app.get("/async-def-waiting")
async def fast():
    await asyncio.sleep(0.005)
    return {}
