"""An app and its tests, as a team might have them: what ``pytest --wirespeed`` is run on."""

APP = '''
from dataclasses import dataclass

from fastapi import BackgroundTasks, Depends, FastAPI, Header, HTTPException, Response
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from pydantic import BaseModel


class Order(BaseModel):
    id: int
    name: str
    price: float


@dataclass
class Row:
    id: int
    tags: list[str]


class Lazy:
    """Stands for what an ORM gives."""

    _sa_class_manager = None

    def __init__(self):
        self.id = 1


def orders(count):
    return [{"id": number, "name": f"order {number}", "price": number + 0.5} for number in range(count)]


ORDERS = orders(2000)
TYPED = [Order(**each) for each in ORDERS]


def signed_in(authorization: str = Header()):
    if authorization != "Bearer secret":
        raise HTTPException(401)
    return "someone"


app = FastAPI()


@app.get("/typed")
async def typed() -> list[Order]:
    return TYPED


@app.get("/untyped")
async def untyped():
    return ORDERS


@app.get("/classy", response_class=JSONResponse)
async def classy() -> list[Order]:
    return TYPED


@app.get("/by-hand")
async def by_hand():
    return JSONResponse(ORDERS, headers={"x-mine": "yes"})


@app.post("/orders", status_code=201)
async def create(order: Order, response: Response, user: str = Depends(signed_in)):
    response.headers["location"] = f"/orders/{order.id}"
    return {"by": user, "orders": ORDERS[: order.id]}


@app.get("/rows")
def rows():
    return [Row(number, ["a", "b"]) for number in range(200)]


@app.get("/lazy")
async def lazy():
    return Lazy()


@app.get("/stream")
async def stream():
    return StreamingResponse(iter([b"[]"]), media_type="application/json")


@app.get("/text", response_class=PlainTextResponse)
async def text():
    return "hello"


@app.get("/small")
async def small():
    return {"ok": True}


@app.get("/broken")
async def broken():
    raise RuntimeError("broken on purpose")


shared = orders(1000)


@app.get("/shared")
async def hands_out_its_own(clear: bool = False):
    if clear:
        shared.clear()
        return PlainTextResponse("cleared")
    return shared
'''

SLOW = ("/untyped", "/classy", "/by-hand", "/shared")
"""Slower than they need to be by more than a noisy run can show."""

TESTS = """
import asyncio

import pytest
from fastapi.testclient import TestClient

from main import app, orders

client = TestClient(app)


@pytest.mark.parametrize("path", ["/typed", "/untyped", "/classy", "/by-hand", "/shared"])
@pytest.mark.parametrize("again", range(3))
def test_lists_orders(path, again):
    answer = client.get(path)
    assert answer.status_code == 200
    assert len(answer.json()) in (1000, 2000)


def test_creates_for_those_who_are_signed_in():
    order = {"id": 2000, "name": "new", "price": 1.0}
    answer = client.post("/orders", json=order, headers={"authorization": "Bearer secret"})
    assert answer.status_code == 201
    assert answer.headers["location"] == "/orders/2000"
    assert answer.json()["by"] == "someone"


def test_refuses_strangers():
    order = {"id": 2000, "name": "new", "price": 1.0}
    assert client.post("/orders", json=order, headers={"authorization": "no"}).status_code == 401


def test_everything_else():
    assert client.get("/rows").json()[0] == {"id": 0, "tags": ["a", "b"]}
    assert client.get("/lazy").json() == {"id": 1}
    assert client.get("/stream").json() == []
    assert client.get("/text").text == "hello"
    for _ in range(5):
        assert client.get("/small").json() == {"ok": True}


def test_an_error_reaches_the_test():
    with pytest.raises(RuntimeError, match="broken on purpose"):
        client.get("/broken")


def test_what_was_handed_out_is_emptied_later():
    assert client.get("/shared?clear=true").text == "cleared"
    assert client.get("/shared").json() == []
"""
