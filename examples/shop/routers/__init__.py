"""One router an area; ``api`` nests them as the URLs do."""

from fastapi import APIRouter

from . import carts, categories, customers, orders, products, reports, reviews, search, staff, stock

products.router.include_router(reviews.router, prefix="/{product_id}/reviews")

catalog = APIRouter(prefix="/catalog", tags=["catalog"])
catalog.include_router(products.router, prefix="/products")
catalog.include_router(categories.router, prefix="/categories")
catalog.include_router(search.router, prefix="/search")

sales = APIRouter(prefix="/sales", tags=["sales"])
sales.include_router(orders.router, prefix="/orders")
sales.include_router(customers.router, prefix="/customers")
sales.include_router(carts.router, prefix="/carts")

admin = APIRouter(prefix="/admin", tags=["admin"])
admin.include_router(stock.router, prefix="/stock")
admin.include_router(reports.router, prefix="/reports")
admin.include_router(staff.router)

api = APIRouter(prefix="/api")
api.include_router(catalog)
api.include_router(sales)
api.include_router(admin)
