"""``# wirespeed: ignore[…] reason`` as it stands in files, and what becomes of findings for it."""

from pathlib import Path

import pytest

from wirespeed.diagnosis.ignoring import Ignoring, read_ignoring
from wirespeed.model.request import Route
from wirespeed.source.ignore_comments import read_comments

KNOWN = ["WS101", "WS102", "WS203"]


def route(line: int, number: int = 0, file: str = "main.py") -> Route:
    return Route(id=number, methods=["GET"], path="/", name="", kind="api", source=f"{file}:{line}")


def ignoring(tmp_path: Path, text: str, *routes: Route) -> Ignoring:
    (tmp_path / "main.py").write_text(text)
    return read_ignoring(tmp_path, routes)


@pytest.mark.parametrize(
    "text",
    [
        "@app.get('/')\ndef f():  # wirespeed: ignore[WS101] it is only for us\n    return 1\n",
        "@app.get('/')  # wirespeed: ignore[WS101] it is only for us\ndef f():\n    return 1\n",
        "# wirespeed: ignore[WS101] it is only for us\n@app.get('/')\ndef f():\n    return 1\n",
        "@app.get('/')\n# wirespeed: ignore[WS101]: it is only for us\ndef f():\n    return 1\n",
        "@app.get('/')\nasync def f(\n    a,  # wirespeed:ignore[ws101] it is only for us\n):\n    pass\n",
        "@app.get('/')\ndef f():  # noqa  # wirespeed: ignore[WS1, WS203] it is only for us\n    return 1\n",
        "# wirespeed: ignore it is only for us\n@app.get('/')\ndef f(): return 1\n",
    ],
)
def test_a_comment_counts_anywhere_on_the_header_or_right_above_it(tmp_path: Path, text: str) -> None:
    line = next(n for n, each in enumerate(text.splitlines(), 1) if "def f" in each)

    assert ignoring(tmp_path, text, route(line)).reason_for(route(line), "WS101") == "it is only for us"


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # wirespeed: ignore[WS101] of another line\n@app.get('/')\ndef f():\n    return 1\n",
        "# wirespeed: ignore[WS101] too far above\n\n@app.get('/')\ndef f():\n    return 1\n",
        "@app.get('/')\ndef f():\n    return 1  # wirespeed: ignore[WS101] inside\n",
        "@app.get('/', description='# wirespeed: ignore[WS101] in a string')\ndef f():\n    return 1\n",
        "'''\n# wirespeed: ignore[WS101] in a docstring\n'''\n@app.get('/')\ndef f():\n    return 1\n",
        "@app.get('/')\ndef f():  # wirespeed: ignored once\n    return 1\n",
        "@app.get('/')\ndef f():  # wirespeed: ignore[WS102] another rule\n    return 1\n",
        "@app.get('/')\ndef f():  # wirespeed: ignore[WS101]\n    return 1\n",
    ],
)
def test_anything_else_ignores_nothing(tmp_path: Path, text: str) -> None:
    line = next(n for n, each in enumerate(text.splitlines(), 1) if "def f" in each)

    assert ignoring(tmp_path, text, route(line)).reason_for(route(line), "WS101") is None


def notes(tmp_path: Path, comment: str, asked: list[str] = KNOWN, *, diagnosed: bool = True) -> list[str]:
    """What is said of a comment at an endpoint on which WS101 was found."""
    endpoint = route(2)
    read = ignoring(tmp_path, f"@app.get('/')\ndef f():  # {comment}\n    return 1\n", endpoint)
    if diagnosed and "WS101" in asked:
        read.reason_for(endpoint, "WS101")
    return list(read.notes([endpoint] if diagnosed else [], [endpoint], asked, KNOWN))


def test_a_comment_that_ignores_a_finding_needs_no_note(tmp_path: Path) -> None:
    assert notes(tmp_path, "wirespeed: ignore[WS101] for us") == []


def test_a_reason_is_demanded(tmp_path: Path) -> None:
    (note,) = notes(tmp_path, "wirespeed: ignore[WS101]")

    assert note.startswith("main.py:2: the comment ignores nothing, as it gives no reason")


def test_a_rule_that_does_not_exist_is_told(tmp_path: Path) -> None:
    assert notes(tmp_path, "wirespeed: ignore[WS999] for us") == [
        "main.py:2: the comment ignores WS999, and there is no such rule"
    ]


def test_a_comment_without_such_a_finding_is_told(tmp_path: Path) -> None:
    assert notes(tmp_path, "wirespeed: ignore[WS203] for us") == [
        "main.py:2: the comment ignores nothing: no such finding"
    ]


def test_nothing_is_told_of_what_was_not_looked_at(tmp_path: Path) -> None:
    assert notes(tmp_path, "wirespeed: ignore[WS203] for us", asked=["WS101"]) == []
    assert notes(tmp_path, "wirespeed: ignore[WS203] for us", diagnosed=False) == []


def test_a_comment_at_no_endpoint_is_told(tmp_path: Path) -> None:
    text = "# wirespeed: ignore[WS101] lost\nx = 1\n\n\n@app.get('/')\ndef f():\n    return 1\n"
    read = ignoring(tmp_path, text, route(6))

    assert list(read.notes([route(6)], [route(6)], KNOWN, KNOWN)) == [
        "main.py:1: the comment stands at no endpoint, and ignores nothing"
    ]


def test_a_file_that_this_python_cannot_read_is_told(tmp_path: Path) -> None:
    read = ignoring(tmp_path, "# wirespeed: ignore[WS101] newer\ndef f(:\n", route(2))

    assert [note.partition(":")[0] for note in read.notes([], [], KNOWN, KNOWN)] == ["main.py"]
    assert read.reason_for(route(2), "WS101") is None


def test_endpoints_of_libraries_have_no_file_of_ours(tmp_path: Path) -> None:
    assert read_ignoring(tmp_path, [route(3, file="somewhere/else.py")]).files == {}


def test_the_encoding_that_a_file_declares_is_its_own() -> None:
    content = "# -*- coding: latin-1 -*-\n# wirespeed: ignore[WS101] für uns\ndef f(): pass\n".encode(
        "latin-1"
    )

    assert [comment.reason for comment in read_comments(content).at(3)] == ["für uns"]
