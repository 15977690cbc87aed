"""What an arm shows as its edit: a diff of the user's file, or what to write and why there is no diff."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from wirespeed.diagnosis.edits import Proposal, Writer, parts_of
from wirespeed.diagnosis.observation import Annotation, Change, CodeEdit, Observation, RouteFacts
from wirespeed.model.request import Route
from wirespeed.source.values import NoEdit, Written

SOURCE = """\
from fastapi import FastAPI
from fastapi.responses import ORJSONResponse

app = FastAPI()


@app.get("/rows", response_class=ORJSONResponse, response_model_exclude_none=True)
def rows():
    return []
"""
ROWS = Annotation(
    expression="list[Row]",
    imports=["from typing_extensions import TypedDict"],
    definitions=["class Row(TypedDict):\n    id: int"],
    kind="exact",
    by_type=False,
)
TYPED = Change(
    name="-> list[Row]",
    code="WS101",
    kind="annotation",
    annotation=ROWS,
    response_class="drop",
    options="reset",
)
DROPPED = Change(name="drop response_class", code="WS102", kind="option", response_class="drop")
BY_HAND = "from typing_extensions import TypedDict\nclass Row(TypedDict):\n    id: int\n-> list[Row]"


FACTS = RouteFacts(
    has_response_type=False,
    explicit_class=True,
    response_class="ORJSONResponse",
    media_type="application/json",
    dormant_options=["response_model_exclude_none"],
)
SEEN = Observation(failed=None, actions=[], route=FACTS)


def route(source: str | None) -> Route:
    return Route(id=0, methods=["GET"], path="/rows", name="rows", kind="api", source=source)


def proposed(folder: Path, source: str | None, *changes: Change, routes: int = 1) -> list[Proposal]:
    """The changes of one endpoint; ``routes`` of the app have theirs at the same place."""
    writer = Writer(folder, [route(source)] * routes)
    return [writer.propose(change, route(source), SEEN) for change in changes]


def test_a_change_is_shown_as_a_diff_that_git_applies(write_app: Callable[..., Path]) -> None:
    folder = write_app(SOURCE)
    [change] = proposed(folder, "main.py:8", TYPED)
    assert change.remark is None
    assert change.text is not None
    subprocess.run(["git", "apply", "-"], cwd=folder, input=change.text, text=True, check=True)
    assert (
        (folder / "main.py").read_text()
        == """\
from fastapi import FastAPI
from typing_extensions import TypedDict

app = FastAPI()


class Row(TypedDict):
    id: int


@app.get("/rows")
def rows() -> list[Row]:
    return []
"""
    )


def test_each_change_has_its_own_diff_of_the_unchanged_file(write_app: Callable[..., Path]) -> None:
    typed, dropped, again = proposed(write_app(SOURCE), "main.py:8", TYPED, DROPPED, TYPED)
    assert again == typed
    assert dropped.text is not None
    assert "-> list[Row]" not in dropped.text
    assert '+@app.get("/rows", response_model_exclude_none=True)\n' in dropped.text


def test_a_type_without_a_safe_edit_is_shown_as_what_to_write_and_why(write_app: Callable[..., Path]) -> None:
    [change] = proposed(write_app(SOURCE), "vendor/api.py:8", TYPED)
    assert (change.text, change.remark) == (BY_HAND, "to be written by hand: it is in a third-party package")


def test_an_endpoint_without_a_known_place_is_shown_what_to_write(write_app: Callable[..., Path]) -> None:
    [change] = proposed(write_app(SOURCE), None, TYPED)
    assert (change.text, change.remark) == (BY_HAND, "where its endpoint is defined is not known")


def test_an_option_without_a_safe_edit_has_only_the_reason(write_app: Callable[..., Path]) -> None:
    folder = write_app(SOURCE.replace("response_class=ORJSONResponse, ", ""))
    [change] = proposed(folder, "main.py:8", DROPPED)
    assert change.text is None
    assert change.remark is not None
    assert change.remark.startswith("to be written by hand: its response class is set in another file")


def test_a_factory_that_makes_many_routes_is_not_given_the_type_of_one(
    write_app: Callable[..., Path],
) -> None:
    made = SOURCE.replace("\n@app", "\ndef make(app):\n    @app").replace("\ndef rows", "\n    def rows")
    folder = write_app(made.replace("    return []", "        return []"))
    [change] = proposed(folder, "main.py:9", TYPED, routes=3)
    assert (change.text, change.remark) == (
        BY_HAND,
        "to be written by hand: 3 routes are made by the same lines",
    )


ASYNC = Change(
    name="async def",
    code="WS203",
    kind="code",
    edits=(CodeEdit(what="async def", source="main.py:8", name="rows"),),
    in_parallel=True,
)


def test_a_change_of_the_code_goes_to_the_agent_as_the_whole_edited_file(
    write_app: Callable[..., Path],
) -> None:
    folder = write_app(SOURCE)
    typed, threads = proposed(folder, "main.py:8", TYPED, ASYNC)

    (edited,) = threads.for_agent()["edited"]
    assert edited["file"] == str(folder / "main.py")
    assert edited["text"] == SOURCE.replace("def rows", "async def rows")
    assert (threads.is_live, threads.can_be_measured) == (True, True)
    assert typed.for_agent()["edited"] == []
    assert not typed.is_live


def test_a_change_of_the_code_that_cannot_be_written_cannot_be_measured_either(
    write_app: Callable[..., Path],
) -> None:
    [change] = proposed(write_app("def rows(:\n"), "main.py:1", ASYNC)

    assert not change.can_be_measured
    assert change.remark is not None
    assert change.remark.startswith("to be written by hand: ")


def test_an_upper_bound_is_measured_without_an_edit(write_app: Callable[..., Path]) -> None:
    bound = Change(name="without Timing", code="WS301", kind="app", bypass=2)
    [change] = proposed(write_app(SOURCE), "main.py:8", bound)

    assert (change.is_live, change.can_be_measured, change.text) == (True, True, None)
    assert change.for_agent()["bypass"] == 2


def test_several_changes_are_written_as_one_and_equal_ones_once(write_app: Callable[..., Path]) -> None:
    folder = write_app(SOURCE)
    changes = proposed(folder, "main.py:8", TYPED, ASYNC, TYPED)

    written = Writer(folder, []).write(parts_of(changes))

    assert isinstance(written, Written)
    (file,) = written.files
    assert "async def rows() -> list[Row]:" in file.after
    assert file.after.count("class Row") == 1


def test_changes_that_clash_are_no_one_edit(write_app: Callable[..., Path]) -> None:
    folder = write_app(SOURCE)
    other = TYPED.model_copy(update={"annotation": Annotation(expression="int", kind="exact", by_type=True)})

    assert isinstance(Writer(folder, []).write(parts_of(proposed(folder, "main.py:8", TYPED, other))), NoEdit)
