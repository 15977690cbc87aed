"""A secret header chooses which variant of a route answers, in every worker; all else is as it was."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from wirespeed.errors import SubjectError
from wirespeed.model.subject import AppSubject, RouteVariant, ServerSettings
from wirespeed.subject.server import ServedApp, served

WriteApp = Callable[..., Path]

UNCHANGED: dict[str, Any] = {"annotation": None, "response_class": "keep", "options": "keep"}


def annotated(expression: str, **fields: Any) -> dict[str, Any]:
    imports = ["from typing import Any"]
    annotation = {
        "expression": expression,
        "imports": imports,
        "definitions": [],
        "kind": "any",
        "by_type": False,
    }
    return {**UNCHANGED, "annotation": annotation, **fields}


FASTAPI = """
import os
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

class Vendor(JSONResponse):
    media_type = "application/vnd.shop+json"

@asynccontextmanager
async def lifespan(app):
    app.get("/late")(when)
    yield

app = FastAPI(lifespan=lifespan)

@app.get("/when")
def when(request: Request):
    seen = sorted(name for name in request.headers if name.startswith("x-"))
    return {"at": datetime(2025, 1, 1, tzinfo=timezone.utc), "seen": seen, "pid": os.getpid()}

@app.get("/vendor", response_class=Vendor)
async def vendor():
    return {"at": datetime(2025, 1, 1, tzinfo=timezone.utc)}

@app.middleware("http")
async def shortcut(request, call_next):
    if "short" in request.query_params:
        return JSONResponse({"short": True})
    return await call_next(request)
"""


def serve(
    folder: Path, variants: Sequence[RouteVariant], *, workers: int = 1
) -> AbstractContextManager[ServedApp]:
    subject = AppSubject(app="main:app", folder=folder, python=Path(sys.executable))
    return served(subject, ServerSettings(workers=workers), variants=variants)


def variant(path: str, change: dict[str, Any], route_id: int = 0) -> RouteVariant:
    return RouteVariant(route_id=route_id, path=path, methods=("GET",), change=change)


def ask(app: ServedApp, path: str, *headers: tuple[str, str]) -> Any:
    with urlopen(Request(app.base_url + path, headers=dict(headers)), timeout=30) as answer:
        return json.load(answer), answer.headers["content-type"]


def test_every_worker_answers_with_the_variant_that_is_asked_for(write_app: WriteApp) -> None:
    variants = [variant("/when", UNCHANGED), variant("/when", annotated("Any"))]
    with serve(write_app(FASTAPI), variants, workers=2) as app:

        def answered(index: int) -> tuple[int, str, int]:
            answer, _ = ask(app, "/when", app.variant_header(index))
            return index, answer["at"], answer["pid"]

        # Several at once, as an idle worker may take all that come one by one.
        with ThreadPoolExecutor(8) as clients:
            seen = set(clients.map(answered, (0, 1) * 60))

        assert {(index, at) for index, at, _ in seen} == {
            (0, "2025-01-01T00:00:00+00:00"),
            (1, "2025-01-01T00:00:00Z"),
        }
        assert len(seen) == 4
        assert [app.variant_misses(index) for index in (0, 1)] == [0, 0]


def test_the_app_never_sees_the_header_and_others_cannot_guess_it(write_app: WriteApp) -> None:
    with serve(write_app(FASTAPI), [variant("/when", annotated("Any"))]) as app:
        name, value = app.variant_header(0)
        chosen, _ = ask(app, "/when", (name, value), ("X-Own", "1"))
        guessed, _ = ask(app, "/when", (name, value[:-1] + "1"))
        plain, _ = ask(app, "/when")

    assert chosen["seen"] == ["x-own"]
    assert guessed["seen"] == [name]
    assert guessed["at"] == plain["at"] == "2025-01-01T00:00:00+00:00"


def test_all_headers_are_of_one_length_and_of_one_run(write_app: WriteApp) -> None:
    variants = [variant("/when", UNCHANGED)] * 12
    with serve(write_app(FASTAPI), variants) as one, serve(write_app(FASTAPI), variants) as other:
        headers = [one.variant_header(index) for index in range(12)]

        assert len({(name, len(value)) for name, value in headers}) == 1
        assert len({value for _, value in headers}) == 12
        assert one.variant_header(0)[0] != other.variant_header(0)[0]


def test_a_variant_may_keep_the_content_type_or_be_of_a_route_made_at_start_up(write_app: WriteApp) -> None:
    variants = [
        variant("/vendor", annotated("Any", response_class="bytes"), route_id=1),
        variant("/late", annotated("Any"), route_id=2),
    ]
    with serve(write_app(FASTAPI), variants) as app:
        kept = ask(app, "/vendor", app.variant_header(0))
        late, _ = ask(app, "/late", app.variant_header(1))

    assert kept == ({"at": "2025-01-01T00:00:00Z"}, "application/vnd.shop+json")
    assert late["at"] == "2025-01-01T00:00:00Z"


def test_an_answer_that_is_not_the_variants_own_is_counted(write_app: WriteApp) -> None:
    with serve(write_app(FASTAPI), [variant("/when", annotated("Any"))]) as app:
        ask(app, "/when?short=1", app.variant_header(0))
        ask(app, "/vendor", app.variant_header(0))
        ask(app, "/when", app.variant_header(0))

        assert app.variant_misses(0) == 2


def test_a_variant_that_cannot_be_built_stops_the_start(write_app: WriteApp) -> None:
    folder, impossible = write_app(FASTAPI), [variant("/when", annotated("Nothing"))]
    complaint = r"variant of /when cannot be built: NameError.*'Nothing'"

    with pytest.raises(SubjectError, match=complaint), serve(folder, impossible):
        ...
