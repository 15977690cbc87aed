"""Several edits, over several files: one change, whatever their order, and nobody else is broken by it."""

from __future__ import annotations

import subprocess
from itertools import permutations
from pathlib import Path

import pytest

from wirespeed.source import (
    CodeEditAt,
    CodeEditKind,
    NoEdit,
    Part,
    RouteChange,
    RouteEdit,
    TypeSource,
    Written,
)
from wirespeed.source.edits import write

MAIN = """\
from fastapi import Depends, FastAPI
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse
from pydantic import TypeAdapter

from .deps import Paging, settings

app = FastAPI()


@app.get("/rows", response_class=JSONResponse)
def rows(conf: dict = Depends(settings), paging: Paging = Depends()) -> JSONResponse:
    return JSONResponse(jsonable_encoder(TypeAdapter(list[int]).validate_python(["1"])), 201)
"""
DEPS = """\
# größer
class Paging:
    def __init__(self, page: int = 1):
        self.page = page


def settings():
    return {}
"""
ANY = TypeSource("Any", ("from typing import Any",))


def line_of(source: str, text: str) -> int:
    return next(number for number, line in enumerate(source.split("\n"), 1) if text in line)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").touch()
    (tmp_path / "shop" / "main.py").write_text(MAIN)
    (tmp_path / "shop" / "deps.py").write_bytes(b"# coding: latin-1\n" + DEPS.encode("latin-1"))
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    return tmp_path


def all_parts() -> list[Part]:
    rows, deps = line_of(MAIN, "def rows"), "# coding\n" + DEPS
    return [
        RouteEdit(RouteChange(ANY, response_class="drop"), f"shop/main.py:{rows - 1}"),
        CodeEditAt("return the value", f"shop/main.py:{rows}", "rows"),
        CodeEditAt("hoist", f"shop/main.py:{rows + 1}", "list[int]"),
        CodeEditAt("async def", f"shop/deps.py:{line_of(deps, 'class')}", "Paging"),
        CodeEditAt("async def", f"shop/deps.py:{line_of(deps, 'def settings')}", "settings"),
    ]


def test_all_remedies_together_are_one_change_of_several_files(project: Path) -> None:
    written = write(all_parts(), project)
    assert isinstance(written, Written), written
    deps, main = written.files
    assert (deps.path, main.path) == (project / "shop" / "deps.py", project / "shop" / "main.py")
    assert (
        main.after
        == """\
from typing import Any

from fastapi import Depends, FastAPI, Response
from pydantic import TypeAdapter

from .deps import Paging, get_paging, settings

app = FastAPI()


_rows_adapter = TypeAdapter(list[int])


@app.get("/rows")
def rows(response: Response, conf: dict = Depends(settings), paging: Paging = Depends(get_paging)) -> Any:
    response.status_code = 201
    return _rows_adapter.validate_python(["1"])
"""
    )
    assert (
        deps.after
        == "# coding: latin-1\n"
        + """\
# größer
class Paging:
    def __init__(self, page: int = 1):
        self.page = page


async def get_paging(page: int = 1) -> Paging:
    return Paging(page=page)


async def settings():
    return {}
"""
    )


def test_the_order_of_the_parts_does_not_matter_and_equal_ones_are_one(project: Path) -> None:
    once = write(all_parts(), project)
    for order in list(permutations(all_parts()))[::17]:
        assert write([*order, order[0]], project) == once


def test_git_applies_the_diff_over_files_of_several_encodings(project: Path) -> None:
    written = write(all_parts(), project)
    assert isinstance(written, Written)
    subprocess.run(["git", "apply", "-"], cwd=project, input=written.to_bytes(), check=True)
    for file in written.files:
        assert file.path.read_bytes() == file.bytes_after


def test_nothing_on_disk_changes(project: Path) -> None:
    write(all_parts(), project)
    assert (project / "shop" / "main.py").read_text() == MAIN


def test_one_part_that_is_refused_refuses_all(project: Path) -> None:
    refused = CodeEditAt("def", all_parts()[0].source, "rows")
    assert write([*all_parts(), refused], project) == NoEdit("it is not async")


