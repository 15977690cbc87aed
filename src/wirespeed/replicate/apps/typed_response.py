"""A thousand users, answered with and without a declared type."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel

app = FastAPI()


class User(BaseModel):
    id: int
    name: str
    email: str
    is_active: bool


USERS = [
    User(id=number, name=f"User{number}", email=f"user{number}@example.com", is_active=number % 2 == 0)
    for number in range(1000)
]


@app.get("/untyped")
def untyped():  # type: ignore[no-untyped-def]
    return USERS


@app.get("/typed")
def typed() -> list[User]:
    return USERS


@app.get("/response-model", response_model=list[User])
def response_model():  # type: ignore[no-untyped-def]
    return USERS


@app.get("/response-class", response_class=JSONResponse)
def response_class() -> list[User]:
    return USERS


@app.get("/health")
def health() -> dict[str, str]:
    return {"status": "ok"}
