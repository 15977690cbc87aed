"""Runs of consecutive calls: what is counted, what is dropped, and what a heavy neighbour does not change."""

from __future__ import annotations

import asyncio
import gc
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from fastapi import FastAPI

from wirespeed.experiment.design import schedule_round
from wirespeed_agent import direct
from wirespeed_agent.asgi import Request
from wirespeed_agent.direct import Contestant, run_blocks
from wirespeed_agent.direct import run as run_of_calls
from wirespeed_agent.gcmeter import clock_ns, collected_ns, start_metering

Answer = Callable[[], Awaitable[None]]


def contestant(answer: Callable[[], Any] = lambda: None, *, status: int = 200) -> Contestant:
    """An arm whose app does what ``answer`` says and then answers 200."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        answer()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    return Contestant(app, dict, b"", status)


def spin(nanoseconds: int) -> Callable[[], None]:
    def spin() -> None:
        ends = clock_ns() + nanoseconds
        while clock_ns() < ends:
            pass

    return spin


# -- runs and blocks -----------------------------------------------------------------------------------------


def test_the_first_calls_of_a_run_are_made_and_not_counted() -> None:
    slow_at_first = iter([20_000_000, 20_000_000, 0, 0, 0])
    calls: list[int] = []

    def answer() -> None:
        calls.append(1)
        spin(next(slow_at_first))()

    done = asyncio.run(run_of_calls(contestant(answer), length=3, dropped=2))

    assert (len(calls), done.calls) == (5, 3)
    assert done.median_ns < 20_000_000


def test_blocks_run_the_arms_in_the_order_that_was_drawn() -> None:
    order: list[str] = []
    arms = [contestant(lambda name=name: order.append(name)) for name in "ab"]  # type: ignore[misc]

    report = asyncio.run(run_blocks(arms, {"orders": [[1, 0], [0, 1]], "length": 2, "dropped": 1}))

    measured = "".join(order)[-12:]
    assert measured == "bbb" + "aaa" + "aaa" + "bbb"
    assert [[run[3] for run in runs] for runs in report["runs"]] == [[2, 2], [2, 2]]


def test_an_arm_is_warmed_up_before_the_first_block_and_a_slow_one_only_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(direct, "SLOW_NS", 1_000_000)
    calls: dict[str, int] = {"fast": 0, "slow": 0}

    def count(name: str, work: Callable[[], None]) -> Callable[[], None]:
        def answer() -> None:
            calls[name] += 1
            work()

        return answer

    arms = [contestant(count("fast", spin(0))), contestant(count("slow", spin(2_000_000)))]
    asyncio.run(run_blocks(arms, {"orders": [], "length": 1, "dropped": 0}))

    assert calls["slow"] == 1
    assert calls["fast"] in (1, direct.WARM_UP_CALLS)


def test_answers_with_another_status_are_errors() -> None:
    report = asyncio.run(
        run_blocks([contestant(), contestant(status=201)], {"orders": [[0, 1]], "length": 3, "dropped": 1})
    )

    assert report["errors"][0] == 0
    assert report["errors"][1] >= 4


def test_an_arm_that_raises_is_counted_and_does_not_stop_the_others() -> None:
    def fail() -> None:
        raise LookupError("its value does not fit")

    report = asyncio.run(
        run_blocks([contestant(), contestant(fail)], {"orders": [[1, 0]], "length": 3, "dropped": 1})
    )

    assert report["errors"][0] == 0
    assert report["errors"][1] >= 4
    assert len(report["runs"][0]) == len(report["runs"][1]) == 1


def test_after_a_slow_arm_calls_are_dropped_for_a_while_and_not_only_by_number() -> None:
    calls = {"fast": 0, "slow": 0}

    def count(name: str, nanoseconds: int) -> Callable[[], None]:
        def answer() -> None:
            calls[name] += 1
            spin(nanoseconds)()

        return answer

    arms = [contestant(count("fast", 100_000)), contestant(count("slow", 2 * direct.SLOW_NS))]
    report = asyncio.run(run_blocks(arms, {"orders": [[1, 0]], "length": 5, "dropped": 2}))

    assert [runs[0][3] for runs in report["runs"]] == [5, 5]
    assert calls["slow"] == 1 + 2 + 5
    assert calls["fast"] > direct.WARM_UP_CALLS + 2 + 5


def test_cancelling_a_run_is_not_taken_for_an_error() -> None:
    async def cancelled() -> None:
        def leave() -> None:
            raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            await run_of_calls(contestant(leave), 1, 0)

    asyncio.run(cancelled())


def test_what_a_call_leaves_on_the_loop_is_done_in_nobodys_time() -> None:
    async def measure() -> float:
        loop = asyncio.get_running_loop()
        leaving = contestant(lambda: loop.call_soon(spin(20_000_000)))
        return (await run_of_calls(leaving, 3, 0)).median_ns

    assert asyncio.run(measure()) < 20_000_000


# -- garbage collection --------------------------------------------------------------------------------------


def heap() -> list[Any]:
    """Enough objects for a full collection to take its time."""
    return [[number] for number in range(300_000)]


def test_garbage_collection_is_taken_out_of_the_time_and_reported_apart() -> None:
    start_metering()
    kept = heap()
    started = time.perf_counter_ns()

    done = asyncio.run(run_of_calls(contestant(gc.collect), length=5, dropped=1))

    whole = time.perf_counter_ns() - started
    assert kept
    assert done.gc_ns > 5 * 1_000_000
    assert done.mean_ns * done.calls < done.gc_ns < whole


def test_the_clock_stands_still_while_garbage_is_collected() -> None:
    start_metering()
    kept = heap()
    collected, clock, real = collected_ns(), clock_ns(), time.perf_counter_ns()

    gc.collect()

    passed, ticked, cleared = time.perf_counter_ns() - real, clock_ns() - clock, collected_ns() - collected
    assert kept
    assert cleared > ticked
    assert ticked + cleared == pytest.approx(passed, rel=0.05)


def test_metering_twice_counts_once() -> None:
    start_metering()
    before = len(gc.callbacks)
    start_metering()

    assert len(gc.callbacks) == before


# -- carry-over ----------------------------------------------------------------------------------------------


def heavy_value(rows: int) -> list[dict[str, Any]]:
    """What ``jsonable_encoder`` takes some 7 ms to walk through, displacing what was in the caches."""
    return [
        {"id": n, "name": f"name {n}", "tags": ["a", f"b{n}"], "at": {"x": n, "y": -n}} for n in range(rows)
    ]


def make_app() -> FastAPI:
    app, rows = FastAPI(), heavy_value(550)

    @app.get("/small")
    async def small() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/heavy", response_model=None)
    async def heavy() -> Any:
        return rows

    return app


def arm(app: FastAPI, path: str) -> Contestant:
    request = Request("GET", path, [], b"")
    return Contestant(app, lambda: request.scope({}), b"", 200)


def after_heavy(app: FastAPI, schedule: dict[str, Any], blocks: int) -> list[float]:
    """The small arm's time right after a run of the heavy one, over its time right after a run of its own.

    One ratio a block: a machine that is busy at the moment is busy for both.
    """
    arms = [arm(app, "/small"), arm(app, "/heavy"), arm(app, "/small")]
    report = asyncio.run(run_blocks(arms, {**schedule, "orders": [[1, 0, 2]] * blocks}))
    assert report["errors"] == [0, 0, 0]
    beside, _, alone = ([run[0] for run in runs] for runs in report["runs"])
    return [x / y for x, y in zip(beside, alone, strict=True)]


def uncertainty(ratios: list[float]) -> float:
    """Two standard errors of the median, from the middle half, which outliers do not widen."""
    low, _, high = statistics.quantiles(ratios, n=4)
    return float(2 * 1.25 * (high - low) / 1.35 / len(ratios) ** 0.5)


@pytest.mark.slow
def test_a_small_arm_beside_a_heavy_one_reads_as_it_does_alone_within_the_margin() -> None:
    app = make_app()
    planned = schedule_round(2, 7_000_000, random.Random(1))
    schedule = {"length": planned.length, "dropped": planned.dropped}

    ratios = after_heavy(app, schedule, 40)
    while len(ratios) < 600 and abs(statistics.median(ratios) - 1) + uncertainty(ratios) > 0.02:
        ratios += after_heavy(app, schedule, 40)

    assert statistics.median(ratios) == pytest.approx(1.0, abs=0.02)


@pytest.mark.slow
def test_alternating_call_by_call_would_read_it_much_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "SETTLE_NS", 0)

    ratios = after_heavy(make_app(), {"length": 1, "dropped": 0}, 60)

    assert statistics.median(ratios) > 1.2
