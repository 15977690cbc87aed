"""Answers that are the same within one process, and others in the next."""

import os

from fastapi import FastAPI
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse

app = FastAPI()
ROWS = [{"n": n, "name": f"row {n}"} for n in range(500)]


@app.get("/who")
async def who():
    return JSONResponse(jsonable_encoder({"process": os.getpid(), "rows": ROWS}))
