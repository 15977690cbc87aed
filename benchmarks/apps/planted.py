"""Names that differ by nothing (``/a3`` and ``/b3``) or by a planted busy wait (``/slow3``).

``PLANTED_NS`` in the environment is the length of that wait; the benchmark calibrates it to a share of the
request.
"""

import os
import time

from fastapi import FastAPI

PLANTED_NS = int(os.environ.get("PLANTED_NS", "0"))

app = FastAPI(openapi_url=None)

ROWS = [{"id": number, "name": f"row {number}", "price": number + 0.5} for number in range(120)]


def busy_wait() -> None:
    ends = time.perf_counter_ns() + PLANTED_NS
    while time.perf_counter_ns() < ends:
        pass


@app.get("/{name}")
async def rows(name: str) -> list[dict[str, int | str | float]]:
    """One route for all names: the router finds ``/a3`` and ``/b3`` in the same time."""
    if name.startswith("slow"):
        busy_wait()
    return ROWS
