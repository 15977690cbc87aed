"""Edits of code in modules as nobody formats them: what an edit does not mean, it does not touch."""

from __future__ import annotations

import ast
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.source import CodeEditAt, CodeEditKind, NoEdit, Written
from wirespeed.source.edits import write

from .odd_modules import FILLERS, HEADS, PARAMETERS

pytestmark = pytest.mark.slow

IMPORTS = (
    "from fastapi.encoders import jsonable_encoder\nfrom fastapi.responses import JSONResponse\n",
    "from fastapi.responses import (  # all\n    JSONResponse,\n)\n"
    "from fastapi.encoders import jsonable_encoder\n",
)
BODIES: dict[CodeEditKind, tuple[str, ...]] = {
    "return the value": (
        "return JSONResponse(jsonable_encoder([1]))\n",
        "return  JSONResponse( content = [1,\n2] ) ; # end\n",
        "x = jsonable_encoder(1) # x\n{0}return JSONResponse(x, 201, {{'a': 'b'}})\n",
        "if 1: return JSONResponse([1], status_code=202)\n{0}return JSONResponse({{}}, 404)\n",
    ),
    "return instances": (
        "return [x.model_dump( ) for x in y]\n",
        "r = []\n{0}for x in y:\n{0}\tr.append(x.dict()) # r\n{0}return {{'r': r}}\n",
    ),
    "async def": ("return 1\n", "# c\n{0}def inner(): yield\n\n{0}return inner\n"),
    "def": ("return 1\n", "async def inner(): await x\n{0}return 1\n"),
}
Drawn = tuple[str, str, CodeEditKind]


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    """(module, name of the function, what to do with it)."""
    what = draw(st.sampled_from(sorted(BODIES)))
    indent = draw(st.sampled_from(["    ", "\t", "  "]))
    parts = [draw(st.sampled_from(HEADS)), draw(st.sampled_from(IMPORTS))]
    parts.append("import fastapi\n\napp = fastapi.FastAPI()\n")
    for number in range(draw(st.integers(1, 3))):
        parts += draw(st.lists(st.sampled_from(FILLERS), max_size=2))
        header = f"@app.get('/{number}')\n" + draw(st.sampled_from(["", "# between\n"]))
        keyword = "async  def" if what == "def" else "def"
        body = draw(st.sampled_from(BODIES[what])).format(indent)
        parts.append(f"{header}{keyword} f{number}{draw(st.sampled_from(PARAMETERS))}:\n{indent}{body}")
    text = "".join(parts).replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return text, "f0", what


def made(case: Drawn) -> tuple[str, str]:
    """The module before and after."""
    text, name, what = case
    line = text[: re.search(rf"def {name}\b", text).start()].count("\n") + 1  # type: ignore[union-attr]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "main.py").write_bytes(text.encode())
        written = write([CodeEditAt(what, f"main.py:{line}", name)], Path(folder))
    assert isinstance(written, Written), (written, text)
    return written.files[0].before, written.files[0].after


def others(text: str, name: str) -> list[str]:
    """Everything but the function and the imports, as Python reads it."""
    nodes = ast.parse(text).body
    return [
        ast.dump(node)
        for node in nodes
        if not isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "name", None) != name
    ]


@settings(max_examples=60, deadline=None)
@given(drawn())
def test_the_result_is_python_and_only_the_function_means_something_else(case: Drawn) -> None:
    before, after = made(case)
    assert others(after, case[1]) == others(before, case[1])
    assert before != after


@settings(max_examples=60, deadline=None)
@given(drawn())
def test_only_lines_of_the_function_and_of_imports_differ(case: Drawn) -> None:
    before, after = made(case)
    changing: set[int] = set()
    for node in ast.parse(before).body:
        is_it = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == case[1]
        if is_it or isinstance(node, ast.ImportFrom):
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
            changing.update(range(first - 1, node.end_lineno or node.lineno))
    staying = [line for number, line in enumerate(before.split("\n")) if number not in changing]
    left = iter(after.split("\n"))
    assert [line for line in staying if line not in left] == []
    if "\r\n" in before:
        assert re.search(r"(?<!\r)\n", after) is None


@settings(max_examples=30, deadline=None)
@given(drawn())
def test_an_edit_is_made_once(case: Drawn) -> None:
    _, after = made(case)
    line = after[: re.search(rf"def {case[1]}\b", after).start()].count("\n") + 1  # type: ignore[union-attr]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "main.py").write_bytes(after.encode())
        assert isinstance(write([CodeEditAt(case[2], f"main.py:{line}", case[1])], Path(folder)), NoEdit)
