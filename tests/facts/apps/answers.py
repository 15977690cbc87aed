"""Endpoints that encode, build, validate and repeat in different ways."""

import json
from typing import Annotated, Literal

from fastapi import FastAPI, Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field, TypeAdapter, create_model, model_validator

app = FastAPI()


class Item(BaseModel):
    id: int
    name: str


class Row:
    def __init__(self, number: int):
        self.id = number
        self.name = "n"


ITEMS = [Item(id=number, name="n") for number in range(400)]


@app.get("/encoded")
async def encoded():
    return JSONResponse(content=jsonable_encoder(ITEMS))


@app.get("/dumped_to_text", response_model=None)
async def dumped_to_text():
    return Response(json.dumps([item.model_dump() for item in ITEMS]), media_type="application/json")


@app.get("/plain_text")
async def plain_text():
    return PlainTextResponse("hello")


@app.get("/value")
async def value() -> list[Item]:
    return ITEMS


@app.get("/dumped_dicts")
async def dumped_dicts() -> list[Item]:
    return [item.model_dump() for item in ITEMS]


@app.get("/other_dicts")
async def other_dicts() -> list[Item]:
    return [{"id": number, "name": "n"} for number in range(400)]


@app.get("/rows")
async def rows() -> list[Item]:
    return [Row(number) for number in range(400)]


class Checked(BaseModel):
    low: int
    high: int

    @model_validator(mode="after")
    def in_order(self):
        assert self.low <= self.high
        return self

    @model_validator(mode="before")
    @classmethod
    def only_once(cls, data):
        return data


CHECKED = [Checked(low=1, high=number + 1) for number in range(400)]


@app.get("/checked_again")
async def checked_again() -> list[Checked]:
    return CHECKED


@app.get("/adapter")
async def adapter() -> list[Item]:
    class Local(BaseModel):
        id: int

    made: TypeAdapter[list[Local]] = TypeAdapter(list["Local"])
    made.validate_python([{"id": 1}])
    return ITEMS[:1]


@app.get("/created")
async def created() -> int:
    return len(create_model("Created", x=(int, 1)).model_fields)


class WithDefaults(BaseModel):
    number: int = 1
    names: list[str] = ["a"]


@app.get("/schema")
async def schema() -> int:
    return len(WithDefaults.model_json_schema())


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog", "puppy"]
    good: bool


class Stone(BaseModel):
    kind: str


class Pets(BaseModel):
    first: Cat | Dog


@app.get("/union")
async def union() -> dict[str, list[Cat | Dog | None]]:
    return {"pets": [{"kind": "cat", "lives": 9}, None]}


@app.get("/told_apart")
async def told_apart() -> list[Annotated[Cat | Dog, Field(discriminator="kind")]]:
    return [{"kind": "cat", "lives": 9}]


@app.get("/nothing_tells_apart")
async def nothing_tells_apart() -> Cat | Stone:
    return {"kind": "cat", "lives": 9}


@app.get("/inside_a_model")
async def inside_a_model() -> Pets | None:
    return {"first": {"kind": "cat", "lives": 9}}


@app.get("/same")
async def same() -> list[Item]:
    return ITEMS


@app.get("/same_for_a_parameter")
async def same_for_a_parameter(page: int = 1) -> list[Item]:
    return ITEMS


@app.get("/equal_but_new")
async def equal_but_new() -> list[Item]:
    return list(ITEMS)
