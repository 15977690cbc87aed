"""Arms that are called through the whole app: what they pass by, how often, how long, how many at once."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI, Request, Response
from starlette.middleware.base import BaseHTTPMiddleware

from wirespeed_agent.asgi import Request as Wanted
from wirespeed_agent.layers import placed_layers
from wirespeed_agent.live_arms import Blocks, Booth, LiveArm
from wirespeed_agent.parallel import run_parallel
from wirespeed_agent.source_changes import NotInProcess
from wirespeed_agent.variants import UNCHANGED
from wirespeed_agent.watchdog import GaveUp, Watchdog

ONE_BLOCK = {"orders": [[0, 1]], "length": 4, "dropped": 2}


def make_app() -> Any:
    app = FastAPI()
    app.state.calls = 0
    app.state.at_once = app.state.most_at_once = 0

    @app.middleware("http")
    async def inner(request: Request, call_next: Any) -> Response:
        return await marked(request, call_next, "inner")

    @app.middleware("http")
    async def outer(request: Request, call_next: Any) -> Response:
        return await marked(request, call_next, "outer")

    @app.get("/x")
    async def x() -> Any:
        app.state.calls += 1
        app.state.at_once += 1
        app.state.most_at_once = max(app.state.most_at_once, app.state.at_once)
        await asyncio.sleep(0.001)
        app.state.at_once -= 1
        return app.state.calls

    @app.get("/fails-later")
    async def fails_later() -> Any:
        app.state.calls += 1
        if app.state.calls > 4:
            raise LookupError("too late")
        return 1

    @app.get("/hangs-later")
    async def hangs_later() -> Any:
        app.state.calls += 1
        if app.state.calls > 4:
            await asyncio.sleep(3600)
        return 1

    return app


async def marked(request: Request, call_next: Any, name: str) -> Response:
    response: Response = await call_next(request)
    response.headers[f"x-{name}"] = "passed"
    return response


def passing(layer: int) -> dict[str, Any]:
    return {**UNCHANGED, "bypass": layer}


class Stand:
    """A booth on an app, once a first call has built the app's layers."""

    def __init__(self, bench: Any, app: Any, path: str, **options: Any) -> None:
        self.bench, self.app, self.path = bench(app), app, path
        self.options = options
        self.found: Any = None

    async def booth(self, deadline_s: float = 5.0) -> Booth:
        self.found = (await self.bench.study_of(self.path, calls=1)).found
        self.bench.session.app.state.calls = 0
        return Booth(self.bench, Wanted("GET", self.path, [], b""), self.found, deadline_s, **self.options)


Make = Callable[..., Stand]


@pytest.fixture
def stand(bench: Any) -> Make:
    return lambda app, path="/x", **options: Stand(bench, app, path, **options)


def headers_of(call: Any) -> set[str]:
    return {name.decode() for name, _ in call.answer.headers if name.startswith(b"x-")}


# -- passing a layer by --------------------------------------------------------------------------------------


def test_a_layer_that_is_passed_by_does_nothing_and_the_others_do(run: Any, stand: Make) -> None:
    async def ask() -> list[set[str]]:
        at_work = stand(make_app())
        changes = [passing(0), passing(1)]
        with (await at_work.booth()).opened(changes) as booth:
            arms = [booth.arm(change) for change in (UNCHANGED, *changes)]
            return [headers_of(await arm.call()) for arm in arms]

    assert run(ask) == [{"x-inner", "x-outer"}, {"x-inner"}, {"x-outer"}]


def test_an_outermost_layer_can_be_passed_by_too(run: Any, stand: Make) -> None:
    async def outermost(request: Request, call_next: Any) -> Response:
        return await marked(request, call_next, "outermost")

    async def ask() -> list[set[str]]:
        app = make_app()
        wrapped = BaseHTTPMiddleware(app, dispatch=outermost)
        wrapped.state = app.state  # type: ignore[attr-defined]
        at_work = stand(wrapped)
        with (await at_work.booth()).opened([passing(0)]) as booth:
            return [headers_of(await booth.arm(change).call()) for change in (UNCHANGED, passing(0))]

    assert run(ask) == [{"x-inner", "x-outer", "x-outermost"}, {"x-inner", "x-outer"}]


def test_every_layer_is_back_in_its_place_afterwards(run: Any, stand: Make) -> None:
    async def ask() -> tuple[list[Any], list[Any], set[str]]:
        at_work = stand(make_app())
        booth = await at_work.booth()
        before = [each.layer for each in placed_layers(at_work.app, [at_work.app])]
        with booth.opened([passing(0), passing(1)]):
            pass
        after = [each.layer for each in placed_layers(at_work.app, [at_work.app])]
        return before, after, headers_of(await at_work.bench.get("/x"))

    before, after, headers = run(ask)

    assert len(before) == 2
    assert [id(each) for each in before] == [id(each) for each in after]
    assert headers == {"x-inner", "x-outer"}


def test_a_layer_that_is_not_there_is_refused(run: Any, stand: Make) -> None:
    async def ask() -> None:
        with (await stand(make_app()).booth()).opened([passing(9)]) as booth:
            booth.arm(passing(9))

    with pytest.raises(NotInProcess, match="no such layer"):
        run(ask)


