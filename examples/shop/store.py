"""The shop's data: documents in memory, and the ledger (customers, orders, movements) in SQLite."""

import random
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import seed
from .models import AuditEntry, Cart, Customer, Order, OrderLine, Product, Review, StockLevel

_SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT, street TEXT, postcode TEXT, city TEXT,
                        country TEXT, joined_at TEXT, password_hash TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, placed_at TEXT, status TEXT, total TEXT);
CREATE TABLE order_lines (order_id INTEGER, sku TEXT, name TEXT, quantity INTEGER, unit_price TEXT);
CREATE TABLE products (id INTEGER PRIMARY KEY, sku TEXT UNIQUE, name TEXT, brand TEXT, category TEXT,
                       price REAL, rating REAL);
CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE INDEX lines_by_order ON order_lines (order_id);
"""


class Store:
    """Everything the shop knows. Reads need no lock; writes go through ``transaction``."""

    def __init__(self) -> None:
        self.products: dict[int, Product] = {}
        self.reviews: dict[int, list[Review]] = {}
        self.orders: dict[int, Order] = {}
        self.carts: dict[int, Cart] = {}
        self.stock: list[StockLevel] = []
        self.audit_log: list[AuditEntry] = []
        self._ledger = sqlite3.connect(":memory:", check_same_thread=False)
        self._ledger.row_factory = sqlite3.Row
        self._ledger.executescript(_SCHEMA)
        self._writing = threading.Lock()

    def rows(self, statement: str, *values: Any) -> list[dict[str, Any]]:
        return [dict(row) for row in self._ledger.execute(statement, values)]

    def row(self, statement: str, *values: Any) -> dict[str, Any] | None:
        return next(iter(self.rows(statement, *values)), None)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        with self._writing, self._ledger:
            yield self._ledger

    def add_product(self, product: Product) -> None:
        self.products[product.id] = product
        self.reviews.setdefault(product.id, [])
        with self.transaction() as ledger:
            ledger.execute(
                "INSERT OR REPLACE INTO products VALUES (?, ?, ?, ?, ?, ?, ?)", _product_row(product)
            )

    def remove_product(self, product_id: int) -> None:
        del self.products[product_id]
        with self.transaction() as ledger:
            ledger.execute("DELETE FROM products WHERE id = ?", (product_id,))

    def add_order(self, order: Order) -> None:
        self.orders[order.id] = order
        with self.transaction() as ledger:
            ledger.execute("INSERT INTO orders VALUES (?, ?, ?, ?, ?)", _order_row(order))
            ledger.executemany(
                "INSERT INTO order_lines VALUES (?, ?, ?, ?, ?)",
                [_line_row(order.id, line) for line in order.lines],
            )

    def fill_ledger(self, customers: list[Customer]) -> None:
        with self.transaction() as ledger:
            ledger.executemany(
                "INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", map(_customer_row, customers)
            )
            ledger.executemany(
                "INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?)", map(_product_row, self.products.values())
            )
            ledger.executemany(
                "INSERT INTO orders VALUES (?, ?, ?, ?, ?)", map(_order_row, self.orders.values())
            )
            ledger.executemany(
                "INSERT INTO order_lines VALUES (?, ?, ?, ?, ?)",
                [_line_row(order.id, line) for order in self.orders.values() for line in order.lines],
            )

    def close(self) -> None:
        self._ledger.close()


def _product_row(product: Product) -> tuple[Any, ...]:
    return (
        *(product.id, product.sku, product.name, product.brand, product.category),
        *(float(product.price), product.rating),
    )


def _order_row(order: Order) -> tuple[Any, ...]:
    return (order.id, order.customer_id, order.placed_at.isoformat(), order.status, str(order.total))


def _line_row(order_id: int, line: OrderLine) -> tuple[Any, ...]:
    return (order_id, line.sku, line.name, line.quantity, str(line.unit_price))


def _customer_row(customer: Customer) -> tuple[Any, ...]:
    address = customer.address
    return (
        *(customer.id, customer.name, customer.email),
        *(address.street, address.postcode, address.city, address.country),
        *(customer.joined_at.isoformat(), customer.password_hash),
    )


def open_store() -> Store:
    """A store with the opening stock in it."""
    rng = random.Random(20260105)
    store = Store()
    store.products = seed.make_products(rng)
    store.reviews = seed.make_reviews(rng, store.products)
    customers = seed.make_customers(rng)
    store.orders = {order.id: order for order in seed.make_orders(rng, customers, store.products)}
    store.carts = seed.make_carts(store.products)
    store.stock = seed.make_stock(rng, store.products)
    store.audit_log = seed.make_audit_log(rng)
    store.fill_ledger(customers)
    return store
