"""A shop with ten endpoints, one of which can be made slower by a planted busy wait."""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel

SLOWED, PLANTED = "/orders/7", 0.0
"""Where, and by which share of the whole request; a guard's head has another number here."""
GREETING = "hello"

shop = FastAPI()


class Item(BaseModel):
    id: int
    name: str
    price: float
    tags: list[str]


ITEMS = [Item(id=n, name=f"item {n}", price=n * 1.5, tags=["new", "cheap"]) for n in range(400)]


@shop.get("/")
async def greeting() -> dict[str, str]:
    return {"greeting": GREETING}


@shop.get("/health")
def health() -> dict[str, bool]:
    return {"well": True}


@shop.get("/items")
async def items() -> list[Item]:
    return ITEMS[:100]


@shop.get("/items/all")
async def all_items() -> list[Item]:
    return ITEMS


@shop.get("/items/plain")
async def plain_items():  # type: ignore[no-untyped-def]
    return [item.model_dump() for item in ITEMS[:50]]


@shop.get("/items/first")
async def first_item() -> Item:
    return ITEMS[0]


@shop.get("/search")
async def search(word: str = "item 3", most: int = 20) -> list[Item]:
    return [item for item in ITEMS if word in item.name][:most]


@shop.get("/totals")
async def totals() -> dict[str, float]:
    return {tag: sum(item.price for item in ITEMS if tag in item.tags) for tag in ("new", "cheap", "old")}


@shop.get("/prices")
def prices() -> dict[str, float]:
    return {item.name: round(item.price * 1.19, 2) for item in ITEMS}


@shop.get("/orders/7")
async def order() -> dict[str, Any]:
    lines = [{"item": item.id, "sum": sum(n * item.price for n in range(40))} for item in ITEMS[:60]]
    return {"id": 7, "lines": lines}


class Planted:
    def __init__(self, app: FastAPI) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        started = perf_counter_ns()
        await self.app(scope, receive, send)
        if scope["type"] == "http" and scope["path"] == SLOWED:
            ends = perf_counter_ns() + PLANTED * (perf_counter_ns() - started)
            while perf_counter_ns() < ends:
                pass


app = Planted(shop)
