"""A thousand users, answered in three ways: without a type, with a return type, with a response model."""

from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI(title="Users")


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
def untyped():
    return USERS


@app.get("/typed")
def typed() -> list[User]:
    return USERS


@app.get("/response-model", response_model=list[User])
def with_response_model():
    return USERS


@app.get("/health")
def health():
    return {"status": "ok"}
