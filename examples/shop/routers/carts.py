"""Shopping carts and what they would cost."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path

from ..dependencies import Currency, Settings, ShippingZones, StoreDep
from ..models import Cart, CartItem

router = APIRouter()


async def find_cart(cart_id: Annotated[int, Path(examples=[5])], store: StoreDep) -> Cart:
    cart = store.carts.get(cart_id)
    if cart is None:
        raise HTTPException(404, f"No cart {cart_id}")
    return cart


FoundCart = Annotated[Cart, Depends(find_cart)]


def free_shipping_from(settings: Settings) -> Decimal:
    return Decimal(settings["free_shipping_from"])


@router.get("/{cart_id}")
async def get_cart(cart: FoundCart) -> Cart:
    return cart


@router.get("/{cart_id}/quote")
def quote(cart: FoundCart, currency: Currency, free_from: Annotated[Decimal, Depends(free_shipping_from)]):
    shipping = Decimal(0) if cart.total >= free_from else Decimal("79.00")
    return {
        "currency": currency,
        "goods": cart.total,
        "shipping": shipping,
        "total": cart.total + shipping,
        "valid_until": datetime.now(UTC) + timedelta(minutes=15),
    }


def busiest_zone(zones: ShippingZones) -> str:
    return max(zones, key=lambda city: zones[city])


@router.get("/{cart_id}/shipping-options")
def shipping_options(cart: FoundCart, zones: ShippingZones, best: Annotated[str, Depends(busiest_zone)]):
    return [
        {"city": city, "days": 2 if city == best else 4, "parcels": 1 + len(cart.items) // 4}
        for city in zones
    ]


@router.post("/{cart_id}/items", status_code=201)
async def add_item(item: CartItem, cart: FoundCart) -> Cart:
    cart.items.append(item)
    return cart


@router.delete("/{cart_id}/items/{sku}")
async def remove_item(sku: str, cart: FoundCart) -> Cart:
    cart.items[:] = [item for item in cart.items if item.sku != sku]
    return cart
