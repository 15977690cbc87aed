"""Here rebuilding an adapter takes four times as long, and a guard fails as it was said to."""

import asyncio

from fastapi import FastAPI
from fastapi.responses import JSONResponse

app = FastAPI()


@app.get("/adapters/{name}")
async def adapter(name: str):
    await asyncio.sleep(0.016 if name == "model-rebuilt" else 0.004)
    return JSONResponse([1])


@app.get("/routes/{name}")
@app.get("/orders/{name}")
@app.get("/compare")
@app.get("/adapter-reuse")
async def other():
    return JSONResponse([1])


@app.get("/guard")
async def guard():
    return {"passes": False}
