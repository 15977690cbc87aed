"""The edited file, loaded by FastAPI: the type is in force, and the answer is what it was."""

from __future__ import annotations

import asyncio
import sys
import types
from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI

from wirespeed.source import FunctionAt, RouteChange, TypeSource
from wirespeed.source.rewrite import rewrite
from wirespeed.source.route_edits import edits_of

from .golden_cases import line_of

ROWS = TypeSource(
    "list[Rows]",
    ("from typing_extensions import TypedDict",),
    ("class RowsTags(TypedDict):\n    hot: bool", "class Rows(TypedDict):\n    id: int\n    tags: RowsTags"),
)
CHANGE = RouteChange(ROWS, response_class="drop", options=("response_model_exclude_none",))

IN_A_FACTORY = """
def create():
    app = FastAPI()

    @app.get("/rows", response_class=JSONResponse, response_model_exclude_none=True)
    def rows(limit: int = 3):
        return [{"id": 1, "tags": {"hot": True}}][:limit]

    return app

app = create()
"""
AT_THE_TOP = """
app = FastAPI(default_response_class=JSONResponse)
@app.get("/rows", response_model_exclude_none=True)
async def rows(limit: int = 3): return [{"id": 1, "tags": {"hot": True}}][:limit]
"""
IN_A_CLASS = """
app = FastAPI()
router = APIRouter()


class Rows_:
    @staticmethod
    @router.get("/rows", response_model_exclude_none=True)
    def rows(limit: int = 3):
        return [{"id": 1, "tags": {"hot": True}}][:limit]


app.include_router(router, default_response_class=JSONResponse)
"""
HEAD = "from fastapi import APIRouter, FastAPI\nfrom fastapi.responses import JSONResponse\n"
FUTURE = "from __future__ import annotations\n"


@pytest.fixture(params=["", FUTURE], ids=["types as objects", "types as strings"])
def head(request: pytest.FixtureRequest) -> str:
    return str(request.param) + HEAD


@pytest.fixture(params=[IN_A_FACTORY, AT_THE_TOP, IN_A_CLASS], ids=["factory", "top", "class"])
def source(request: pytest.FixtureRequest, head: str) -> str:
    return head + str(request.param)


@pytest.fixture
def module_name() -> Iterator[str]:
    """Registered while the test runs, because Pydantic looks names up in ``sys.modules``."""
    name = "edited_by_the_test"
    yield name
    sys.modules.pop(name, None)


def load(source: str, name: str) -> FastAPI:
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(source, f"{name}.py", "exec", dont_inherit=True), vars(module))
    app = module.app
    assert isinstance(app, FastAPI)
    return app


def answer(app: FastAPI) -> tuple[int, bytes]:
    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app") as client:
            return await client.get("/rows", params={"limit": 2})

    response = asyncio.run(ask())
    return response.status_code, response.content


def schema(app: FastAPI) -> object:
    return app.openapi()["paths"]["/rows"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]


def test_the_route_has_the_type_and_answers_as_before(source: str, module_name: str) -> None:
    function = FunctionAt(line_of(source, "rows"))
    edited = rewrite(source, list(edits_of(CHANGE, source, function)))

    before, after = load(source, module_name), load(edited, module_name)

    assert answer(after) == answer(before) == (200, b'[{"id":1,"tags":{"hot":true}}]')
    assert schema(before) == {}
    assert schema(after) == {
        "items": {"$ref": "#/components/schemas/Rows"},
        "type": "array",
        "title": "Response Rows Rows Get",
    }


def test_no_response_class_is_left_in_the_way(source: str, module_name: str) -> None:
    function = FunctionAt(line_of(source, "rows"))
    edited = rewrite(source, list(edits_of(CHANGE, source, function)))
    assert "response_class" not in edited
    assert "JSONResponse" not in edited
    load(edited, module_name)
