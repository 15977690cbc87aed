"""Timing arms in this process: rounds of blocks, blocks of runs, runs of consecutive calls.

As ``wirespeed_agent.direct`` measures apps, for anything that can be called. Never call by call in turn:
beside a slow call a fast one finds cold caches, and no A/A comparison would show it. The first calls of a run
are dropped for the same reason.

One coroutine serves arms that await and arms that do not. Where no arm awaits, nothing in it suspends, and
``finished`` runs it to its end in the calling thread, without any event loop.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from wirespeed.errors import UsageError
from wirespeed.experiment.design import Schedule, rounds_within, schedule_round
from wirespeed_agent.direct import SETTLE_NS, SLOW_NS
from wirespeed_agent.gcmeter import clock_ns, metering

T = TypeVar("T")

FEWEST_ROUNDS: Final = 6
MOST_ROUNDS: Final = 12

SHORTEST_TIMED_NS: Final = 20_000
"""Calls that take less are repeated between two readings of the clock, so that reading it is no part."""

WARM_UP_NS: Final = 5_000_000

RoundTimes = list[tuple[float, ...]]
"""For every block of a round, nanoseconds a call of each arm."""


class Arm(NamedTuple):
    """``ready()`` prepares one call, which is not timed, and gives what is."""

    name: str
    is_async: bool
    ready: Callable[[], Callable[[], Any]]


class _Pace(NamedTuple):
    """How an arm is called: so often between two readings, and at first for so long without counting."""

    repeats: int
    settle_ns: float


async def measure_rounds(arms: Sequence[Arm], seconds: float, rng: random.Random) -> list[RoundTimes]:
    """The times of 6 to 12 rounds, a number that is fixed before the first is measured.

    ``seconds`` is about what they take together, unless the calls are too long for that.
    """
    with metering():
        calls_ns = [await _warm_up(arm) for arm in arms]
        repeats = [math.ceil(SHORTEST_TIMED_NS / call_ns) for call_ns in calls_ns]
        slowest_ns = max(count * call_ns for count, call_ns in zip(repeats, calls_ns, strict=True))
        paces = [_Pace(count, min(SETTLE_NS, slowest_ns)) for count in repeats]
        budget_ns = seconds * 1e9 / MOST_ROUNDS / len(arms)
        first = schedule_round(len(arms), slowest_ns, rng, budget_ns)
        cost_s = len(arms) * first.requests_per_arm * slowest_ns / 1e9
        rounds = rounds_within(seconds, cost_s, FEWEST_ROUNDS, MOST_ROUNDS)
        schedules = [
            first,
            *(schedule_round(len(arms), slowest_ns, rng, budget_ns) for _ in range(rounds - 1)),
        ]
        return [await _round(arms, paces, schedule) for schedule in schedules]


def finished(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    coroutine.close()
    raise UsageError("A call that is not awaited asked for an event loop.")


async def _round(arms: Sequence[Arm], paces: Sequence[_Pace], schedule: Schedule) -> RoundTimes:
    blocks = []
    for order in schedule.orders:
        times_ns = {number: await _run(arms[number], paces[number], schedule) for number in order}
        blocks.append(tuple(times_ns[number] for number in range(len(arms))))
    return blocks


async def _run(arm: Arm, pace: _Pace, schedule: Schedule) -> float:
    """The median time of a call in one run."""
    times_ns: list[int] = []
    dropped, began = 0, clock_ns()
    while len(times_ns) < schedule.length:
        settled = dropped >= schedule.dropped and clock_ns() - began >= pace.settle_ns
        spent_ns = await _timed(arm, pace.repeats)
        if settled:
            times_ns.append(spent_ns)
        else:
            dropped += 1
    return statistics.median(times_ns) / pace.repeats


async def _timed(arm: Arm, repeats: int) -> int:
    calls = [arm.ready() for _ in range(repeats)]
    if not arm.is_async:
        start = clock_ns()
        for call in calls:
            call()
        return clock_ns() - start
    start = clock_ns()
    for call in calls:
        await call()
    spent_ns = clock_ns() - start
    # What a call left on the loop (closed streams, finished tasks) is done here, in nobody's time.
    from anyio.lowlevel import checkpoint

    await checkpoint()
    return spent_ns


async def _warm_up(arm: Arm) -> float:
    """The first calls, which find nothing warm; nanoseconds of one of the last ones."""
    times_ns = [await _timed(arm, 1)]
    began = clock_ns()
    while times_ns[0] < SLOW_NS and len(times_ns) < 50 and clock_ns() - began < WARM_UP_NS:
        times_ns.append(await _timed(arm, 1))
    return max(1.0, statistics.median(times_ns[len(times_ns) // 2 :]))
