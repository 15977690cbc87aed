"""
Case 02: list of Pydantic models returned without annotation.

Endpoint: GET /readings
Symptom: the handler already builds Pydantic models, yet the response is slow and upgrading to a
    FastAPI version "with Rust serialization" changed nothing.
Expected diagnosis: no annotation, so each model is model_dump-ed and its dict walked again by
    jsonable_encoder, then json.dumps. The fast path is not taken.
Expected best remedy: annotate -> list[Reading]. Instances are not re-validated field by field
    (revalidate_instances="never"), and dump_json runs in Rust.
Bytes: must stay identical. Decimal, UTC datetime, UUID and timedelta are model fields, so both
    paths already use Pydantic's own encoding for them ("12.50", "...Z", "PT5S").
Measured (in-process, FastAPI 0.165.0, Python 3.13): 16.7 -> 1.06 ms CPU (16x); -> Any is about the same.
    response_class=ORJSONResponse alone: 14.4 ms.
"""

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()
_rng = random.Random(2)
_T0 = datetime(2024, 3, 1, tzinfo=UTC)


class Point(BaseModel):
    x: float
    y: float


class Reading(BaseModel):
    id: UUID
    taken_at: datetime
    price: Decimal
    lag: timedelta
    where: Point
    note: str | None = None
    flags: list[str] = []


READINGS = [
    Reading(
        id=UUID(int=n),
        taken_at=_T0 + timedelta(seconds=n),
        price=Decimal(_rng.randrange(100, 99999)) / 100,
        lag=timedelta(seconds=n % 60),
        where=Point(x=round(_rng.uniform(-90, 90), 4) + 100, y=round(_rng.uniform(-90, 90), 4) + 100),
        note=None if n % 4 else "checked",
        flags=["raw", f"q{n % 3}"],
    )
    for n in range(1000)
]


@app.get("/readings")
async def readings():
    return READINGS
