"""The API that partner shops use: a FastAPI app of its own, mounted below ``/partner``."""

from typing import Annotated

from fastapi import FastAPI, HTTPException, Path
from starlette.middleware.gzip import GZipMiddleware

from .dependencies import PageDep, StoreDep
from .models import Order

partner = FastAPI(title="Partner API")
partner.add_middleware(GZipMiddleware, minimum_size=500, compresslevel=9)


@partner.get("/ping")
def ping():
    return {"pong": True}


@partner.get("/products")
async def partner_products(store: StoreDep, page: PageDep):
    return store.rows("SELECT * FROM products ORDER BY id LIMIT ? OFFSET ?", page.limit, page.offset)


@partner.get("/orders/{order_id}")
async def partner_order(order_id: Annotated[int, Path(examples=[20])], store: StoreDep) -> Order:
    if order_id not in store.orders:
        raise HTTPException(404, f"No order {order_id}")
    return store.orders[order_id]
