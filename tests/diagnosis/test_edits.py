"""What an arm shows as its edit: a diff of the user's file, or what to write and why there is no diff."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from wirespeed.diagnosis.edits import WrittenChange, write_changes
from wirespeed.diagnosis.observation import Annotation, Change, Observation, RouteFacts, Screened
from wirespeed.diagnosis.screening import RoundZero, Study
from wirespeed.diagnosis.selection import Candidate
from wirespeed.model.plan import RequestPlan
from wirespeed.model.request import PlannedRequest, Request, Route
from wirespeed.model.subject import Booted

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


def study(source: str | None, *changes: Change) -> Study:
    """With the first change kept and the others left."""
    request = Request(method="GET", path="/rows")
    facts = RouteFacts(
        has_response_type=False,
        explicit_class=True,
        response_class="ORJSONResponse",
        media_type="application/json",
        dormant_options=["response_model_exclude_none"],
    )
    screened = Screened(error=None, replay_ns=1, fidelity="identical")
    candidates = [Candidate(change, screened) for change in changes]
    return Study(
        PlannedRequest(request=request, route_id=0, named=False),
        route(source),
        Observation(failed=None, actions=[], route=facts),
        kept=candidates[:1],
        left=candidates[1:],
    )


def route(source: str | None) -> Route:
    return Route(id=0, methods=["GET"], path="/rows", name="rows", kind="api", source=source)


def written(folder: Path, studies: list[Study], routes: int = 1) -> list[tuple[WrittenChange, ...]]:
    booted = Booted(
        app="main:app",
        python="3.13.0",
        packages={},
        event_loop="asyncio",
        import_s=0,
        lifespan_s=0,
        dont_write_bytecode=False,
    )
    source = studies[0].route.source if studies[0].route else None
    requests = RequestPlan(planned=(), skipped=())
    zero = RoundZero(booted, 0.0, [route(source)] * routes, requests, 0, studies)
    edits = write_changes(zero, folder)
    return [tuple(edits[id(study)].values()) for study in studies]


def test_a_change_is_shown_as_a_diff_that_git_applies(write_app: Callable[..., Path]) -> None:
    folder = write_app(SOURCE)
    [[change]] = written(folder, [study("main.py:8", TYPED)])
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
    [(typed, dropped), (again,)] = written(
        write_app(SOURCE), [study("main.py:8", TYPED, DROPPED), study("main.py:8", TYPED)]
    )
    assert again == typed
    assert dropped.text is not None
    assert "-> list[Row]" not in dropped.text
    assert '+@app.get("/rows", response_model_exclude_none=True)\n' in dropped.text


def test_a_type_without_a_safe_edit_is_shown_as_what_to_write_and_why(write_app: Callable[..., Path]) -> None:
    [[change]] = written(write_app(SOURCE), [study("vendor/api.py:8", TYPED)])
    assert change == WrittenChange(BY_HAND, "to be written by hand: it is in a third-party package")


def test_an_endpoint_without_a_known_place_is_shown_what_to_write(write_app: Callable[..., Path]) -> None:
    [[change]] = written(write_app(SOURCE), [study(None, TYPED)])
    assert change == WrittenChange(BY_HAND, "where its endpoint is defined is not known")


def test_an_option_without_a_safe_edit_has_only_the_reason(write_app: Callable[..., Path]) -> None:
    folder = write_app(SOURCE.replace("response_class=ORJSONResponse, ", ""))
    [[change]] = written(folder, [study("main.py:8", DROPPED)])
    assert change.text is None
    assert change.remark is not None
    assert change.remark.startswith("to be written by hand: its response class is set in another file")


def test_a_factory_that_makes_many_routes_is_not_given_the_type_of_one(
    write_app: Callable[..., Path],
) -> None:
    made = SOURCE.replace("\n@app", "\ndef make(app):\n    @app").replace("\ndef rows", "\n    def rows")
    folder = write_app(made.replace("    return []", "        return []"))
    [[change]] = written(folder, [study("main.py:9", TYPED)], routes=3)
    assert change == WrittenChange(BY_HAND, "to be written by hand: 3 routes are made by the same lines")
