"""A route's parameters, in OpenAPI's words, from the fields that validate them."""

from __future__ import annotations

import datetime
import enum
from typing import Annotated, Any
from uuid import UUID

import pytest
from fastapi import Body, Cookie, Depends, FastAPI, Header, Path, Query
from pydantic import BaseModel, Field
from pydantic_core import core_schema

from wirespeed_agent.parameters import operation, plain, resolve
from wirespeed_agent.routes import Discovery


def operation_of(endpoint: Any, path: str = "/x", **options: Any) -> dict[str, Any]:
    app = FastAPI()
    app.add_api_route(path, endpoint, **options)
    (found,) = Discovery(app).routes
    return operation(found.effective)


def parameters_of(endpoint: Any, path: str = "/x") -> dict[str, dict[str, Any]]:
    return {parameter["name"]: parameter for parameter in operation_of(endpoint, path)["parameters"]}


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


def test_each_parameter_says_where_it_goes_and_whether_it_is_needed() -> None:
    async def endpoint(
        item_id: int, page: int, per_page: int = 20, x_token: str = Header(), session: str = Cookie("none")
    ) -> None: ...

    found = parameters_of(endpoint, "/x/{item_id}")

    assert {name: (p["in"], p["required"]) for name, p in found.items()} == {
        "item_id": ("path", True),
        "page": ("query", True),
        "per_page": ("query", False),
        "x-token": ("header", True),
        "session": ("cookie", False),
    }


def test_the_schema_has_type_default_limits_and_choices() -> None:
    async def endpoint(
        n: Annotated[int, Query(ge=3, le=9)] = 5,
        colour: Colour = Colour.RED,
        when: datetime.date = datetime.date(2026, 1, 2),
        key: UUID | None = None,
    ) -> None: ...

    found = {name: parameter["schema"] for name, parameter in parameters_of(endpoint).items()}

    assert found["n"] | {"title": ""} == {
        "type": "integer",
        "minimum": 3,
        "maximum": 9,
        "default": 5,
        "title": "",
    }
    assert found["colour"]["enum"] == ["red", "blue"]
    assert found["when"]["format"] == "date"
    assert {"type": "string", "format": "uuid"} in found["key"]["anyOf"]


def test_parameters_of_dependencies_belong_to_the_route_each_once() -> None:
    def deepest(tenant: str) -> str:
        return tenant

    def user(token: str, tenant: str = Depends(deepest)) -> str:
        return token

    async def endpoint(page: int, user: str = Depends(user), tenant: str = Depends(deepest)) -> None: ...

    assert [p["name"] for p in operation_of(endpoint)["parameters"]] == ["page", "token", "tenant"]


def test_an_alias_is_the_name_that_is_sent() -> None:
    async def endpoint(page: Annotated[int, Query(alias="pageNumber")]) -> None: ...

    assert list(parameters_of(endpoint)) == ["pageNumber"]


class Filter(BaseModel):
    limit: int = Field(50, le=100)
    owner: str


def test_a_model_of_query_parameters_is_one_parameter_for_each_field() -> None:
    async def endpoint(wanted: Annotated[Filter, Query()]) -> None: ...

    found = parameters_of(endpoint)

    assert {name: (p["in"], p["required"]) for name, p in found.items()} == {
        "limit": ("query", False),
        "owner": ("query", True),
    }
    assert found["limit"]["schema"]["maximum"] == 100


def test_a_list_of_values_is_no_model() -> None:
    async def endpoint(tags: Annotated[list[str], Query()]) -> None: ...

    assert parameters_of(endpoint)["tags"]["schema"]["type"] == "array"


def test_references_are_resolved_and_recursive_ones_end() -> None:
    definitions = {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}

    assert resolve({"$ref": "#/$defs/Node", "title": "first"}, definitions, ()) == {
        "type": "object",
        "properties": {"next": {}},
        "title": "first",
    }
    assert resolve([{"$ref": "#/$defs/Unknown"}], definitions, ()) == [{}]


def test_examples_are_taken_from_where_people_write_them() -> None:
    async def endpoint(
        city: Annotated[str, Query(examples=["Oslo", "Bergen"])],
        day: Annotated[
            datetime.date, Query(openapi_examples={"new year": {"value": datetime.date(2026, 1, 1)}})
        ],
        zone: Annotated[str, Query(json_schema_extra={"example": "CET"})],
    ) -> None: ...

    found = parameters_of(endpoint)

    assert found["city"]["schema"]["examples"] == ["Oslo", "Bergen"]
    assert found["day"]["examples"] == {"new year": {"value": "2026-01-01"}}
    assert found["zone"]["schema"]["example"] == "CET"
    assert "example" not in found["city"]


def test_the_deprecated_example_is_read_too() -> None:
    with pytest.warns(UserWarning, match="example"):
        field = Path(example=7)

    async def endpoint(item_id: int = field) -> None: ...

    assert parameters_of(endpoint, "/x/{item_id}")["item_id"]["example"] == 7


class Undescribed(str):
    """A type that Pydantic can check, and that fails in its own way when it is to be described."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return core_schema.str_schema()

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        raise RuntimeError("no words for it")


def test_a_type_without_a_schema_takes_anything() -> None:
    async def endpoint(a: Annotated[Undescribed, Query()]) -> None: ...

    assert parameters_of(endpoint)["a"]["schema"] == {}


def test_a_body_is_said_to_be_there_and_needed() -> None:
    async def needed(item: Filter) -> None: ...

    async def optional(item: Filter | None = None) -> None: ...

    async def without() -> None: ...

    async def several(a: int = Body(), b: int = Body(1)) -> None: ...

    assert operation_of(needed, methods=["POST"])["requestBody"]["required"] is True
    assert operation_of(optional, methods=["POST"])["requestBody"]["required"] is False
    assert operation_of(several, methods=["POST"])["requestBody"]["required"] is True
    assert "requestBody" not in operation_of(without, methods=["POST"])


def test_values_that_json_cannot_say_are_written_as_text() -> None:
    assert plain({"when": datetime.date(2026, 1, 2), "what": Undescribed}) == {
        "when": "2026-01-02",
        "what": str(Undescribed),
    }
