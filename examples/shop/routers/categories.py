"""The tree of categories, and how to narrow one down."""

from collections import Counter
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path

from ..dependencies import StoreDep
from ..models import Category, Facet, Product, RangeFacet, TermFacet, ToggleFacet
from ..seed import BRANDS, CATEGORIES

router = APIRouter()
Slug = Annotated[str, Path(examples=["tents"])]


def _in_category(slug: str, products: dict[int, Product]) -> list[Product]:
    if slug not in CATEGORIES:
        raise HTTPException(404, f"No category {slug!r}")
    return [product for product in products.values() if product.category == slug]


@router.get("")
async def category_tree(store: StoreDep) -> Category:
    counts = Counter(product.category for product in store.products.values())
    children = [
        Category(slug=slug, title=title, product_count=counts[slug]) for slug, title in CATEGORIES.items()
    ]
    return Category(slug="gear", title="All gear", product_count=len(store.products), children=children)


@router.get("/brands")
async def brands() -> list[str]:
    return BRANDS


@router.get("/{slug}")
def category_page(slug: Slug, store: StoreDep):
    products = _in_category(slug, store.products)
    return {
        "slug": slug,
        "title": CATEGORIES[slug],
        "products": [product.model_dump(exclude={"variants"}) for product in products],
    }


@router.get("/{slug}/facets", response_model=list[Facet])
async def facets(slug: Slug, store: StoreDep):
    products = _in_category(slug, store.products)
    prices = [float(product.price) for product in products]
    tags = sorted({tag for product in products for tag in product.tags})
    return [
        RangeFacet(field="price", label="Price", low=min(prices), high=max(prices)),
        TermFacet(field="brand", label="Brand", terms=Counter(product.brand for product in products)),
        *(
            ToggleFacet(field=tag, label=tag.title(), count=sum(tag in product.tags for product in products))
            for tag in tags
        ),
        *(
            TermFacet(
                field=f"colour.{product.id}",
                label=product.name,
                terms=Counter(variant.colour for variant in product.variants),
            )
            for product in products
        ),
    ]
