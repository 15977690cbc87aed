"""Endpoints that want more of the machine than others do."""

from pathlib import Path

from fastapi import FastAPI, Response

app = FastAPI()
ROWS = [{"n": n, "name": f"row {n}"} for n in range(500)]
TEXTS = ["x" * 1_000_000] * 50
CHUNK = 100_000_000


@app.get("/fine")
async def fine():
    return ROWS


@app.get("/fifty-megabytes")
async def fifty_megabytes() -> list[str]:
    return TEXTS


@app.get("/fifty-megabytes-by-hand")
async def fifty_megabytes_by_hand():
    return Response(b"x" * 50_000_000, media_type="text/plain")


@app.get("/four-gigabytes")
async def four_gigabytes() -> dict[str, int]:
    return {"bytes": len(b"\1" * 4_000_000_000)}


@app.get("/more-than-there-is")
async def more_than_there_is() -> dict[str, int]:
    # Never written to, so that a machine that grants all of it has only promised it.
    return {"bytes": sum(map(len, [bytes(CHUNK) for _ in range(MACHINE_BYTES // CHUNK)]))}


def _machine_bytes() -> int:
    return int(Path("/proc/meminfo").read_text().split()[1]) * 1024


MACHINE_BYTES = _machine_bytes()
