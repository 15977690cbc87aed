"""Edits that reach beyond one function's body, in modules as nobody formats them.

A type, a response class that the app or a router sets, what is made once, a discriminator, bytes of a type:
the result is Python, and what the edit does not mean stays, as Python reads it and to the byte.
"""

from __future__ import annotations

import ast
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wirespeed.source import CodeEditAt, NoEdit, Part, RouteChange, RouteEdit, TypeSource, Written
from wirespeed.source.edits import write

from .odd_modules import FILLERS, HEADS

pytestmark = pytest.mark.slow

IMPORTS = (
    "import pydantic\nfrom typing import Literal, Union\nfrom pydantic import BaseModel, TypeAdapter\n",
    "from pydantic import (  # models\n    TypeAdapter,\n    BaseModel\n)\nimport pydantic, typing\n"
    "from typing import Literal; from typing import Union\n",
    "import pydantic\nfrom pydantic import BaseModel\nfrom pydantic import TypeAdapter # once\n"
    "from typing import (Union, Literal,\n  Annotated)\n",
)
CLASSES = "from fastapi.responses import JSONResponse, ORJSONResponse\n"
MODELS = (
    "class A(BaseModel):\n    kind: Literal['a']\n\nclass B(BaseModel):\n  kind: Literal[ 'b' ] # b\n",
    "class B(BaseModel): kind: Literal['b']\nclass A(BaseModel): kind: Literal['a']; n: int = 1\n",
)


@dataclass(frozen=True)
class Kind:
    """``endpoints`` are whole ones named feed, with ``{0}`` for an indent; the edit is where ``at`` matches.

    ``apps`` make ``app``, or ``router`` too. ``may_change`` are names of module statements beside imports.
    """

    part: Part
    at: str
    endpoints: tuple[str, ...]
    apps: tuple[str, ...] = ("app = fastapi.FastAPI()\n",)
    may_change: frozenset[str] = frozenset({"feed"})


TYPE = TypeSource("list[A] | Any", ("from typing import Any",))
KINDS = {
    "a type": Kind(
        RouteEdit(RouteChange(TYPE), ""),
        r"def +feed\b",
        (
            "@app.get('/f' , tags = ['->', ':'])\ndef feed( a=1, # )\n  b = 2 ):\n{0}return []\n",
            "@app.get('/f')\nasync def feed(): return [A(kind='a')] ; # one\n",
        ),
    ),
    "a class of the app": Kind(
        RouteEdit(RouteChange(response_class="drop"), ""),
        r"def +feed\b",
        (
            "@app.get('/f')\ndef feed() -> list[A]:\n{0}return []\n",
            "@app.get( '/f' )\ndef feed() -> 'int': return 1\n",
        ),
        (
            "app = fastapi.FastAPI(default_response_class=ORJSONResponse)\n",
            "app = fastapi.FastAPI(title='x=),', default_response_class = ORJSONResponse, # fast\n"
            "  version='1')\n",
            "app = fastapi.FastAPI(\n    # why\n    default_response_class=ORJSONResponse,\n)\n",
        ),
        frozenset({"app"}),
    ),
    "a class of a router": Kind(
        RouteEdit(RouteChange(response_class="drop"), ""),
        r"def +feed\b",
        ("@router.get('/f')\ndef feed() -> list[A]:\n{0}return []\n\n\napp.include_router(router)\n",),
        (
            "app = fastapi.FastAPI()\n"
            "router = fastapi.APIRouter(prefix='/x', default_response_class=ORJSONResponse)\n",
            "router = fastapi.APIRouter( default_response_class=ORJSONResponse )\napp = fastapi.FastAPI()\n",
        ),
        frozenset({"router"}),
    ),
    "an adapter": Kind(
        CodeEditAt("hoist", ""),
        r"TypeAdapter ?\(",
        (
            "@app.get('/f')\ndef feed():\n"
            "{0}return TypeAdapter( list[int] ).validate_python([1, '2'])  # both\n",
            "@app.get('/f')\nasync def feed():\n{0}# made\n{0}a = pydantic.TypeAdapter(dict[str,\n  A])\n"
            "{0}x = {{}}\n\n{0}return a.validate_python(x)\n",
            "@app.get('/f')\ndef feed(n: int = 1):\n"
            "{0}if n: return TypeAdapter (int).validate_python(n)\n{0}return 2\n",
        ),
        may_change=frozenset({"feed", "_feed_adapter", "_feed_a"}),
    ),
    "a model": Kind(
        CodeEditAt("hoist", ""),
        r"class Row\b",
        (
            "@app.get('/f')\ndef feed():\n{0}'''Doc.'''\n{0}class Row(BaseModel): # a row\n"
            "{0}{0}n: int = 1\n\n"
            "{0}return [Row(), Row(n=2)]\n",
        ),
        may_change=frozenset({"feed", "Row"}),
    ),
    "a discriminator": Kind(
        CodeEditAt("discriminator", "", "kind"),
        r"def +feed\b",
        (
            "@app.get('/f', response_model = list[Union[A , B]] , tags=[])\ndef feed():\n{0}return []\n",
            "@app.get('/f')\nasync  def feed() -> dict[str, A | B]: # both\n{0}return {{}}\n",
            "@app.get('/f',\n    response_model=Union[\n        A,  # first\n        B,\n    ],\n)\n"
            "def feed(): return {{}}\n",
        ),
    ),
    "ready bytes": Kind(
        CodeEditAt("ready bytes", "", "application/x+json"),
        r"def +feed\b",
        (
            "@app.get('/f')\ndef feed() -> list[A]:\n{0}return [A(kind='a'), # a\n]\n",
            "@app.get('/f', response_model=list[int], status_code=201)\nasync def feed(n: int = 1):\n"
            "{0}if n: return n,n\n{0}return [1] # one\n",
        ),
        may_change=frozenset({"feed", "_feed_adapter", "_feed_response"}),
    ),
}
Drawn = tuple[str, Kind]

