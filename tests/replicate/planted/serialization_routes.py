"""Here single passes are slow and disagree, ``jsonable_encoder`` is fast, and adapters are best rebuilt."""

import asyncio

from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse

app = FastAPI()

TAKES_S = {
    "model_dump_json": 0.032,
    "dump_json": 0.016,
    "json.dumps(model_dump)": 0.004,
    "json.dumps(jsonable_encoder)": 0.002,
    "model-kept": 0.016,
    "model-rebuilt": 0.004,
    "rows-kept": 0.016,
    "rows-rebuilt": 0.004,
}


@app.get("/routes/{name}")
@app.get("/adapters/{name}")
async def work(name: str):
    await asyncio.sleep(TAKES_S[name])
    return Response(b"[1]" if name != "dump_json" else b"[ 1 ]", media_type="application/json")


@app.get("/orders/returned", response_model=list[int])
async def returned():
    return [1]


@app.get("/orders/built-by-hand", response_model=list[int])
async def built_by_hand():
    return JSONResponse([1])


@app.get("/guard")
async def guard():
    return {"passes": True}


@app.get("/compare")
@app.get("/adapter-reuse")
async def original():
    return {}
