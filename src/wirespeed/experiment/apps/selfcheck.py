"""The app that ``wirespeed selfcheck`` measures against itself: requests of three usual kinds."""

from typing import Any

from fastapi import FastAPI

app = FastAPI(openapi_url=None)

_ROWS = [{"id": number, "name": f"row {number}", "open": number % 2 == 0} for number in range(800)]


@app.get("/small")
async def small() -> dict[str, str]:
    return {"status": "ok"}


@app.get("/thread")
def thread() -> dict[str, str]:
    return {"status": "ok"}


@app.get("/large")
async def large() -> list[dict[str, Any]]:
    return _ROWS
