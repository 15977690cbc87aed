"""Figures for the back office."""

import math
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse, JSONResponse, ORJSONResponse

from ..dependencies import StoreDep
from ..models import SalesDay
from ..seed import CATEGORIES
from ..store import Store

router = APIRouter(default_response_class=ORJSONResponse)


def _sales_by_day(store: Store) -> list[SalesDay]:
    orders = defaultdict(list)
    for order in store.orders.values():
        orders[order.placed_at.date().isoformat()].append(order)
    return [
        SalesDay(
            day=day,
            orders=len(placed),
            items=sum(line.quantity for order in placed for line in order.lines),
            revenue=float(sum(order.total for order in placed)),
        )
        for day, placed in orders.items()
    ]


@router.get("/sales-by-day", response_model=list[SalesDay])
def sales_by_day(store: StoreDep):
    return _sales_by_day(store)


@router.get("/order-book")
async def order_book(store: StoreDep):
    return list(store.orders.values())


@router.get("/margins")
async def margins():
    return [
        {"category": slug, "margin": math.nan if slug == "lighting" else 0.31, "spread": 0.00002}
        for slug in CATEGORIES
    ]


@router.get("/conversion", response_class=JSONResponse)
async def conversion(visits: int = 0, orders: int = 12):
    return {"visits": visits, "orders": orders, "rate": orders / visits if visits else math.nan}


@router.get("/heatmap")
def heatmap(store: StoreDep, cells: Annotated[int, Query(ge=2, le=64)] = 24) -> list[list[float]]:
    totals = [float(order.total) for order in store.orders.values()]
    scale = max(totals)
    return [
        [
            round(
                sum(math.exp(-abs(total / scale - row / cells) * (column + 1)) for total in totals[:150]), 3
            )
            for column in range(cells)
        ]
        for row in range(cells)
    ]


@router.get("/monthly.csv")
def monthly_csv(store: StoreDep) -> FileResponse:
    path = Path(tempfile.gettempdir()) / "shop-monthly.csv"
    rows = [f"{day.day},{day.orders},{day.revenue:.2f}\n" for day in _sales_by_day(store)]
    path.write_text("day,orders,revenue\n" + "".join(rows))
    return FileResponse(path, media_type="text/csv", filename="monthly.csv")


@router.get("/returns-rate")
async def returns_rate(store: StoreDep, month: int = 12) -> float:
    placed = [order for order in store.orders.values() if order.placed_at.month == month]
    return sum(order.status == "cancelled" for order in placed) / len(placed)
