"""Orders, from placing to the doorstep."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Query
from fastapi.encoders import jsonable_encoder
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse

from ..dependencies import PageDep, StoreDep
from ..models import Address, Order, OrderDraft, OrderLine, OrderStatus, TrackingEvent
from ..seed import OPENING

router = APIRouter()
_JOURNEY: list[OrderStatus] = ["placed", "packed", "shipped", "delivered"]


def find_order(order_id: Annotated[int, Path(examples=[12])], store: StoreDep) -> Order:
    order = store.orders.get(order_id)
    if order is None:
        raise HTTPException(404, f"No order {order_id}")
    return order


FoundOrder = Annotated[Order, Depends(find_order)]


@router.get("")
async def list_orders(store: StoreDep, page: PageDep, status: OrderStatus | None = None):
    orders = [order for order in store.orders.values() if status in (None, order.status)]
    shown = orders[page.offset : page.offset + page.limit]
    return JSONResponse(jsonable_encoder({"items": shown, "total": len(orders)}))


@router.get("/export")
def export_orders(store: StoreDep) -> StreamingResponse:
    def lines() -> Iterator[str]:
        yield "order,sku,quantity,unit_price\n"
        for order in store.orders.values():
            for line in order.lines:
                yield f"{order.id},{line.sku},{line.quantity},{line.unit_price}\n"

    return StreamingResponse(lines(), media_type="text/csv")


@router.get("/since")
def orders_since(store: StoreDep, days: Annotated[int, Query(ge=0)] = 3) -> list[Order]:
    start = OPENING + timedelta(days=days)
    return [order for order in store.orders.values() if order.placed_at >= start][:100]


@router.get("/{order_id}", response_model=Order)
async def get_order(order: FoundOrder):
    return order.model_dump()


@router.get("/{order_id}/lines", response_model=list[OrderLine])
def order_lines(order_id: Annotated[int, Path(examples=[12])], store: StoreDep):
    return store.rows("SELECT sku, name, quantity, unit_price FROM order_lines WHERE order_id = ?", order_id)


@router.get("/{order_id}/tracking")
async def tracking(order: FoundOrder):
    reached = _JOURNEY.index(order.status) + 1 if order.status in _JOURNEY else 1
    return [
        TrackingEvent(
            status=status, at=order.placed_at + timedelta(hours=9 * step), after=timedelta(hours=9 * step)
        )
        for step, status in enumerate(_JOURNEY[:reached])
    ]


@router.get("/{order_id}/invoice", response_class=HTMLResponse)
async def invoice(order: FoundOrder):
    rows = "".join(
        f"<tr><td>{line.name}<td>{line.quantity}<td>{line.unit_price}</tr>" for line in order.lines
    )
    return f"<h1>Invoice {order.id}</h1><table>{rows}</table><p>Total {order.total}</p>"


@router.post("", status_code=201)
def place_order(draft: OrderDraft, store: StoreDep) -> Order:
    customer = store.row(
        "SELECT street, postcode, city, country FROM customers WHERE id = ?", draft.customer_id
    )
    if customer is None:
        raise HTTPException(404, f"No customer {draft.customer_id}")
    order = Order(
        id=max(store.orders) + 1,
        customer_id=draft.customer_id,
        placed_at=OPENING + timedelta(days=60),
        status="placed",
        lines=draft.lines,
        shipping=Address(**customer),
        total=sum((line.unit_price * line.quantity for line in draft.lines), Decimal(0)),
    )
    store.add_order(order)
    return order


@router.delete("/{order_id}", status_code=204)
def cancel_order(order: FoundOrder, store: StoreDep) -> None:
    if order.status not in ("placed", "packed"):
        raise HTTPException(409, "Already on its way")
    store.orders[order.id] = order.model_copy(update={"status": "cancelled"})
