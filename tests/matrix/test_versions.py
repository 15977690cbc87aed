"""The agent finds the same routes on every FastAPI, and advises what helps on that one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from wirespeed.diagnosis.advise import advise, list_requests
from wirespeed.experiment import confirm
from wirespeed.model.advice import Advice, Arm, Endpoint
from wirespeed.model.plan import AdvicePlan, RequestWishes
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject

from .conftest import MakeEnvironment, interpreter

pytestmark = pytest.mark.matrix

CURRENT = "fastapi>=0.165"
RELEASES = ["0.100.1", "0.115.12", "0.128.8", "0.131.0", "0.137.2", "0.142.4"]
OTHER_PYTHONS = {"3.9": "fastapi==0.115.12", "3.13": CURRENT}

APP = """
import contextlib
from typing import List

from fastapi import APIRouter, Body, Depends, FastAPI, Response, WebSocket
from fastapi.responses import ORJSONResponse, StreamingResponse
from pydantic import BaseModel


class User(BaseModel):
    id: int
    name: str
    tags: List[str] = []


USERS = [User(id=n, name="user %d" % n, tags=["a", "b%d" % n]) for n in range(400)]
ROWS = [{"id": n, "name": "row %d" % n, "even": n % 2 == 0} for n in range(400)]
inner, outer, api = APIRouter(prefix="/inner"), APIRouter(prefix="/outer"), FastAPI()


def user_of(response: Response, token: str = "none"):
    response.set_cookie("token", token)
    response.headers["x-user"] = token


@inner.get("/rows", dependencies=[Depends(user_of)])
async def rows():
    return ROWS


@inner.get("/users/{user_id}")
async def one_user(user_id: int, page: int = 1) -> User:
    return USERS[user_id]


@api.get("/users")
def users():
    return USERS


@api.get("/classed", response_class=ORJSONResponse, response_model=List[User])
async def classed():
    return USERS


@contextlib.asynccontextmanager
async def lifespan(app):
    app.add_api_route("/late", rows, methods=["GET"])
    yield


app = FastAPI(lifespan=lifespan)
outer.include_router(inner)
app.include_router(outer, prefix="/v1")
app.include_router(outer, prefix="/v2")
app.mount("/api", api)


@app.post("/orders", status_code=201)
async def order(items: List[str] = Body(...), dry: bool = False):
    return {"items": items, "rows": ROWS[:200]}


@app.get("/stream", response_class=StreamingResponse)
async def stream():
    return StreamingResponse(iter([b"a"]))


@app.websocket("/ws")
async def ws(socket: WebSocket):
    pass