NOT_KEPT = NoEdit("the file has whitespace that LibCST does not keep")
"""Form feeds before comments at the very end, say: such a file is not touched."""


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    kind = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    fillers = st.lists(st.sampled_from(FILLERS), max_size=2)
    indent = draw(st.sampled_from(["    ", "\t", "  "]))
    parts = [draw(st.sampled_from(HEADS)), draw(st.sampled_from(IMPORTS)), CLASSES, "import fastapi\n"]
    parts += [draw(st.sampled_from(kind.apps)), *draw(fillers), draw(st.sampled_from(MODELS)), *draw(fillers)]
    parts.append(draw(st.sampled_from(["", "\n\n# about it\n"])))
    parts += [draw(st.sampled_from(kind.endpoints)).format(indent), *draw(fillers)]
    text = "".join(parts)
    text = text if draw(st.booleans()) else text.rstrip("\n")
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))), kind


def edited(text: str, kind: Kind) -> Written | NoEdit:
    endpoint = re.search(r"@(app|router)\.get\( ?'/f'", text)
    assert endpoint is not None
    place = re.compile(kind.at).search(text, endpoint.start())
    if place is None:
        return NoEdit("what it was made for is gone")
    line = text.count("\n", 0, place.start()) + 1
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "main.py").write_bytes(text.encode())
        return write([_placed(kind.part, f"main.py:{line}")], Path(folder))


def _placed(part: Part, source: str) -> Part:
    if isinstance(part, RouteEdit):
        return RouteEdit(part.change, source)
    return CodeEditAt(part.what, source, part.name)


def made(case: Drawn) -> tuple[str, str]:
    """The module before and after."""
    written = edited(*case)
    assume(written != NOT_KEPT)
    assert isinstance(written, Written), (written, case[0])
    return written.files[0].before, written.files[0].after


def name_of(node: ast.stmt) -> str | None:
    """Of what a statement of the module defines."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return getattr(node, "name", None)


def is_meant(node: ast.stmt, kind: Kind) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom) or name_of(node) in kind.may_change


@settings(max_examples=100, deadline=None)
@given(drawn())
def test_the_result_is_python_and_only_what_is_meant_means_something_else(case: Drawn) -> None:
    before, after = made(case)
    kept, left = (
        [ast.dump(node) for node in ast.parse(text).body if not is_meant(node, case[1])]
        for text in (before, after)
    )
    assert left == kept
    assert ast.dump(ast.parse(before)) != ast.dump(ast.parse(after))


@settings(max_examples=100, deadline=None)
@given(drawn())
def test_only_lines_of_what_is_meant_and_of_imports_differ(case: Drawn) -> None:
    before, after = made(case)
    changing: set[int] = set()
    for node in ast.parse(before).body:
        if is_meant(node, case[1]):
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
            changing.update(range(first - 1, node.end_lineno or node.lineno))
    lines = before.split("\n")
    staying = [line for number, line in enumerate(lines) if number not in changing]
    left = iter(after.split("\n"))
    assert [line for line in staying if line not in left] == []
    comments = [line.strip() for line in lines if line.lstrip().startswith("#")]
    assert [line for line in comments if line not in {each.strip() for each in after.split("\n")}] == []
    if "\r\n" in before:
        assert re.search(r"(?<!\r)\n", after) is None


@settings(max_examples=40, deadline=None)
@given(drawn())
def test_an_edit_is_made_once(case: Drawn) -> None:
    _, after = made(case)
    assert isinstance(edited(after, case[1]), NoEdit)
