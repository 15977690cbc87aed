"""Products: listing, details, prices, upkeep."""

from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path
from fastapi.responses import RedirectResponse

from ..dependencies import Currency, PageDep, Sorter, StoreDep
from ..models import Dimensions, Product, ProductCard, ProductDraft
from ..seed import OPENING

router = APIRouter()
by_name_or_price = Sorter("name", "price", "rating")


def find_product(product_id: Annotated[int, Path(examples=[42])], store: StoreDep) -> Product:
    product = store.products.get(product_id)
    if product is None:
        raise HTTPException(404, f"No product {product_id}")
    return product


FoundProduct = Annotated[Product, Depends(find_product)]


def _build(draft: ProductDraft, product_id: int) -> Product:
    return Product(
        id=product_id,
        dimensions=Dimensions(width_cm=1, height_cm=1, depth_cm=1),
        added_at=OPENING,
        **draft.model_dump(),
    )


@router.get("")
def list_products(store: StoreDep, page: PageDep, sort: Annotated[str, Depends(by_name_or_price)]):
    rows = store.rows(
        f"SELECT * FROM products ORDER BY {sort}, id LIMIT ? OFFSET ?",
        page.limit,
        page.offset,
    )
    return {"items": rows, "total": len(store.products), "limit": page.limit, "offset": page.offset}


@router.get("/all")
async def all_products(store: StoreDep):
    return list(store.products.values())


@router.get("/featured")
async def featured_products(store: StoreDep) -> list[ProductCard]:
    return [
        ProductCard(id=product.id, name=product.name, price=product.price, rating=product.rating)
        for product in store.products.values()
        if product.subtitle
    ]


@router.get("/by-sku/{sku}")
async def product_by_sku(sku: Annotated[str, Path(examples=["TEN-0042"])], store: StoreDep):
    row = store.row("SELECT id FROM products WHERE sku = ?", sku)
    if row is None:
        return RedirectResponse("/api/catalog/products", status_code=302)
    return RedirectResponse(f"/api/catalog/products/{row['id']}", status_code=302)


@router.get("/{product_id}", response_model=Product)
async def get_product(product: FoundProduct, currency: Currency):
    return product


@router.get("/{product_id}/related", response_model_exclude_none=True)
async def related_products(product: FoundProduct, store: StoreDep):
    return [
        other
        for other in store.products.values()
        if other.category == product.category and other.id != product.id
    ][:24]


@router.get("/{product_id}/price-history")
def price_history(product: FoundProduct):
    return [
        {
            "valid_from": OPENING - timedelta(weeks=week),
            "price": (product.price * (100 - week % 15) / 100).quantize(Decimal("0.01")),
            "valid_for": timedelta(days=7),
        }
        for week in range(104)
    ]


@router.get("/{product_id}/availability")
def availability(product: FoundProduct) -> dict[str, bool]:
    return {variant.sku: variant.in_stock for variant in product.variants}


@router.post("", status_code=201)
def create_product(draft: ProductDraft, store: StoreDep) -> Product:
    product = _build(draft, max(store.products) + 1)
    store.add_product(product)
    return product


@router.put("/{product_id}")
def replace_product(draft: ProductDraft, product: FoundProduct, store: StoreDep) -> Product:
    replaced = _build(draft, product.id)
    store.add_product(replaced)
    return replaced


@router.delete("/{product_id}", status_code=204)
def delete_product(product: FoundProduct, store: StoreDep) -> None:
    store.remove_product(product.id)