"""

FOUND = {
    ("GET", "/v1/outer/inner/rows", "api"),
    ("GET", "/v1/outer/inner/users/{user_id}", "api"),
    ("GET", "/v2/outer/inner/rows", "api"),
    ("GET", "/v2/outer/inner/users/{user_id}", "api"),
    ("GET", "/api/users", "api"),
    ("GET", "/api/classed", "api"),
    ("GET", "/late", "api"),
    ("POST", "/orders", "api"),
    ("GET", "/stream", "streaming"),
    ("", "/ws", "websocket"),
}


@dataclass(frozen=True)
class Version:
    requirement: str
    python: Path
    besides: tuple[str, ...] = ()
    """Other packages that are not the newest."""

    @property
    def writes_bytes_itself(self) -> bool:
        """Since 0.130, FastAPI lets Pydantic write the JSON of a typed route with the default class."""
        release = self.requirement.partition("==")[2]
        return not release or tuple(map(int, release.split("."))) >= (0, 130)


@pytest.fixture(scope="module", params=[*RELEASES, "current", *(f"python {v}" for v in OTHER_PYTHONS)])
def version(request: pytest.FixtureRequest) -> Version:
    name: str = request.param
    if name.startswith("python "):
        wanted = name.removeprefix("python ")
        return Version(OTHER_PYTHONS[wanted], interpreter(wanted))
    return Version(CURRENT if name == "current" else f"fastapi=={name}", Path(sys.executable))


MakePlan = Callable[..., AdvicePlan]


@pytest.fixture(scope="module")
def plan(
    version: Version, environment: MakeEnvironment, tmp_path_factory: pytest.TempPathFactory
) -> MakePlan:
    folder = tmp_path_factory.mktemp("app")
    (folder / "main.py").write_text(APP)
    python = environment(version.requirement, version.python)

    def plan(*named: Request, only: bool = False) -> AdvicePlan:
        return AdvicePlan(
            subject=AppSubject(app="main:app", python=python, folder=folder),
            wishes=RequestWishes(named=named, only=only),
            budget_s=45,
            margin=0.02,
            alpha=0.05,
            live_calls=3,
            rounds=5,
            seed=1,
            deadline_s=10,
        )

    return plan


ORDER = Request(method="POST", path="/orders", body=b'["tent"]')


@pytest.fixture(scope="module")
def advice(plan: MakePlan) -> Advice:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(confirm, "ARM_BUDGETS_NS", confirm.ARM_BUDGETS_NS[-1:])
        return advise(plan(ORDER)).advice


AsExpected = Callable[[Endpoint], bool]
Measure = Callable[[str, AsExpected], Endpoint]


@pytest.fixture(scope="module")
def measured(plan: MakePlan, advice: Advice) -> Measure:
    """An endpoint's advice; on a busy machine, what is not as expected is measured once more by itself."""

    def measured(request_name: str, as_expected: AsExpected) -> Endpoint:
        found = endpoint(advice, request_name)
        if as_expected(found):
            return found
        get = Request(method="GET", path=request_name.removeprefix("GET "))
        named = ORDER if request_name == ORDER.name else get
        return endpoint(advise(plan(named, only=True)).advice, request_name)

    return measured


def endpoint(advice: Advice, request: str) -> Endpoint:
    return next(each for each in advice.endpoints if each.request == request)


def recommended(found: Endpoint, code: str) -> Arm | None:
    return next((arm for arm in found.arms if arm.recommended and arm.code == code), None)


def test_the_routes_found_are_the_same(plan: MakePlan) -> None:
    routes = list_requests(plan()).routes

    assert {("".join(route.methods), route.path, route.kind) for route in routes} == FOUND
    users = next(route for route in routes if route.path == "/v1/outer/inner/users/{user_id}")
    assert {(p["name"], p["in"]) for p in users.operation["parameters"]} == {
        ("user_id", "path"),
        ("page", "query"),
    }


@pytest.mark.parametrize(
    "request_name",
    ["GET /v1/outer/inner/rows", "GET /v2/outer/inner/rows", "GET /api/users", "GET /late", "POST /orders"],
)
def test_a_type_helps_an_endpoint_without_one_and_keeps_its_bytes(
    measured: Measure, request_name: str
) -> None:
    found = measured(request_name, lambda each: recommended(each, "WS101") is not None)
    remedy = recommended(found, "WS101")

    assert "WS101" in {finding.code for finding in found.findings}
    assert remedy is not None, (found.note, [(arm.name, arm.verdict, arm.reason) for arm in found.arms])
    assert remedy.fidelity == "identical"


def test_a_response_class_is_dropped_only_where_that_helps(measured: Measure, version: Version) -> None:
    def drop_in(found: Endpoint) -> Arm:
        return next(arm for arm in found.arms if arm.name == "drop response_class")

    helps = version.writes_bytes_itself
    drop = drop_in(measured("GET /api/classed", lambda each: drop_in(each).recommended is helps))

    assert drop.fidelity == "identical"
    assert drop.recommended is helps, drop


def test_a_typed_endpoint_is_left_alone(advice: Advice, version: Version) -> None:
    found = endpoint(advice, "GET /v1/outer/inner/users/1")

    assert found.findings == ()
    assert found.status == 200
    assert found.fast_path is version.writes_bytes_itself
