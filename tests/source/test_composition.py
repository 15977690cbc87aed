"""Several edits of one file are one change, whatever their order."""

from __future__ import annotations

from itertools import permutations

import pytest

from wirespeed.source import CallAt, FunctionAt, Refused, TypeSource
from wirespeed.source.annotate import annotate
from wirespeed.source.edit import Edit
from wirespeed.source.options import reset_options
from wirespeed.source.response_class import drop_default_response_class, drop_response_class
from wirespeed.source.rewrite import rewrite

from .golden_cases import line_of

SOURCE = """\
from fastapi import FastAPI
from fastapi.responses import ORJSONResponse

app = FastAPI()


@app.get("/rows", response_class=ORJSONResponse, response_model_exclude_none=True)
def get_rows():
    return [{"id": 1}]


@app.get("/more", response_class=ORJSONResponse)
def list_rows():
    return [{"id": 1}]
"""
TYPED_DICT = ("from typing_extensions import TypedDict",)
ROWS = TypeSource("list[Rows]", TYPED_DICT, ("class Rows(TypedDict):\n    id: int",))


def at(function: str) -> FunctionAt:
    return FunctionAt(line_of(SOURCE, function), function)


def edits() -> list[Edit]:
    return [
        annotate(SOURCE, at("get_rows"), ROWS),
        drop_response_class(SOURCE, at("get_rows")),
        reset_options(SOURCE, at("get_rows"), ["response_model_exclude_none"]),
        drop_response_class(SOURCE, at("list_rows")),
    ]


def test_the_order_of_the_edits_does_not_matter() -> None:
    texts = {rewrite(SOURCE, order) for order in permutations(edits())}
    assert texts == {
        """\
from fastapi import FastAPI
from typing_extensions import TypedDict

app = FastAPI()


class Rows(TypedDict):
    id: int


@app.get("/rows")
def get_rows() -> list[Rows]:
    return [{"id": 1}]


@app.get("/more")
def list_rows():
    return [{"id": 1}]
"""
    }


def test_an_import_goes_only_with_the_last_of_its_uses() -> None:
    assert "import ORJSONResponse" in rewrite(SOURCE, [edits()[1]])
    assert "import ORJSONResponse" in rewrite(SOURCE, [edits()[3]])
    assert "import ORJSONResponse" not in rewrite(SOURCE, [edits()[1], edits()[3]])


def test_the_same_edit_twice_is_one() -> None:
    assert rewrite(SOURCE, [*edits(), *edits()]) == rewrite(SOURCE, edits())


def test_no_edit_changes_nothing() -> None:
    assert rewrite(SOURCE, []) == SOURCE


def test_two_functions_with_the_same_class_share_it() -> None:
    both = [annotate(SOURCE, at("list_rows"), ROWS), annotate(SOURCE, at("get_rows"), ROWS)]
    text = rewrite(SOURCE, both)
    assert text.count("class Rows(TypedDict):") == 1
    assert text.count("-> list[Rows]:") == 2


def test_two_classes_of_one_name_get_two_names() -> None:
    other = TypeSource(
        "list[Rows]",
        TYPED_DICT,
        (
            "class RowsTags(TypedDict):\n    Rows: bool",
            'Rows = TypedDict(\n    "Rows",\n    {\n        "Rows-id": RowsTags,\n    },\n)',
        ),
    )
    text = rewrite(SOURCE, [annotate(SOURCE, at("list_rows"), other), annotate(SOURCE, at("get_rows"), ROWS)])
    assert "\ndef get_rows() -> list[Rows]:" in text
    assert "\ndef list_rows() -> list[Rows2]:" in text
    assert "\nclass RowsTags(TypedDict):\n    Rows: bool\n" in text
    assert '\nRows2 = TypedDict(\n    "Rows2",\n    {\n        "Rows-id": RowsTags,\n    },\n)\n' in text


def test_a_class_that_another_renamed_one_is_part_of_is_another_class() -> None:
    def rows(tags: str) -> TypeSource:
        inner = f"class RowsTags(TypedDict):\n    {tags}: bool"
        return TypeSource("Rows", TYPED_DICT, (inner, "class Rows(TypedDict):\n    RowsTags: RowsTags"))

    both = [annotate(SOURCE, at("get_rows"), rows("hot")), annotate(SOURCE, at("list_rows"), rows("cold"))]
    text = rewrite(SOURCE, both)
    assert "class Rows2(TypedDict):\n    RowsTags: RowsTags2\n" in text
    assert "def list_rows() -> Rows2:" in text


def test_two_things_of_one_name_are_imported_under_two() -> None:
    one = TypeSource("list[Row]", ("from models import Row",))
    other = TypeSource("dict[str, Row]", ("from schemas import Row",))
    text = rewrite(SOURCE, [annotate(SOURCE, at("get_rows"), one), annotate(SOURCE, at("list_rows"), other)])
    assert "from models import Row\nfrom schemas import Row as Row2\n" in text
    assert "def get_rows() -> list[Row]:" in text
    assert "def list_rows() -> dict[str, Row2]:" in text


def test_two_types_for_one_function_are_refused() -> None:
    both = [annotate(SOURCE, at("get_rows"), ROWS), annotate(SOURCE, at("get_rows"), TypeSource("int"))]
    with pytest.raises(Refused, match="two different types for one function"):
        rewrite(SOURCE, both)


def test_an_edit_of_another_text_is_refused() -> None:
    with pytest.raises(Refused, match="changed since the edit was made"):
        rewrite(SOURCE + "\n", edits())


def test_an_edit_that_was_made_cannot_be_made_again() -> None:
    text = rewrite(SOURCE, edits())
    again = FunctionAt(line_of(text, "get_rows"))
    with pytest.raises(Refused, match="has a return annotation"):
        annotate(text, again, ROWS)
    with pytest.raises(Refused, match="does not name response_class"):
        drop_response_class(text, again)
    with pytest.raises(Refused, match="does not name response_model_exclude_none"):
        reset_options(text, again, ["response_model_exclude_none"])


def test_a_function_of_another_name_is_not_meant() -> None:
    with pytest.raises(Refused, match="no function other begins on line 7"):
        annotate(SOURCE, FunctionAt(7, "other"), ROWS)


def test_a_default_can_be_dropped_by_the_line_of_its_call() -> None:
    source = SOURCE.replace("FastAPI()", "FastAPI(default_response_class=ORJSONResponse)")
    assert rewrite(source, [drop_default_response_class(source, CallAt(4))]) == SOURCE
    with pytest.raises(Refused, match="no calls on line 7 name default_response_class"):
        drop_default_response_class(source, CallAt(7))
