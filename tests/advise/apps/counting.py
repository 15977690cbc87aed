"""Counts how often each endpoint's own code runs, through a file that the audit hook does not see."""

import os
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI

app = FastAPI()
FOLDER = Path(os.environ["COUNT_IN"])
ROWS = [{"n": n, "name": f"row {n}"} for n in range(200)]
# Opened before any call: what is written to it later raises no audit event.
LOG = os.open(FOLDER / "calls", os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def note(what: str) -> None:
    os.write(LOG, f"{os.getpid()} {what}\n".encode())


note("start")
STARTS = (FOLDER / "calls").read_text().count("start")


def dependency() -> None:
    note("dependency")


@app.get("/rows", dependencies=[Depends(dependency)])
def rows():
    note("rows")
    return ROWS


@app.get("/named")
async def named():
    note("named")
    return ROWS


@app.get("/typed")
async def typed() -> list[dict[str, Any]]:
    note("typed")
    return ROWS


@app.get("/writes")
def writes():
    note("writes")
    (FOLDER / "written").write_text("x")
    return ROWS


@app.get("/writes-by-name")
def writes_by_name():
    note("writes-by-name")
    (FOLDER / "written by name").write_text("x")
    return ROWS


@app.get("/refuses")
async def refuses():
    note("refuses")
    raise LookupError("nothing here")


@app.get("/restart")
async def restart():
    note("restart")
    return ROWS


@app.get("/fails-in-the-third-process")
async def fails_in_the_third_process():
    note("fails-in-the-third-process")
    if STARTS >= 3:
        raise LookupError("the connection is gone")
    return ROWS


@app.get("/changes-in-the-third-process")
async def changes_in_the_third_process():
    return [{"n": 1.5 if STARTS < 3 else 1e-05} for _ in range(200)]


@app.post("/orders", status_code=201)
async def orders(items: list[str]):
    note("orders")
    return {"items": items, "rows": ROWS}


@app.post("/never")
async def never(items: list[str]):
    note("never")
    return items
