"""What lies in which warehouse."""

from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path

from ..dependencies import PageDep, StoreDep
from ..models import StockAdjustment, StockLevel
from ..seed import OPENING, WAREHOUSES

router = APIRouter()
Sku = Annotated[str, Path(examples=["COO-0003"])]


def _levels(sku: str, stock: list[StockLevel]) -> list[StockLevel]:
    levels = [level for level in stock if level.sku == sku]
    if not levels:
        raise HTTPException(404, f"Nothing known of {sku}")
    return levels


@router.get("")
async def all_stock(store: StoreDep):
    return store.stock


@router.get("/page")
async def stock_page(store: StoreDep, page: PageDep) -> list[StockLevel]:
    return store.stock[page.offset : page.offset + page.limit]


@router.get("/warehouses")
def warehouses():
    return WAREHOUSES


@router.get("/{sku}", response_model=list[StockLevel])
def stock_of(sku: Sku, store: StoreDep):
    return _levels(sku, store.stock)


@router.get("/{sku}/movements")
async def movements(sku: Sku, store: StoreDep):
    levels = _levels(sku, store.stock)
    return [
        {
            "at": OPENING + timedelta(hours=hour),
            "warehouse": level.warehouse,
            "change": (hour * 7) % 11 - 5,
            "unit_cost": Decimal(hour % 90) + Decimal("9.50"),
            "lead_time": timedelta(hours=hour % 72),
        }
        for level in levels
        for hour in range(120)
    ]


@router.post("/{sku}/adjustments", status_code=202)
def adjust_stock(sku: Sku, adjustment: StockAdjustment, store: StoreDep) -> list[StockLevel]:
    levels = _levels(sku, store.stock)
    for level in levels:
        if level.warehouse == adjustment.warehouse:
            level.on_hand += adjustment.change
    return levels
