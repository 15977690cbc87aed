"""
Case 12: GZipMiddleware with its default level 9 on a large JSON body.

Endpoint: GET /points   (send Accept-Encoding: gzip)
Symptom: after turning the return annotation on, the endpoint is still slow; without
    Accept-Encoding it is several times faster.
Expected diagnosis: zlib dominates the request, serialization is a small part. Since Starlette 1.4
    the loop is not blocked for bodies >= thread_minimum_size, but latency and CPU remain.
Expected best remedy: compresslevel between 1 and 4 (or compress in the proxy, or only for slow links).
Bytes: the compressed bytes on the wire change; the decoded body must stay identical.
Measured (in-process, FastAPI 0.165.0, Python 3.13): 30.9 ms CPU at level 9; 7.7 at level 6, 6.1 at level
    4, 5.1 at level 1 (wire 73.7, 76.9, 91.9,
    117.4 kB); 2.55 ms without gzip.
"""

import random

from fastapi import FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from pydantic import BaseModel

app = FastAPI()
app.add_middleware(GZipMiddleware, minimum_size=1000)
_rng = random.Random(12)


class Point(BaseModel):
    name: str
    zone: str
    height: int
    open: bool


POINTS = [
    Point(
        name=f"marker-{_rng.randrange(2000):04d}",
        zone=_rng.choice(["north", "south", "east", "west"]),
        height=_rng.randrange(3000),
        open=_rng.random() < 0.5,
    )
    for _ in range(12000)
]


@app.get("/points")
async def points() -> list[Point]:
    return POINTS
