"""Finding things: full text, suggestions, a recommender."""

import asyncio
import time
from difflib import SequenceMatcher
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import TypeAdapter

from ..dependencies import StoreDep
from ..models import ProductCard

router = APIRouter()


@router.get("")
async def search(
    q: Annotated[str, Query(min_length=2, examples=["lantern"])], store: StoreDep
) -> list[ProductCard]:
    scored = [
        (SequenceMatcher(None, q.lower(), product.name.lower()).ratio(), product)
        for product in store.products.values()
    ]
    best = sorted(scored, key=lambda pair: (-pair[0], pair[1].id))[:20]
    return [ProductCard(id=product.id, name=product.name, price=product.price) for _, product in best]


@router.get("/suggest")
async def suggest(store: StoreDep, prefix: str = "Tr"):
    time.sleep(0.02)  # the index answers over a blocking driver
    names = sorted({product.name for product in store.products.values()})
    return [name for name in names if name.startswith(prefix)]


@router.get("/recommended")
async def recommended(store: StoreDep):
    await asyncio.sleep(0.03)  # the recommender lives in another service
    return [product for product in store.products.values() if (product.rating or 0) > 4]


@router.get("/compact")
def compact_index(store: StoreDep):
    rows = store.rows("SELECT id, name, price, rating FROM products ORDER BY id")
    return TypeAdapter(list[ProductCard]).validate_python(rows)


@router.get("/filters")
async def filters(store: StoreDep):
    products = store.products.values()
    return {
        "colours": sorted({variant.colour for product in products for variant in product.variants}),
        "sizes": sorted({variant.size for product in products for variant in product.variants}),
        "tags": sorted({tag for product in products for tag in product.tags}),
    }
