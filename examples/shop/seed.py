"""The shop's opening stock. The same seed gives the same shop, down to the last penny."""

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from .models import (
    Address,
    AuditEntry,
    Cart,
    CartItem,
    Customer,
    Dimensions,
    Order,
    OrderLine,
    OrderStatus,
    Product,
    Review,
    StockLevel,
    Variant,
)

OPENING = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
CATEGORIES = {
    "tents": "Tents",
    "sleeping": "Sleeping bags and mats",
    "packs": "Backpacks",
    "cooking": "Stoves and cookware",
    "lighting": "Lamps and lanterns",
    "clothing": "Clothing",
}
BRANDS = ["Fjordvik", "Nordlys", "Steinbock", "Larkspur", "Tarn & Fell", "Highmoor"]
WAREHOUSES = ["oslo", "bergen", "tromso"]
_ADJECTIVES = ["Light", "Alpine", "Classic", "Storm", "Compact", "Trail", "Summit", "Valley"]
_NOUNS = {
    "tents": ["dome tent", "tunnel tent", "tarp"],
    "sleeping": ["down bag", "foam mat", "liner"],
    "packs": ["day pack", "frame pack", "duffel"],
    "cooking": ["gas stove", "pot set", "kettle"],
    "lighting": ["head torch", "lantern", "string lights"],
    "clothing": ["rain shell", "wool jersey", "gaiters"],
}
_COLOURS = ["moss", "slate", "ochre", "ember"]
_SIZES = ["S", "M", "L"]
_FIRST = ["Ada", "Bjørn", "Chloé", "Dag", "Eira", "Finn", "Greta", "Håkon", "Ida", "Jonas"]
_LAST = ["Aas", "Berg", "Dahl", "Eide", "Foss", "Haug", "Lie", "Moen", "Sæther", "Vik"]
_STATUSES: list[OrderStatus] = ["placed", "packed", "shipped", "delivered", "cancelled"]


def _price(rng: random.Random, low: int, high: int) -> Decimal:
    return Decimal(rng.randrange(low * 100, high * 100)) / 100


def _variants(rng: random.Random, sku: str, price: Decimal) -> list[Variant]:
    return [
        Variant(
            sku=f"{sku}-{colour[:2].upper()}{size}",
            colour=colour,
            size=size,
            price=price + rng.randrange(0, 5),
            weight_g=rng.randrange(120, 4200),
            in_stock=rng.random() > 0.2,
        )
        for colour in rng.sample(_COLOURS, 2)
        for size in _SIZES[: rng.randrange(1, 4)]
    ]


def _product(rng: random.Random, number: int) -> Product:
    category = list(CATEGORIES)[number % len(CATEGORIES)]
    noun = rng.choice(_NOUNS[category])
    sku, price = f"{category[:3].upper()}-{number:04d}", _price(rng, 9, 600)
    name = f"{rng.choice(_ADJECTIVES)} {noun}"
    return Product(
        id=number,
        sku=sku,
        name=name,
        brand=rng.choice(BRANDS),
        category=category,
        description=f"{name} for long days out. Field-tested in wind and rain, and repaired for life.",
        price=price,
        rating=round(rng.uniform(2.5, 5), 2) if number % 9 else None,
        subtitle="New this season" if number % 7 == 0 else None,
        tags=rng.sample(["light", "family", "winter", "recycled", "repairable", "bestseller"], 3),
        dimensions=Dimensions(
            width_cm=round(rng.uniform(5, 120), 1),
            height_cm=round(rng.uniform(5, 120), 1),
            depth_cm=round(rng.uniform(1, 60), 1),
        ),
        variants=_variants(rng, sku, price),
        added_at=OPENING - timedelta(days=rng.randrange(900)),
    )


def make_products(rng: random.Random, count: int = 360) -> dict[int, Product]:
    return {number: _product(rng, number) for number in range(1, count + 1)}


def make_reviews(rng: random.Random, products: dict[int, Product]) -> dict[int, list[Review]]:
    numbers = iter(range(1, 1_000_000))
    return {
        product_id: [
            Review(
                id=next(numbers),
                product_id=product_id,
                author=rng.choice(_FIRST),
                stars=rng.choice([3, 4, 4, 5, 5, 5]),
                title="Just right" if rng.random() > 0.5 else None,
                text="Kept us warm and dry for a week on the plateau; the zip could be sturdier.",
                written_at=OPENING - timedelta(hours=rng.randrange(9000)),
            )
            for _ in range(40 if product_id <= 20 else rng.randrange(4))
        ]
        for product_id in products
    }


def make_customers(rng: random.Random, count: int = 240) -> list[Customer]:
    return [
        Customer(
            id=number,
            name=f"{rng.choice(_FIRST)} {rng.choice(_LAST)}",
            email=f"customer{number}@example.com",
            address=Address(
                street=f"Storgata {rng.randrange(1, 200)}",
                postcode=f"{rng.randrange(10000):04d}",
                city=rng.choice(["Oslo", "Bergen", "Tromsø", "Ålesund"]),
            ),
            joined_at=OPENING - timedelta(days=rng.randrange(2000)),
            password_hash=f"pbkdf2$600000${rng.getrandbits(128):032x}",
        )
        for number in range(1, count + 1)
    ]


def _order(rng: random.Random, number: int, customer: Customer, catalogue: list[Product]) -> Order:
    lines = [
        OrderLine(sku=product.sku, name=product.name, quantity=rng.randrange(1, 4), unit_price=product.price)
        for product in rng.sample(catalogue, rng.randrange(1, 6))
    ]
    return Order(
        id=number,
        customer_id=customer.id,
        placed_at=OPENING + timedelta(minutes=37 * number),
        status=rng.choice(_STATUSES),
        lines=lines,
        shipping=customer.address,
        total=sum((line.unit_price * line.quantity for line in lines), Decimal(0)),
    )


def make_orders(
    rng: random.Random, customers: list[Customer], products: dict[int, Product], count: int = 600
) -> list[Order]:
    catalogue = list(products.values())
    return [_order(rng, number, rng.choice(customers), catalogue) for number in range(1, count + 1)]


def make_carts(products: dict[int, Product]) -> dict[int, Cart]:
    catalogue = list(products.values())
    return {
        cart_id: Cart(
            id=cart_id,
            items=[
                CartItem(
                    sku=product.sku, name=product.name, quantity=1 + cart_id % 3, unit_price=product.price
                )
                for product in catalogue[cart_id : cart_id + 3]
            ],
        )
        for cart_id in range(1, 21)
    }


def make_stock(rng: random.Random, products: dict[int, Product]) -> list[StockLevel]:
    return [
        StockLevel(
            sku=product.sku,
            warehouse=warehouse,
            on_hand=rng.randrange(200),
            reserved=rng.randrange(20),
            reorder_at=25,
            counted_at=OPENING - timedelta(minutes=rng.randrange(6000)),
        )
        for product in products.values()
        for warehouse in WAREHOUSES
    ]


def make_audit_log(rng: random.Random, count: int = 400) -> list[AuditEntry]:
    return [
        AuditEntry(
            id=number,
            at=OPENING + timedelta(minutes=number),
            actor=rng.choice(_FIRST).lower(),
            action=rng.choice(["price.changed", "stock.counted", "order.refunded"]),
            details={"reference": f"REF-{rng.randrange(10**6):06d}", "channel": "back office"},
        )
        for number in range(1, count + 1)
    ]
