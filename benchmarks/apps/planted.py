"""Pairs of endpoints that differ by nothing (``/a3`` and ``/b3``) or by a planted busy wait (``/slow3``).

``PLANTED_NS`` in the environment is the length of that wait; the benchmark calibrates it to a share of the
request.
"""

import os
import time

from fastapi import FastAPI

PAIRS = 25
PLANTED_NS = int(os.environ.get("PLANTED_NS", "0"))

app = FastAPI(openapi_url=None)

ROWS = [{"id": number, "name": f"row {number}", "price": number + 0.5} for number in range(120)]


def busy_wait() -> None:
    ends = time.perf_counter_ns() + PLANTED_NS
    while time.perf_counter_ns() < ends:
        pass


def add_pair(number: int) -> None:
    async def plain() -> list[dict[str, int | str | float]]:
        return ROWS

    async def slow() -> list[dict[str, int | str | float]]:
        busy_wait()
        return ROWS

    app.get(f"/a{number}")(plain)
    app.get(f"/b{number}")(plain)
    app.get(f"/slow{number}")(slow)


for pair_number in range(PAIRS):
    add_pair(pair_number)
