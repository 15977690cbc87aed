"""Alarms ring when they should: never before, and once for each moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter_ns as clock

import pytest

from wirespeed.http import alarm
from wirespeed.http.alarm import PunctualAlarm, make_alarm
from wirespeed.http.event_loop import event_loop

MS = 1_000_000


def rings(make: Callable[[Callable[[], None]], alarm.Alarm], moments: Callable[[], list[int]]) -> list[int]:
    """When an alarm rang, in relation to the moments that it was set for one after the other."""

    async def run() -> list[int]:
        rung: asyncio.Queue[int] = asyncio.Queue()
        clockwork = make(lambda: rung.put_nowait(clock()))
        delays = []
        for moment_ns in moments():
            clockwork.set(moment_ns)
            delays.append(await asyncio.wait_for(rung.get(), 5) - moment_ns)
        await asyncio.sleep(0.02)
        assert rung.empty()
        clockwork.close()
        return delays

    factory, _ = event_loop()
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(run())


def ahead() -> list[int]:
    return [clock() + (index + 1) * 3 * MS for index in range(50)]


def past() -> list[int]:
    return [clock() - MS, clock() - 2 * MS, 0]


@pytest.mark.parametrize("make", [make_alarm, PunctualAlarm])
@pytest.mark.parametrize("moments", [ahead, past])
def test_an_alarm_never_rings_before_its_moment_and_rings_once(
    make: Callable[..., alarm.Alarm], moments: Callable[[], list[int]]
) -> None:
    assert all(delay >= 0 for delay in rings(make, moments))


def test_timers_of_the_event_loop_do_where_there_is_no_timerfd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alarm.sys, "platform", "darwin")
    assert len(rings(PunctualAlarm, ahead)) == 50


def test_a_new_moment_replaces_the_one_before() -> None:
    async def run() -> int:
        rung = []
        clockwork = make_alarm(lambda: rung.append(clock()))
        clockwork.set(clock() + 5 * MS)
        clockwork.set(clock() + 40 * MS)
        await asyncio.sleep(0.1)
        clockwork.close()
        return len(rung)

    assert asyncio.run(run()) == 1
