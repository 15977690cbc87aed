"""An app that is looked at closely answers as it does otherwise, and is left as it was."""

from __future__ import annotations

import contextvars
import functools
import json
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Query, encoders, routing
from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_json
from starlette.responses import Response

from wirespeed_agent.asgi import Request
from wirespeed_agent.examining import examine, examining
from wirespeed_agent.workbench import Workbench

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")
LOCAL = threading.local()

MakeBench = Callable[[Any], Workbench]
Run = Callable[[Callable[[], Awaitable[Any]]], Any]


def set_in_a_thread() -> None:
    WHO.set("set in a thread")


async def set_on_the_loop() -> None:
    WHO.set("set on the loop")


def thread_local_of_one_thread() -> bool:
    LOCAL.value = 1
    return LOCAL.value == 1


class Page:
    def __init__(self, page: int = 1) -> None:
        self.page = page


def replaced() -> str:
    return "original"


def counted(counts: list[int]) -> Callable[[], int]:
    def count() -> int:
        counts.append(1)
        return len(counts)

    return count


def app_with(*dependencies: Any) -> FastAPI:
    app = FastAPI()

    @app.get("/x", dependencies=[Depends(each) for each in dependencies])
    async def x(page: Annotated[Page, Depends()], word: Annotated[str, Depends(replaced)]) -> dict[str, Any]:
        return {"who": WHO.get(), "page": page.page, "word": word}

    return app


def answers(bench: Workbench, run: Run, profile: bool = False) -> tuple[Any, Any]:
    """(unwatched, closely looked at)."""
    request = Request("GET", "/x?page=3", [], b"")

    async def both() -> tuple[Any, Any]:
        plain = await bench.call(request, 10.0)
        with examining():
            closer = await examine(bench, request, 10.0, profile)
        return json.loads(plain.answer.body), json.loads(closer.answer.body)

    found: tuple[Any, Any] = run(both)
    return found


@pytest.mark.parametrize("profile", [False, True])
@pytest.mark.parametrize("dependency", [set_in_a_thread, set_on_the_loop, thread_local_of_one_thread])
def test_context_variables_and_thread_locals_work_as_without_us(
    bench: MakeBench, run: Run, dependency: Any, profile: bool
) -> None:
    plain, closer = answers(bench(app_with(dependency)), run, profile)

    assert closer == plain


def test_dependency_overrides_are_still_found(bench: MakeBench, run: Run) -> None:
    app = app_with()
    app.dependency_overrides[replaced] = lambda: "replaced"

    plain, closer = answers(bench(app), run)

    assert closer == plain == {"who": "nobody", "page": 3, "word": "replaced"}


def test_a_dependency_that_is_used_twice_still_runs_once(bench: MakeBench, run: Run) -> None:
    counts: list[int] = []
    count = counted(counts)

    def uses(value: Annotated[int, Depends(count)]) -> int:
        return value

    answers(bench(app_with(count, uses)), run)

    assert len(counts) == 2, "once for either request"


def test_what_fastapi_builds_for_overrides_is_laid_to_no_line_of_the_app(bench: MakeBench, run: Run) -> None:
    app = FastAPI()
    app.dependency_overrides[replaced] = lambda: "replaced"

    def page(number: Annotated[int, Query(ge=0)] = 1) -> int:
        return number

    @app.get("/x")
    async def x(number: int = Depends(page)) -> int:
        return number

    async def look() -> Any:
        with examining():
            return await examine(bench(app), Request("GET", "/x", [], b""), 10.0)

    built = run(look).ticket.record.examined.encoding.built

    assert [(each.what, each.filename) for each in built] == [("TypeAdapter", None)]


def test_an_exception_of_a_dependency_is_the_same(bench: MakeBench, run: Run) -> None:
    app = FastAPI()

    def refuses() -> None:
        raise routing.HTTPException(403, "no")

    @app.get("/x", dependencies=[Depends(refuses)])
    async def x() -> int:
        return 1

    plain, closer = answers(bench(app), run)

    assert closer == plain == {"detail": "no"}


def wrapped_dumps() -> Callable[..., str]:
    original = json.dumps

    def dumps(value: Any, **options: Any) -> str:
        return original(value, **options)

    return dumps


@pytest.mark.parametrize(
    "dumps",
    [
        functools.partial(json.dumps, ensure_ascii=False),
        functools.partial(functools.partial(json.dumps, indent=1), sort_keys=True),
        wrapped_dumps(),
        functools.wraps(json.dumps)(wrapped_dumps()),
        to_json,
    ],
    ids=["partial", "partial of a partial", "closure", "closure that wraps", "compiled"],
)
def test_an_app_that_has_replaced_json_dumps_is_seen_using_it_and_keeps_it(
    dumps: Any, bench: MakeBench, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json, "dumps", dumps)
    app = FastAPI()

    @app.get("/x")
    async def x() -> Response:
        return Response(json.dumps({"a": "ä"}))

    async def look() -> Any:
        with examining():
            return await examine(bench(app), Request("GET", "/x", [], b""), 10.0)

    seen = run(look)

    assert json.loads(seen.answer.body) == {"a": "ä"}
    assert "json.dumps" in seen.ticket.record.examined.encoding.encoders
    assert json.dumps is dumps


def test_everything_is_as_it_was_afterwards(bench: MakeBench, run: Run) -> None:
    app = app_with(set_in_a_thread)
    (route,) = [each for each in app.routes if getattr(each, "path", "") == "/x"]

    def state() -> list[Any]:
        dependant = route.dependant  # type: ignore[attr-defined]
        return [
            routing.solve_dependencies,
            routing.run_endpoint_function,
            encoders.jsonable_encoder.__code__,
            json.dumps.__code__,
            BaseModel.model_dump,
            vars(TypeAdapter)["__init__"],
            vars(Response)["__init__"],
            [each.call for each in dependant.dependencies],
            dependant.call,
            sys.getprofile(),
        ]

    before = state()
    answers(bench(app), run, profile=True)

    assert state() == before
    assert all(type(each.call).__name__ != "PlainStandIn" for each in route.dependant.dependencies)  # type: ignore[attr-defined]