def test_two_parts_that_want_different_things_are_refused(project: Path) -> None:
    source = all_parts()[0].source
    parts = [RouteEdit(RouteChange(TypeSource(name)), source) for name in ("int", "str")]
    (project / "shop" / "main.py").write_text(MAIN.replace(" -> JSONResponse", ""))
    assert write(parts, project) == NoEdit("two different types for one function")


@pytest.mark.parametrize(
    "user",
    [
        "from shop.deps import settings\nsettings()\n",
        "from .deps import settings as conf\nprint(conf)\n",
        "from shop import deps\ndeps.settings()\n",
        "import shop.deps\nshop.deps.settings()\n",
        "from shop.deps import *\nsettings()\n",
        "from shop import settings\nx = [settings]\n",
    ],
)
def test_a_function_that_another_module_calls_stays_as_it_is(project: Path, user: str) -> None:
    (project / "test_shop.py").write_text(user)
    outcome = write(all_parts()[-1:], project)
    assert outcome == NoEdit("it is used in test_shop.py, line 2, where it may be called directly")


METHODS = """
from fastapi import APIRouter


class Shop:
    def __init__(self) -> None:
        self.router = APIRouter()
        self.router.add_api_route("/name", self.name)

    def name(self) -> str:
        return "shop"
"""


@pytest.mark.parametrize(
    "user",
    [
        "shop = make()\nshop.name()\n",
        "\nmonkeypatch.setattr(Shop, 'name', 1)\n",
        "\npatch('methods.Shop.name')\n",
    ],
)
def test_a_method_stays_as_it_is_where_anything_of_its_name_is_used(project: Path, user: str) -> None:
    (project / "methods.py").write_text(METHODS)
    (project / "test_shop.py").write_text(user)
    outcome = write([CodeEditAt("async def", "methods.py:10", "name")], project)
    assert outcome == NoEdit("it is used in test_shop.py, line 2, where it may be called directly")


@pytest.mark.parametrize("user", ["router.add_api_route('/n', shop.name)\n", "class Shop:\n    name = 'x'\n"])
def test_a_method_that_is_an_endpoint_elsewhere_too_is_edited(project: Path, user: str) -> None:
    (project / "methods.py").write_text(METHODS)
    (project / "test_shop.py").write_text(user)
    outcome = write([CodeEditAt("async def", "methods.py:10", "name")], project)
    assert isinstance(outcome, Written)


@pytest.mark.parametrize(
    "user",
    [
        "from django.conf import settings\nsettings()\n",
        "from shop.deps import settings\nRoute(Depends(settings))\napp.dependency_overrides[settings] = 1\n",
        "settings = 1\nprint(settings)\n",
        "'''settings'''\n",
    ],
)
def test_namesakes_and_dependents_elsewhere_are_no_hindrance(project: Path, user: str) -> None:
    (project / "test_shop.py").write_text(user)
    assert isinstance(write(all_parts()[-1:], project), Written)


def test_a_module_that_cannot_be_read_may_call_it(project: Path) -> None:
    (project / "old.py").write_text("print settings\n")
    outcome = write(all_parts()[-1:], project)
    assert outcome == NoEdit("old.py, which may use settings, cannot be parsed")
    (project / "old.py").write_bytes("settings = 'ö'".encode("latin-1"))
    assert isinstance(outcome := write(all_parts()[-1:], project), NoEdit)
    assert outcome.reason.startswith("old.py, which may use settings, is not read: ")


def test_environments_and_hidden_folders_are_not_the_project(project: Path) -> None:
    for folder in ("env", ".tox", "node_modules"):
        (project / folder).mkdir()
        (project / folder / "x.py").write_text("from shop.deps import settings\nsettings()\n")
    (project / "env" / "pyvenv.cfg").touch()
    assert isinstance(write(all_parts()[-1:], project), Written)


@pytest.mark.parametrize("what", ["return the value", "return instances", "async def"])
def test_a_route_that_a_loop_makes_with_others_stays_as_it_is(project: Path, what: CodeEditKind) -> None:
    looped = "for path in PATHS:\n    @app.get(path)\n    def rows():\n        return JSONResponse({})\n"
    (project / "loop.py").write_text(looped)
    outcome = write([CodeEditAt(what, "loop.py:3", "rows")], project)
    assert outcome == NoEdit("the route is made in a loop, and others with it")
