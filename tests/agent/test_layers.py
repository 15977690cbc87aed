"""Where the time of a request went: every layer by name, every phase, and all of them together the whole."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import BackgroundTasks, Depends, FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from pydantic import BaseModel, model_validator
from starlette.middleware.base import BaseHTTPMiddleware

from wirespeed_agent.asgi import Request
from wirespeed_agent.gcmeter import clock_ns
from wirespeed_agent.layers import Boundary
from wirespeed_agent.phases import phases_of
from wirespeed_agent.seams import watching

PLANTED_NS = 20_000_000


def work() -> None:
    """Twenty milliseconds by the clock that also times the layers: at least so much must show."""
    ends = clock_ns() + PLANTED_NS
    while clock_ns() < ends:
        pass


class Works:
    """Spends its time before it calls the app below."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        work()
        await self.app(scope, receive, send)


class WorksOnTheWayBack(Works):
    """Spends its time in the ``send`` that it hands down, as compression does."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def sending(message: Any) -> None:
            if message["type"] == "http.response.body":
                work()
            await send(message)

        await self.app(scope, receive, sending)


class WorksOutside(Works):
    pass


class PassesOn(Works):
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)


class Frozen:
    """Keeps its app where nothing can be put in its place."""

    def __init__(self, app: Any) -> None:
        self.__dict__["app"] = app

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(name)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.__dict__["app"](scope, receive, send)


def small_app() -> FastAPI:
    app = FastAPI()

    @app.get("/x")
    async def x() -> list[int]:
        return [1]

    return app


def layers_of(run: Any, bench: Any, app: Any, path: str = "/x") -> dict[str, int]:
    """Nanoseconds of each layer in one call, after one that builds what is built by the first."""

    async def ask() -> tuple[int, dict[str, int]]:
        at_work = bench(app)
        await at_work.get(path)
        with at_work.layer_meter().installed() as meter:
            call = await at_work.get(path, app=meter.app)
            return call.elapsed_ns, meter.own_ns()

    elapsed_ns, spent = run(ask)
    assert sum(spent.values()) <= elapsed_ns, "some time was counted twice"
    return dict(spent)


def who_worked(spent: dict[str, int]) -> set[str]:
    return {name for name, own_ns in spent.items() if own_ns >= PLANTED_NS}


@pytest.mark.parametrize("layer", [Works, WorksOnTheWayBack])
def test_a_layers_time_is_its_own_on_the_way_down_and_on_the_way_back(
    run: Any, bench: Any, layer: Any
) -> None:
    app = small_app()
    app.add_middleware(PassesOn)
    app.add_middleware(layer)
    app.add_middleware(GZipMiddleware)

    spent = layers_of(run, bench, app)

    assert layer.__name__ in who_worked(spent)
    assert {"PassesOn", "GZipMiddleware", "framework"} <= spent.keys()


def test_layers_of_one_class_add_up(run: Any, bench: Any) -> None:
    app = small_app()
    app.add_middleware(Works)
    app.add_middleware(Works)

    assert layers_of(run, bench, app)["Works"] >= 2 * PLANTED_NS


def test_layers_of_an_app_mounted_below_do_not_hide_in_its_routing(run: Any, bench: Any) -> None:
    app, below = FastAPI(), small_app()
    below.add_middleware(Works)
    app.mount("/below", below)

    assert "Works" in who_worked(layers_of(run, bench, app, "/below/x"))


def test_an_app_mounted_twice_is_timed_once(run: Any, bench: Any) -> None:
    app, below = FastAPI(), small_app()
    below.add_middleware(Works)
    app.mount("/a", below)
    app.mount("/b", below)

    assert "Works" in who_worked(layers_of(run, bench, app, "/b/x"))


def test_layers_around_the_app_are_timed_too(run: Any, bench: Any) -> None:
    spent = layers_of(run, bench, WorksOutside(PassesOn(small_app())))

    assert "WorksOutside" in who_worked(spent)
    assert "PassesOn" in spent


def test_a_layer_below_which_nothing_can_be_put_is_left_alone(run: Any, bench: Any) -> None:
    app = WorksOutside(Frozen(small_app()))

    assert "WorksOutside" in who_worked(layers_of(run, bench, app))


def test_the_probes_are_gone_afterwards(run: Any, bench: Any) -> None:
    inner = small_app()
    inner.add_middleware(PassesOn)
    outer = WorksOutside(inner)

    async def ask() -> None:
        at_work = bench(outer)
        await at_work.get("/x")
        stack = inner.middleware_stack
        with at_work.layer_meter().installed() as meter:
            assert isinstance(inner.middleware_stack, Boundary)
            assert isinstance(outer.app, Boundary)
        assert meter.app is outer
        assert (outer.app, inner.middleware_stack) == (inner, stack)

    run(ask)


def test_a_layer_can_still_ask_the_app_below_it_for_its_attributes(run: Any, bench: Any) -> None:
    outer = PassesOn(FastAPI(title="below"))

    async def ask() -> Any:
        with bench(outer).layer_meter().installed():
            return outer.app.title

    assert run(ask) == "below"


# -- phases --------------------------------------------------------------------------------------------------


class Slow(BaseModel):
    name: str

    @model_validator(mode="after")
    def think(self) -> Any:
        work()
        return self


def make_app() -> FastAPI:
    app = FastAPI()

    def check() -> None:
        work()

    @app.get("/all", dependencies=[Depends(check)])
    def all_phases(tasks: BackgroundTasks) -> list[Slow]:
        work()
        return [Slow.model_construct(name="a")]

    @app.get("/background")
    async def background(tasks: BackgroundTasks) -> Any:
        tasks.add_task(work)
        return [1]

    @app.post("/body")
    async def body(item: dict[str, Any]) -> Any:
        return item

    @app.get("/serialized")
    async def serialized():  # type: ignore[no-untyped-def]
        return {"slow": Lazy()}

    return app


class Lazy:
    """Takes its time to say what it holds."""

    @property
    def __dict__(self) -> Any:
        work()
        return {"a": 1}


def measured(run: Any, bench: Any, app: Any, method: str, path: str, body: bytes = b"") -> Any:
    """One call, its layers and its phases."""

    async def ask() -> Any:
        at_work, request = bench(app), Request(method, path, [], body)
        await at_work.call(request, 10.0)
        with watching(), at_work.layer_meter().installed() as meter:
            call = await at_work.call(request, 10.0, app=meter.app)
            layers = meter.own_ns()
        return call, phases_of([call], [layers])

    return run(ask)


def total(phases: dict[str, Any]) -> int:
    return sum(value for name, value in phases.items() if name != "layers") + sum(phases["layers"].values())


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("GET", "/all", b""), ("POST", "/body", b'{"a": 1}'), ("GET", "/serialized", b"")],
)
def test_phases_and_layers_together_are_the_whole_request(
    run: Any, bench: Any, method: str, path: str, body: bytes
) -> None:
    app = make_app()
    app.add_middleware(WorksOnTheWayBack)
    app.add_middleware(BaseHTTPMiddleware, dispatch=_pass_on)

    call, phases = measured(run, bench, WorksOutside(app), method, path, body)

    assert total(phases) == pytest.approx(call.elapsed_ns, rel=0.1)


async def _pass_on(request: Any, call_next: Any) -> Any:
    return await call_next(request)


def test_each_phase_has_the_time_that_was_spent_in_it(run: Any, bench: Any) -> None:
    _, phases = measured(run, bench, make_app(), "GET", "/all")

    assert {name for name in phases if name != "layers" and phases[name] >= PLANTED_NS} == {
        "dependencies",
        "endpoint",
        "validation",
    }


def test_turning_a_value_into_json_is_serialization(run: Any, bench: Any) -> None:
    _, phases = measured(run, bench, make_app(), "GET", "/serialized")

    assert phases["serialization"] >= PLANTED_NS
    assert phases["validation"] == 0


def test_background_tasks_keep_no_client_waiting_and_are_no_phase(run: Any, bench: Any) -> None:
    call, phases = measured(run, bench, make_app(), "GET", "/background")

    assert call.elapsed_ns >= PLANTED_NS
    assert total(phases) <= call.elapsed_ns - PLANTED_NS


def test_several_calls_are_summed_up_by_their_medians(run: Any, bench: Any) -> None:
    async def ask() -> Any:
        at_work = bench(make_app())
        with watching():
            calls = [await at_work.get("/serialized") for _ in range(3)]
        return calls, phases_of(calls, [{"A": 10}, {}, {"A": 30, "B": 5}])

    _, phases = run(ask)

    assert phases["layers"] == {"A": 10, "B": 0}
    assert phases["serialization"] >= PLANTED_NS
