import re
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

from .conftest import EXAMPLES, served

pytestmark = pytest.mark.slow

ANSWERS = {
    "/api/catalog/products": 200,
    "/api/catalog/products/all": 200,
    "/api/catalog/products/featured": 200,
    "/api/catalog/products/by-sku/TEN-0042": 302,
    "/api/catalog/products/42": 200,
    "/api/catalog/products/42/related": 200,
    "/api/catalog/products/42/price-history": 200,
    "/api/catalog/products/42/availability": 200,
    "/api/catalog/products/7/reviews": 200,
    "/api/catalog/products/7/reviews/latest": 200,
    "/api/catalog/products/7/reviews/summary": 200,
    "/api/catalog/categories": 200,
    "/api/catalog/categories/brands": 200,
    "/api/catalog/categories/tents": 200,
    "/api/catalog/categories/tents/facets": 200,
    "/api/catalog/search?q=lantern": 200,
    "/api/catalog/search/suggest": 200,
    "/api/catalog/search/recommended": 200,
    "/api/catalog/search/compact": 200,
    "/api/catalog/search/filters": 200,
    "/api/sales/orders": 200,
    "/api/sales/orders/export": 200,
    "/api/sales/orders/since": 200,
    "/api/sales/orders/12": 200,
    "/api/sales/orders/12/lines": 200,
    "/api/sales/orders/12/tracking": 200,
    "/api/sales/orders/12/invoice": 200,
    "/api/sales/customers": 200,
    "/api/sales/customers/me": 401,
    "/api/sales/customers/3": 200,
    "/api/sales/customers/3/orders": 200,
    "/api/sales/customers/3/loyalty": 200,
    "/api/sales/carts/5": 200,
    "/api/sales/carts/5/quote": 200,
    "/api/sales/carts/5/shipping-options": 200,
    "/api/admin/stock": 200,
    "/api/admin/stock/page": 200,
    "/api/admin/stock/warehouses": 200,
    "/api/admin/stock/COO-0003": 200,
    "/api/admin/stock/COO-0003/movements": 200,
    "/api/admin/reports/sales-by-day": 200,
    "/api/admin/reports/order-book": 200,
    "/api/admin/reports/margins": 200,
    "/api/admin/reports/conversion": 500,
    "/api/admin/reports/heatmap": 200,
    "/api/admin/reports/monthly.csv": 200,
    "/api/admin/reports/returns-rate": 500,
    "/api/admin/audit-log": 200,
    "/api/admin/settings": 200,
    "/api/admin/secrets": 401,
    "/api/admin/restart": 200,
    "/health": 200,
    "/ready": 200,
    "/version": 200,
    "/partner/ping": 200,
    "/partner/products": 200,
    "/partner/orders/20": 200,
    "/robots.txt": 200,
}
REFUSED = {
    "/api/catalog/products/9999": 404,
    "/api/catalog/products/9999/price-history": 404,
    "/api/catalog/categories/boats": 404,
    "/api/catalog/search": 422,
    "/api/catalog/products?sort=secret": 422,
    "/api/sales/orders/9999": 404,
    "/partner/orders/9999": 404,
}
PRODUCT = {"sku": "NEW-0001", "name": "Trail lantern", "price": "24.90"}
ADDRESS = {"street": "Storgata 1", "postcode": "0155", "city": "Oslo"}
ITEM = {"sku": "TEN-0042", "name": "Storm tarp", "quantity": 2, "unit_price": "99.00"}
CHANGES = [
    ("POST", "/api/catalog/products", PRODUCT, 201),
    ("PUT", "/api/catalog/products/9", PRODUCT | {"sku": "TEN-0009"}, 200),
    ("DELETE", "/api/catalog/products/10", None, 204),
    ("POST", "/api/catalog/products/7/reviews", {"author": "Ada", "stars": 5, "text": "Warm."}, 201),
    ("POST", "/api/sales/orders", {"customer_id": 3, "lines": [ITEM]}, 201),
    ("DELETE", "/api/sales/orders/9999", None, 404),
    ("PUT", "/api/sales/customers/3", {"name": "Ada Vik", "address": ADDRESS}, 200),
    ("POST", "/api/sales/carts/5/items", ITEM, 201),
    ("DELETE", "/api/sales/carts/5/items/TEN-0042", None, 200),
    ("POST", "/api/admin/stock/COO-0003/adjustments", {"warehouse": "oslo", "change": -3}, 202),
]


@pytest.fixture(scope="module")
def changed_shop() -> Iterator[httpx.Client]:
    """A shop of its own for requests that change it."""
    with served("shop.main:app") as client:
        yield client


@pytest.mark.parametrize(("path", "status"), (ANSWERS | REFUSED).items())
def test_every_get_answers_with_the_status_it_is_meant_to(shop: httpx.Client, path: str, status: int) -> None:
    assert shop.get(path).status_code == status


@pytest.mark.parametrize(("method", "path", "body", "status"), CHANGES)
def test_requests_that_change_the_shop_are_carried_out(
    changed_shop: httpx.Client, method: str, path: str, body: object, status: int
) -> None:
    assert changed_shop.request(method, path, json=body).status_code == status


@pytest.mark.parametrize("prefix", ["", "/partner"])
def test_no_get_of_the_shop_is_missing_from_this_table(shop: httpx.Client, prefix: str) -> None:
    documented = shop.get(f"{prefix}/openapi.json").json()["paths"]
    gets = [prefix + path for path, operations in documented.items() if "get" in operations]

    listed = [path.partition("?")[0] for path in ANSWERS]
    patterns = [re.compile(re.sub(r"{\w+}", "[^/]+", re.sub(r"{\w+_id}", r"\\d+", path))) for path in gets]
    missing = [pattern.pattern for pattern in patterns if not any(map(pattern.fullmatch, listed))]
    assert len(gets) >= 3
    assert missing == []


def test_the_signed_in_customer_sees_herself_without_her_password(shop: httpx.Client) -> None:
    me = shop.get("/api/sales/customers/me", headers={"Authorization": "Bearer letmein"}).json()

    assert me["id"] == 7
    assert "password_hash" not in me


def test_the_largest_answer_is_some_three_hundred_kilobytes_of_nested_json(shop: httpx.Client) -> None:
    response = shop.get("/api/catalog/products/all")

    assert 250_000 < len(response.content) < 350_000
    assert response.json()[0]["variants"][0]["sku"]


@pytest.mark.slow
def test_two_shops_answer_with_the_same_bytes() -> None:
    unchanging = [path for path, status in ANSWERS.items() if status == 200 and not path.endswith("/quote")]
    with served("shop.main:app") as shop, served("shop.main:app") as other:
        different = [path for path in unchanging if shop.get(path).content != other.get(path).content]
    assert different == []


def test_importing_the_shop_warns_of_nothing() -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", "import shop.main"], cwd=EXAMPLES, check=True)
