"""Answers whose bytes change when the route gets a response type, each in its own way."""

import math
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field, model_validator

app = FastAPI()
MANY = range(150)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Item(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    name: str
    unit_cost: int = Field(default=1, alias="unitCost")
    note: str | None = None


class Special(Item):
    secret: str = "shown without a type, dropped with the parent's"


class Counter(BaseModel):
    number: int
    validated: int = 0

    @model_validator(mode="after")
    def count(self):
        self.__dict__["validated"] += 1
        return self


class Plain:
    def __init__(self, number: int) -> None:
        self.number = number
        self.label = f"plain {number}"


ITEMS = [Item(name=f"item {n}") for n in MANY]


@app.get("/decimals")
async def decimals():
    return [{"price": Decimal("12.50"), "n": n} for n in MANY]


@app.get("/moments")
async def moments():
    return [{"at": NOON + timedelta(hours=n)} for n in MANY]


@app.get("/durations")
async def durations():
    return [{"lasts": timedelta(seconds=90 + n)} for n in MANY]


@app.get("/tiny-floats")
async def tiny_floats():
    return [{"ratio": 1e-05, "n": n} for n in MANY]


@app.get("/not-a-number")
async def not_a_number():
    return [{"ratio": math.nan, "n": n} for n in MANY]


@app.get("/none-as-key")
async def none_as_key():
    return [{None: n, "name": "a"} for n in MANY]


@app.get("/orm-keys")
async def orm_keys():
    return [{"_sa_instance_state": n, "name": "a"} for n in MANY]


@app.get("/plain-objects")
async def plain_objects():
    return [Plain(n) for n in MANY]


@app.get("/subclasses")
async def subclasses():
    return [Special(name=f"special {n}") if n % 10 == 0 else Item(name=f"item {n}") for n in MANY]


@app.get("/validated-again")
async def validated_again():
    return [Counter(number=n) for n in MANY]


@app.get("/dormant-exclude-none", response_model_exclude_none=True)
async def dormant_exclude_none():
    return ITEMS


@app.get("/dormant-by-name", response_model_by_alias=False)
async def dormant_by_name():
    return ITEMS


@app.get("/filtered", response_model=list[Item])
async def filtered():
    return [Special(name=f"special {n}") for n in MANY]


@app.get("/rows")
async def rows() -> Any:
    return [{"n": n, "name": f"row {n}"} for n in MANY]


@app.get("/untyped-rows")
async def untyped_rows():
    return [{"n": n, "name": f"row {n}"} for n in MANY]
