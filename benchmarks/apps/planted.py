"""Names that differ by nothing (``/a3`` and ``/b3``) or by a planted busy wait (``/slow3``).

``PLANTED_TURNS`` in the environment is the length of that wait, in turns of a loop; the benchmark calibrates
it to a share of the request. Turns and not nanoseconds: where others share the machine, its speed changes
from minute to minute, and the share would change with it.
"""

import os

from fastapi import FastAPI

PLANTED_TURNS = int(os.environ.get("PLANTED_TURNS", "0"))

app = FastAPI(openapi_url=None)

ROWS = [{"id": number, "name": f"row {number}", "price": number + 0.5} for number in range(120)]


def busy_wait() -> None:
    for _ in range(PLANTED_TURNS):
        pass


@app.get("/{name}")
async def rows(name: str) -> list[dict[str, int | str | float]]:
    """One route for all names: the router finds ``/a3`` and ``/b3`` in the same time."""
    if name.startswith("slow"):
        busy_wait()
    return ROWS
