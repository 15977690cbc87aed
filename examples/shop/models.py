"""What the shop talks about: products, reviews, customers, orders, carts."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, Field, computed_field, model_validator

OrderStatus = Literal["placed", "packed", "shipped", "delivered", "cancelled"]


class Variant(BaseModel):
    sku: str
    colour: str
    size: str
    price: Decimal
    weight_g: int
    in_stock: bool


class Dimensions(BaseModel):
    width_cm: float
    height_cm: float
    depth_cm: float


class Product(BaseModel):
    id: int
    sku: str
    name: str
    brand: str
    category: str
    description: str
    price: Decimal
    rating: float | None = None
    subtitle: str | None = None
    tags: list[str] = []
    dimensions: Dimensions
    variants: list[Variant] = []
    added_at: datetime


class ProductCard(BaseModel):
    id: int
    name: str
    price: Decimal
    rating: float | None = None
    badge: str | None = None


class ProductDraft(BaseModel):
    sku: str = Field(examples=["NEW-0001"])
    name: str = Field(examples=["Trail lantern"])
    brand: str = "Fjordvik"
    category: str = "lighting"
    price: Decimal = Field(gt=0, examples=["24.90"])
    description: str = ""


class Category(BaseModel):
    slug: str
    title: str
    product_count: int
    children: list[Category] = []


class Review(BaseModel):
    id: int
    product_id: int
    author: str
    stars: int = Field(ge=1, le=5)
    title: str | None = None
    text: str
    written_at: datetime


class ReviewDraft(BaseModel):
    author: str
    stars: int = Field(ge=1, le=5)
    text: str


class RangeFacet(BaseModel):
    field: str
    label: str
    low: float
    high: float


class TermFacet(BaseModel):
    field: str
    label: str
    terms: dict[str, int]


class ToggleFacet(BaseModel):
    field: str
    label: str
    count: int


Facet = RangeFacet | TermFacet | ToggleFacet


class Address(BaseModel):
    street: str
    postcode: str
    city: str
    country: str = "NO"


class CustomerPublic(BaseModel):
    id: int
    name: str
    email: str
    address: Address
    joined_at: datetime


class Customer(CustomerPublic):
    password_hash: str


class CustomerUpdate(BaseModel):
    name: str
    address: Address


class LoyaltyCard(BaseModel):
    customer_id: int
    orders: list[int]
    points: int
    tier: Literal["blue", "silver", "gold"] = "blue"

    @model_validator(mode="after")
    def place_in_tier(self) -> LoyaltyCard:
        self.tier = "gold" if self.points > 2000 else "silver" if self.points > 600 else "blue"
        return self


class OrderLine(BaseModel):
    sku: str
    name: str
    quantity: int
    unit_price: Decimal


class Order(BaseModel):
    id: int
    customer_id: int
    placed_at: datetime
    status: OrderStatus
    lines: list[OrderLine]
    shipping: Address
    total: Decimal


class OrderDraft(BaseModel):
    customer_id: int
    lines: list[OrderLine] = Field(min_length=1)


class TrackingEvent(BaseModel):
    status: OrderStatus
    at: datetime
    after: timedelta


class CartItem(BaseModel):
    sku: str
    name: str
    quantity: int = Field(ge=1)
    unit_price: Decimal

    @computed_field  # type: ignore[prop-decorator]
    @property
    def subtotal(self) -> Decimal:
        return self.unit_price * self.quantity


class Cart(BaseModel):
    id: int
    items: list[CartItem] = []

    @computed_field  # type: ignore[prop-decorator]
    @property
    def total(self) -> Decimal:
        return sum((item.subtotal for item in self.items), Decimal(0))


class StockLevel(BaseModel):
    sku: str
    warehouse: str
    on_hand: int
    reserved: int
    reorder_at: int
    counted_at: datetime


class StockAdjustment(BaseModel):
    warehouse: str
    change: int
    reason: str = ""


class SalesDay(BaseModel):
    day: str
    orders: int
    items: int
    revenue: float


class AuditEntry(BaseModel):
    id: int
    at: datetime
    actor: str
    action: str
    details: dict[str, str]
