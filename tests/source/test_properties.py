"""Whatever the file looks like: an edit does what it says, and everything else stays."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.source import FunctionAt, Refused, TypeSource
from wirespeed.source.annotate import annotate
from wirespeed.source.edit import Edit
from wirespeed.source.options import reset_options
from wirespeed.source.response_class import drop_response_class
from wirespeed.source.rewrite import rewrite

from .odd_modules import Endpoint, OddModule, odd_modules

pytestmark = pytest.mark.slow

Wish = tuple[Endpoint, bool, bool, bool]
"""Whether to annotate it, to drop its response class, and to reset its options."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


@st.composite
def wishes(draw: st.DrawFn) -> tuple[OddModule, list[Wish]]:
    module = draw(odd_modules())
    flags = st.tuples(st.booleans(), st.booleans(), st.booleans())
    drawn = [(endpoint, *draw(flags)) for endpoint in module.endpoints]
    return module, [
        (endpoint, typed, dropped and endpoint.has_class, reset and bool(endpoint.options))
        for endpoint, typed, dropped, reset in drawn
    ]


def type_of(endpoint: Endpoint) -> TypeSource:
    name = endpoint.name.title().replace("_", "")
    imports = ("from typing import Any", "from typing import TypedDict", "from decimal import Decimal")
    return TypeSource(f"list[{name}] | Any", imports, (f"class {name}(TypedDict):\n    price: Decimal",))


def edits_of(text: str, wished: Iterable[Wish]) -> Iterator[Edit]:
    for endpoint, typed, dropped, reset in wished:
        at = FunctionAt(text.count("\n", 0, re.search(rf"def {endpoint.name}\b", text).start()) + 1)  # type: ignore[union-attr]
        if typed:
            yield annotate(text, at, type_of(endpoint))
        if dropped:
            yield drop_response_class(text, at)
        if reset:
            yield reset_options(text, at, endpoint.options)


def functions_of(tree: ast.AST) -> dict[str, Function]:
    return {
        node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def expected(text: str, wished: Iterable[Wish]) -> ast.Module:
    """The same edits made on Python's own syntax tree."""
    tree = ast.parse(text)
    for endpoint, typed, dropped, reset in wished:
        function = functions_of(tree)[endpoint.name]
        gone = (*(["response_class"] if dropped else []), *(endpoint.options if reset else []))
        if typed:
            function.returns = ast.parse(renamed(text, type_of(endpoint).expression), mode="eval").body
        route = function.decorator_list[0]
        assert isinstance(route, ast.Call)
        route.keywords = [keyword for keyword in route.keywords if keyword.arg not in gone]
    return tree


def renamed(text: str, source: str) -> str:
    """One of the odd imports gives TypedDict another name, which is then used."""
    return source.replace("TypedDict", "Rows") if "TypedDict as Rows" in text else source


def without_imports_and(names: set[str], tree: ast.Module) -> str:
    body = [
        node
        for node in tree.body
        if not isinstance(node, ast.Import | ast.ImportFrom)
        and not (isinstance(node, ast.ClassDef) and node.name in names)
    ]
    return ast.dump(ast.Module(body, []))


def imports_of(tree: ast.Module) -> set[tuple[str, str]]:
    """(module, alias) of the from-imports of the module itself."""
    return {
        (str(node.module), ast.unparse(alias))
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def uses(tree: ast.Module, name: str) -> bool:
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return any(
        (isinstance(node, ast.Name) and node.id == name)
        or (isinstance(node, ast.Constant) and name in str(node.value) and id(node) not in docstrings)
        for node in ast.walk(tree)
    )


def lines_that_may_change(text: str, wished: Iterable[Wish]) -> set[int]:
    """Indices of the lines of imports, and of the decorators and headers of the functions edited."""
    tree = ast.parse(text)
    changing: set[int] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            changing.update(range(node.lineno - 1, node.end_lineno or node.lineno))
    for endpoint, *_ in wished:
        function = functions_of(tree)[endpoint.name]
        changing.update(range(function.decorator_list[0].lineno - 1, function.body[0].lineno))
    return changing


@settings(max_examples=40, deadline=None)
@given(wishes())
def test_an_edit_does_to_the_syntax_tree_what_it_says(case: tuple[OddModule, list[Wish]]) -> None:
    module, wished = case
    edited = ast.parse(rewrite(module.text, edits_of(module.text, wished)))
    want = expected(module.text, wished)

    added = {type_of(endpoint).expression[5:-7] for endpoint, typed, *_ in wished if typed}
    assert without_imports_and(added, edited) == without_imports_and(set(), want)

    before, after = imports_of(ast.parse(module.text)), imports_of(edited)
    gone = before - after
    may_go = any(dropped for _, _, dropped, _ in wished) and not uses(want, "ORJSONResponse")
    assert {alias for _, alias in gone} <= {"ORJSONResponse", "HTMLResponse as ORJSONResponse"}
    assert bool(gone) == (may_go and "ORJSONResponse as ORJSONResponse" not in module.text)
    new = {("typing", "Any"), ("decimal", "Decimal")} if added else set()
    if added and "TypedDict as Rows" not in module.text:
        new.add(("typing", "TypedDict"))
    assert after - before == new - before


@settings(max_examples=40, deadline=None)
@given(wishes())
def test_every_other_line_and_every_comment_line_stays_to_the_byte(
    case: tuple[OddModule, list[Wish]],
) -> None:
    module, wished = case
    edited = rewrite(module.text, edits_of(module.text, wished))
    changing = lines_that_may_change(module.text, wished)
    staying = [
        line
        for number, line in enumerate(module.text.split("\n"))
        if number not in changing or line.lstrip().startswith("#")
    ]
    left = iter(edited.split("\n"))
    assert [line for line in staying if line not in left] == []
    if "\r\n" in module.text:
        assert re.search(r"(?<!\r)\n", edited) is None


@settings(max_examples=40, deadline=None)
@given(wishes())
def test_what_the_type_needs_stands_above_it(case: tuple[OddModule, list[Wish]]) -> None:
    module, wished = case
    edited = ast.parse(rewrite(module.text, edits_of(module.text, wished)))
    for endpoint, typed, *_ in wished:
        if typed:
            known: set[str] = set()
            for node in edited.body:
                if endpoint.name in functions_of(node):
                    break
                known |= names_bound_by(node)
            assert {endpoint.name.title().replace("_", ""), "Any", "Decimal"} <= known


def names_bound_by(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ImportFrom):
        return {alias.asname or alias.name for alias in node.names}
    return {node.name} if isinstance(node, ast.ClassDef) else set()


@settings(max_examples=20, deadline=None)
@given(wishes(), st.randoms(use_true_random=False))
def test_the_order_does_not_matter_and_nothing_is_done_twice(
    case: tuple[OddModule, list[Wish]], random: object
) -> None:
    module, wished = case
    edits = list(edits_of(module.text, wished))
    edited = rewrite(module.text, edits)
    random.shuffle(edits)  # type: ignore[attr-defined]
    assert rewrite(module.text, [*edits, *edits]) == edited
    for wish in wished:
        if any(wish[1:]):
            with pytest.raises(Refused):
                list(edits_of(edited, [wish]))
