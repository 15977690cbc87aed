"""What endpoints ask for: the store, the caller, a page, a unit of work."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Header, HTTPException, Query, Request

from .store import Store

_SETTINGS = Path(__file__).with_name("settings.json")
_TOKENS = {"letmein": 7}


async def get_store(request: Request) -> Store:
    return request.app.state.store


StoreDep = Annotated[Store, Depends(get_store)]


def current_customer_id(authorization: Annotated[str | None, Header()] = None) -> int:
    token = (authorization or "").removeprefix("Bearer ")
    if token not in _TOKENS:
        raise HTTPException(401, "Sign in first", headers={"WWW-Authenticate": "Bearer"})
    return _TOKENS[token]


CurrentCustomer = Annotated[int, Depends(current_customer_id)]


def unit_of_work(store: StoreDep) -> Iterator[sqlite3.Connection]:
    with store.transaction() as ledger:
        yield ledger


UnitOfWork = Annotated[sqlite3.Connection, Depends(unit_of_work)]


class Page:
    """Which part of a listing the caller wants."""

    def __init__(
        self,
        page: Annotated[int, Query(ge=1)] = 1,
        size: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> None:
        self.limit = size
        self.offset = (page - 1) * size


PageDep = Annotated[Page, Depends()]


class Sorter:
    """A dependency with settings of its own: which columns a listing may be sorted by."""

    def __init__(self, *columns: str) -> None:
        self._columns = columns

    def __call__(self, sort: str | None = None) -> str:
        if sort is not None and sort not in self._columns:
            raise HTTPException(422, f"Sort by one of {', '.join(self._columns)}")
        return sort or self._columns[0]


def load_settings() -> dict[str, Any]:
    return json.loads(_SETTINGS.read_text())


Settings = Annotated[dict[str, Any], Depends(load_settings)]


def currency(settings: Settings, accept_currency: Annotated[str | None, Header()] = None) -> str:
    offered: list[str] = settings["currencies"]
    return accept_currency if accept_currency and accept_currency in offered else offered[0]


Currency = Annotated[str, Depends(currency)]


def shipping_zones(store: StoreDep) -> dict[str, int]:
    zones: dict[str, int] = {}
    for row in store.rows("SELECT city, count(*) AS customers FROM customers GROUP BY city ORDER BY city"):
        zones[row["city"]] = row["customers"]
    return zones


ShippingZones = Annotated[dict[str, int], Depends(shipping_zones, use_cache=False)]