def test_a_call_that_was_answered_above_the_change_is_told(run: Any, stand: Make) -> None:
    app = make_app()

    @app.middleware("http")
    async def cached(request: Request, call_next: Any) -> Response:
        return Response("1") if app.state.is_cached else await call_next(request)

    async def ask() -> list[bool]:
        app.state.is_cached = False
        with (await stand(app).booth()).opened([]) as booth:
            arm = booth.arm()
            first = arm.reached((await arm.call()).ticket)
            app.state.is_cached = True
            return [first, arm.reached((await arm.call()).ticket)]

    assert run(ask) == [True, False]


# -- how often, how long -------------------------------------------------------------------------------------


async def two_arms(booth: Booth, status: int = 200) -> list[LiveArm]:
    arms = [booth.arm(), booth.arm()]
    for arm in arms:
        arm.status = status
    return arms


def test_blocks_alone_are_those_of_the_schedule(run: Any, stand: Make) -> None:
    async def ask() -> Any:
        with (await stand(make_app()).booth()).opened([]) as booth:
            blocks = Blocks(await two_arms(booth), booth.watchdog, [None, None])
            return await blocks.alone({**ONE_BLOCK, "orders": [[0, 1], [1, 0]]})

    report = run(ask)

    assert [len(runs) for runs in report["runs"]] == [2, 2]
    assert [run[3] for run in report["runs"][0]] == [4, 4]
    assert (report["errors"], report["gave_up"]) == ([0, 0], [None, None])


def test_no_arm_is_called_more_often_than_allowed(run: Any, stand: Make) -> None:
    async def ask() -> tuple[int, Any]:
        at_work = stand(make_app(), most_calls=10)
        with (await at_work.booth()).opened([]) as booth:
            blocks = Blocks(await two_arms(booth), booth.watchdog, [None, None])
            report = await blocks.alone({**ONE_BLOCK, "orders": [[0, 1]] * 50})
            await blocks.parallel(ONE_BLOCK, 4)
            return at_work.app.state.calls, report

    calls, report = run(ask)

    assert calls <= 20
    assert all("10 times" in reason for reason in report["gave_up"])


def test_answers_that_fail_are_errors_and_not_fast_answers(run: Any, stand: Make) -> None:
    async def ask() -> Any:
        with (await stand(make_app(), "/fails-later").booth()).opened([]) as booth:
            return await Blocks([(await two_arms(booth))[0]], booth.watchdog, [None]).alone(
                {"orders": [[0]], "length": 5, "dropped": 3}
            )

    report = run(ask)

    assert report["gave_up"] == [None]
    assert report["errors"][0] >= 5


def test_an_arm_that_hangs_is_given_up_and_the_others_go_on(run: Any, stand: Make) -> None:
    async def ask() -> Any:
        at_work = stand(make_app(), "/hangs-later")
        with (await at_work.booth(deadline_s=0.2)).opened([]) as booth:
            hanging, _ = await two_arms(booth)
            with (await stand(make_app()).booth()).opened([]) as other:
                fine, _ = await two_arms(other)
                return await Blocks([hanging, fine], booth.watchdog, [None, None]).alone(ONE_BLOCK)

    report = run(ask)

    assert report["gave_up"] == ["no answer within 0.2 s", None]
    assert (report["runs"][0], len(report["runs"][1])) == ([], 1)


def test_a_watchdog_leaves_work_alone_that_shows_life(run: Any) -> None:
    watchdog = Watchdog(0.2)

    async def lively() -> str:
        for _ in range(6):
            await asyncio.sleep(0.05)
            watchdog.note_life()
        return "done"

    assert run(lambda: watchdog.guard(lively())) == "done"
    with pytest.raises(GaveUp):
        run(lambda: watchdog.guard(asyncio.sleep(3600)))


# -- many at once --------------------------------------------------------------------------------------------


def test_so_many_are_in_flight_and_no_more(run: Any, stand: Make) -> None:
    async def ask() -> tuple[int, int, int]:
        at_work = stand(make_app())
        with (await at_work.booth()).opened([]) as booth:
            arm = booth.arm()
            arm.status = 200
            done = await run_parallel(arm, length=30, dropped=10, parallel=5)
            return at_work.app.state.most_at_once, at_work.app.state.calls, done.calls + arm.errors

    assert run(ask) == (5, 40, 30)


def test_what_blocks_the_loop_costs_every_request_its_time_and_what_waits_does_not(
    run: Any, stand: Make
) -> None:
    app = make_app()

    @app.get("/blocks")
    async def blocks() -> Any:
        time.sleep(0.005)  # noqa: ASYNC251

    @app.get("/waits")
    async def waits() -> Any:
        await asyncio.sleep(0.005)

    async def per_request(path: str) -> float:
        with (await stand(app, path).booth()).opened([]) as booth:
            arm = booth.arm()
            arm.status = 200
            return (await run_parallel(arm, length=20, dropped=0, parallel=20)).median_ns

    blocking, waiting = run(lambda: per_request("/blocks")), run(lambda: per_request("/waits"))

    assert blocking >= 5_000_000
    assert waiting < blocking


def test_every_request_in_flight_has_a_context_of_its_own(run: Any, stand: Make) -> None:
    app, seen = make_app(), []
    who: contextvars.ContextVar[int] = contextvars.ContextVar("who", default=0)

    @app.get("/who")
    async def endpoint() -> Any:
        seen.append(who.get())
        who.set(1)

    async def ask() -> None:
        with (await stand(app, "/who").booth()).opened([]) as booth:
            seen.clear()
            await run_parallel(booth.arm(), length=6, dropped=0, parallel=2)

    run(ask)

    assert seen == [0] * 6
