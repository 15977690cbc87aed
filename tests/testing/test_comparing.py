import asyncio
import gc
import random
import time
from typing import Any

import anyio
import numpy as np
import pytest
from fastapi import FastAPI, Request, Response
from fastapi.testclient import TestClient

from wirespeed.errors import MeasurementInvalid, UsageError
from wirespeed.testing import Comparison, compare, compare_async
from wirespeed.testing.comparing import verdict_of
from wirespeed.testing.timing import Arm, finished, measure_rounds

SHORT = 0.3
"""Seconds: enough to tell 1 from 5, and no more."""


def light() -> int:
    return sum(range(300))


def heavy() -> int:
    return sum(range(1500))


async def light_async() -> int:
    return light()


async def heavy_async() -> int:
    return heavy()


app = FastAPI()


@app.get("/light")
async def answer_light(n: int = 1) -> list[int]:
    return list(range(n))


@app.get("/heavy")
async def answer_heavy() -> list[int]:
    return sorted(range(60_000), reverse=True)[:1]


@app.get("/broken")
async def broken() -> Response:
    return Response(status_code=500)


def test_the_faster_of_two_functions_is_found_in_either_order() -> None:
    faster = compare(heavy, light, seconds=SHORT)
    slower = compare(light, heavy, seconds=SHORT)

    assert faster.verdict == "faster"
    assert faster.interval[0] < faster.ratio < faster.interval[1] < 1 / 1.05
    assert slower.verdict == "slower"
    assert 1.05 < slower.interval[0] < slower.ratio < slower.interval[1]


def test_what_is_the_same_is_never_called_equivalent() -> None:
    comparison = compare(light, lambda: light(), seconds=SHORT, margin=10.0)

    assert comparison.verdict == "inconclusive"
    assert 6 <= comparison.rounds <= 12


def test_functions_are_called_in_the_thread_that_compares() -> None:
    import threading

    threads = set()

    def noting() -> None:
        threads.add(threading.get_ident())

    compare(noting, noting, seconds=0.01)

    assert threads == {threading.get_ident()}


def test_what_has_to_be_awaited_is() -> None:
    assert compare(heavy_async, light_async, seconds=SHORT).verdict == "faster"
    assert compare(lambda: heavy_async(), light, seconds=SHORT).verdict == "faster"


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_coroutine_awaits_the_async_twin_on_either_event_loop(backend: str) -> None:
    async def check() -> None:
        assert (await compare_async(heavy_async, light_async, seconds=SHORT)).verdict == "faster"
        assert (await compare_async(heavy, light, seconds=SHORT)).verdict == "faster"
        asked = await compare_async("/heavy", "/light", app=app, seconds=SHORT)
        assert asked.verdict == "faster"

    anyio.run(check, backend=backend)


def test_the_faster_of_two_requests_is_found() -> None:
    comparison = compare("/heavy", ("GET", "/light?n=3"), app=app, seconds=SHORT)

    assert comparison.verdict == "faster"
    assert (comparison.baseline, comparison.arm) == ("GET /heavy", "GET /light?n=3")


def test_requests_may_need_the_lifespan_of_their_app() -> None:
    from contextlib import asynccontextmanager

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> Any:
        yield {"ready": True}

    alive = FastAPI(lifespan=lifespan)

    @alive.get("/")
    async def answer(request: Request) -> bool:
        return bool(request.state.ready)

    compare("/", "/?again=1", app=alive, seconds=0.05, lifespan=True)


def test_a_fast_error_supports_no_verdict() -> None:
    with pytest.raises(MeasurementInvalid, match="GET /broken answered 500"):
        compare("/light", "/broken", app=app, seconds=0.05)


def test_what_is_called_may_raise() -> None:
    def fail() -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        compare(light, fail, seconds=0.05)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((light, "/light"), {}),
        ((light, heavy), {"app": app}),
        (("/light", "/heavy"), {"app": TestClient(app)}),
        ((light, heavy), {"margin": 0.01}),
        ((light, heavy), {"seconds": 0.0}),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: Any, options: Any) -> None:
    with pytest.raises(UsageError):
        compare(*arguments, **options)


def test_the_plain_function_refuses_to_hold_up_an_event_loop() -> None:
    async def check() -> None:
        with pytest.raises(UsageError, match="_async"):
            compare(light_async, heavy_async)

    asyncio.run(check())


def test_nothing_stays_behind() -> None:
    before = list(gc.callbacks)

    compare(light, heavy, seconds=0.01)

    assert gc.callbacks == before


# -- how it is measured --------------------------------------------------------------------------------------


def test_arms_run_in_blocks_and_never_call_by_call_in_turn() -> None:
    called: list[int] = []
    arms = [
        Arm(str(number), False, lambda number=number: lambda: slowly(called, number)) for number in (0, 1)
    ]

    rounds = finished(measure_rounds(arms, 0.2, random.Random(1)))

    assert all(len(block) == 2 for times in rounds for block in times)
    # Without the first calls of each arm, which warm up.
    lengths = run_lengths(called)[2:]
    assert min(lengths) >= 7
    assert len(lengths) > len(rounds)


def slowly(called: list[int], number: int) -> None:
    called.append(number)
    time.sleep(0.001)


def run_lengths(called: list[int]) -> list[int]:
    changes = [0, *(at for at in range(1, len(called)) if called[at] != called[at - 1]), len(called)]
    return list(np.diff(changes))


def test_a_call_that_suspends_cannot_be_finished_without_a_loop() -> None:
    async def suspending() -> None:
        await Once()

    with pytest.raises(UsageError):
        finished(suspending())


class Once:
    def __await__(self) -> Any:
        yield


# -- verdicts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((0.5, 0.6), "faster"),
        ((0.5, 0.96), "inconclusive"),
        ((0.99, 1.01), "inconclusive"),
        ((0.9, 1.2), "inconclusive"),
        ((1.04, 1.2), "inconclusive"),
        ((1.06, 1.2), "slower"),
    ],
)
def test_only_an_interval_wholly_beyond_the_margin_is_a_verdict(
    interval: tuple[float, float], verdict: str
) -> None:
    assert verdict_of(interval, 0.05) == verdict


def comparison(verdict: str, ratio: float, interval: tuple[float, float]) -> Comparison:
    from wirespeed.model.verdict import Verdict

    return Comparison("old", "new", Verdict(verdict), ratio, interval, 12, 0.05, (1e6, ratio * 1e6))


def test_it_reads_as_a_sentence_that_says_how_little_one_process_is() -> None:
    faster = comparison("faster", 0.25, (0.24, 0.26))
    unclear = comparison("inconclusive", 1.0, (0.98, 1.03))

    assert repr(faster) == (
        "<faster: new is 4.00× faster [3.85, 4.17] than old · 1.00 → 0.25 ms · margin 5 % · 12 rounds · "
        "one process>"
    )
    assert "<inconclusive: new is between 3.0 % slower and 2.0 % faster than old · " in repr(unclear)
