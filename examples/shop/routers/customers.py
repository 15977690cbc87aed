"""Customers and what they bought."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path

from ..dependencies import CurrentCustomer, PageDep, StoreDep, UnitOfWork
from ..models import Customer, CustomerPublic, CustomerUpdate, LoyaltyCard
from ..store import Store

router = APIRouter()
CustomerId = Annotated[int, Path(examples=[3])]


def _from_row(row: dict[str, Any]) -> dict[str, Any]:
    address = {field: row[field] for field in ("street", "postcode", "city", "country")}
    return {**row, "address": address}


def load_customer(customer_id: int, store: Store) -> Customer:
    row = store.row("SELECT * FROM customers WHERE id = ?", customer_id)
    if row is None:
        raise HTTPException(404, f"No customer {customer_id}")
    return Customer.model_validate(_from_row(row))


async def find_customer(customer_id: CustomerId, store: StoreDep) -> Customer:
    return load_customer(customer_id, store)


FoundCustomer = Annotated[Customer, Depends(find_customer)]


@router.get("", response_model=list[CustomerPublic])
def list_customers(store: StoreDep, page: PageDep):
    rows = store.rows("SELECT * FROM customers ORDER BY id LIMIT ? OFFSET ?", page.limit, page.offset)
    return [_from_row(row) for row in rows]


@router.get("/me")
async def me(customer_id: CurrentCustomer, store: StoreDep) -> CustomerPublic:
    return load_customer(customer_id, store)


@router.get("/{customer_id}", response_model=CustomerPublic)
async def get_customer(customer: FoundCustomer):
    return customer


@router.get("/{customer_id}/orders")
def orders_of_customer(customer: FoundCustomer, store: StoreDep):
    orders = store.rows("SELECT * FROM orders WHERE customer_id = ? ORDER BY id", customer.id)
    for order in orders:
        order["lines"] = store.rows(
            "SELECT sku, name, quantity, unit_price FROM order_lines WHERE order_id = ?", order["id"]
        )
    return orders


@router.get("/{customer_id}/loyalty")
async def loyalty_card(customer: FoundCustomer, store: StoreDep) -> LoyaltyCard:
    orders = [order for order in store.orders.values() if order.customer_id == customer.id]
    return LoyaltyCard(
        customer_id=customer.id,
        orders=[order.id for order in orders],
        points=int(sum(order.total for order in orders)),
    )


@router.put("/{customer_id}")
def update_customer(update: CustomerUpdate, customer: FoundCustomer, ledger: UnitOfWork) -> CustomerPublic:
    address = update.address
    ledger.execute(
        "UPDATE customers SET name = ?, street = ?, postcode = ?, city = ?, country = ? WHERE id = ?",
        (update.name, address.street, address.postcode, address.city, address.country, customer.id),
    )
    return customer.model_copy(update={"name": update.name, "address": address})
