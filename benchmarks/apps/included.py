"""A hundred routes of a router that is included: the request for the last one is matched against all."""

from fastapi import APIRouter, FastAPI

ROUTES = 100

router = APIRouter()


async def item() -> dict[str, bool]:
    return {"found": True}


for number in range(ROUTES):
    router.add_api_route(f"/items-{number}", item, methods=["GET"])

app = FastAPI(openapi_url=None)
app.include_router(router, prefix="/api")
