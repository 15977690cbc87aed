"""The app: ``shop.main:app``."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, WebSocket
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from .dependencies import StoreDep
from .middleware import SecurityHeadersMiddleware, ShopVersionMiddleware
from .partner import partner
from .routers import api
from .store import open_store

VERSION = "2026.1"


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    store = open_store()
    app.state.store = partner.state.store = store
    yield
    store.close()


async def robots(request: Request) -> PlainTextResponse:
    return PlainTextResponse("User-agent: *\nDisallow: /api/admin/\n")


app = FastAPI(
    title="Fjell & Fjord", version=VERSION, lifespan=lifespan, routes=[Route("/robots.txt", robots)]
)
app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
app.add_middleware(ShopVersionMiddleware, version=VERSION)
app.add_middleware(SecurityHeadersMiddleware)
app.include_router(api)
app.mount("/partner", partner)


@app.get("/health")
def health():
    return {"status": "ok"}


@app.get("/ready")
async def ready(store: StoreDep) -> dict[str, int]:
    return {"products": len(store.products), "orders": len(store.orders)}


@app.get("/version")
async def version() -> str:
    return VERSION


@app.websocket("/ws/orders")
async def order_feed(socket: WebSocket, pause_s: float = 0.5) -> None:
    await socket.accept()
    for order in list(socket.app.state.store.orders.values())[:20]:
        await socket.send_json({"id": order.id, "status": order.status})
        await asyncio.sleep(pause_s)
    await socket.close()
