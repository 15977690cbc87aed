"""
Case 11: TypeAdapter built inside the handler.

Endpoint: GET /orders
Symptom: parsing 50 stored rows takes milliseconds although validation of one row is microseconds;
    cost hardly depends on the number of rows.
Expected diagnosis: schema building (TypeAdapter.__init__, core-schema generation and compilation)
    on every request, CPU on the event loop.
Expected best remedy: hoist the TypeAdapter to module level.
Bytes: must stay identical.
Measured (in-process, FastAPI 0.165.0, Python 3.13): 0.351 -> 0.089 ms CPU (4x).
"""

from datetime import date, timedelta
from typing import Annotated

from fastapi import FastAPI
from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

app = FastAPI()


class Line(TypedDict):
    sku: Annotated[str, Field(min_length=3)]
    amount: Annotated[int, Field(ge=1)]


class Order(TypedDict):
    number: Annotated[int, Field(gt=0)]
    placed: date
    lines: list[Line]
    coupon: str | None


STORED = [
    {
        "number": str(n + 1),
        "placed": (date(2024, 1, 1) + timedelta(days=n)).isoformat(),
        "lines": [{"sku": f"P{n:03d}", "amount": 1 + n % 4}],
        "coupon": None,
    }
    for n in range(50)
]


@app.get("/orders")
async def orders() -> list[Order]:
    adapter = TypeAdapter(list[Order])
    return adapter.validate_python(STORED)
