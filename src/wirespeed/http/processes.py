"""Running load: in this process, or spread over several that start together and share one schedule.

Lives here: who tells whom to start and stop, and what Ctrl-C does. Workers ignore Ctrl-C, which a terminal
sends to all of them; they stop when their pipe says so, or ends.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from time import perf_counter_ns as clock
from types import FrameType
from typing import Any

from wirespeed.errors import MeasurementInvalid, WirespeedError
from wirespeed.http.engine import Measured, Run
from wirespeed.http.event_loop import Runner
from wirespeed.http.housekeeping import Listener
from wirespeed.http.limits import make_room
from wirespeed.http.outcomes import Tally
from wirespeed.http.plan import LoadPlan
from wirespeed.http.target import Target
from wirespeed.interruption import current

_HEAD_START_NS = 20_000_000
"""Time for the word to reach every worker before the clock that they share says start."""


def run_load(target: Target, plan: LoadPlan, listener: Listener | None = None) -> Measured:
    """Put load on a target. Ctrl-C ends it early, with what there is; a second one for good."""
    make_room(plan.share(0).connections)
    if plan.processes == 1:
        with Runner() as runner:
            return runner.run(_run_here(target, plan, listener))
    return _Workers(target, plan, reports=listener is not None).run(listener)


async def _run_here(target: Target, plan: LoadPlan, listener: Listener | None) -> Measured:
    run = Run(target, plan)
    await run.prepare()
    loop = asyncio.get_running_loop()
    with _on_ctrl_c(lambda: loop.call_soon_threadsafe(run.stop)):
        return await run.measure(clock(), listener)


class _Workers:
    """Processes that each take a share of the plan."""

    def __init__(self, target: Target, plan: LoadPlan, *, reports: bool) -> None:
        # Not forked: a fork would copy whatever threads and event loops there are, in whatever state.
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Connection] = []
        self._processes: list[BaseProcess] = []
        for index in range(plan.processes):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(target, plan, index, theirs, reports), daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)

    def run(self, listener: Listener | None) -> Measured:
        try:
            for pipe in self._pipes:
                self._receive(pipe)
            with _on_ctrl_c(self._stop):
                start_ns = clock() + _HEAD_START_NS
                for pipe in self._pipes:
                    pipe.send(start_ns)
                return self._collect(listener)
        finally:
            for pipe in self._pipes:
                pipe.close()
            for process in self._processes:
                process.join(timeout=5)
                process.kill()

    def _collect(self, listener: Listener | None) -> Measured:
        whole = Measured()
        latest: dict[Connection, Tally] = {}
        running = list(self._pipes)
        while running:
            for pipe in wait(running):
                assert isinstance(pipe, Connection)
                news = self._receive(pipe)
                if isinstance(news, Measured):
                    whole.add(news)
                    running.remove(pipe)
                    continue
                elapsed_s, latest[pipe] = news
                if listener is not None and len(latest) == len(self._pipes):
                    listener(_sum(latest.values()), elapsed_s)
        whole.tally.check()
        return whole

    def _receive(self, pipe: Connection) -> Any:
        try:
            news = pipe.recv()
        except (EOFError, ConnectionResetError) as error:
            raise MeasurementInvalid(
                "a process of the load generator died",
                advice="Look above for its last words, and run it again.",
            ) from error
        if isinstance(news, WirespeedError):
            raise news
        return news

    def _stop(self) -> None:
        for pipe in self._pipes:
            pipe.send("stop")


def _work(target: Target, plan: LoadPlan, index: int, pipe: Connection, reports: bool) -> None:
    """What each process does. Whatever it raises that we do not expect ends it, and the pipe with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Runner() as runner:
        try:
            runner.run(_share(Run(target, plan, index), pipe, reports))
        except WirespeedError as error:
            pipe.send(error)


async def _share(run: Run, pipe: Connection, reports: bool) -> None:
    await run.prepare()
    pipe.send("ready")
    loop = asyncio.get_running_loop()
    start_ns = await loop.run_in_executor(None, pipe.recv)

    def told_to_stop() -> None:
        loop.remove_reader(pipe.fileno())
        run.stop()

    # Whatever comes now, the end of the pipe included, means that nobody waits for more.
    loop.add_reader(pipe.fileno(), told_to_stop)

    def report(tally: Tally, elapsed_s: float) -> None:
        pipe.send((elapsed_s, tally))

    pipe.send(await run.measure(start_ns, report if reports else None))


def _sum(tallies: Iterable[Tally]) -> Tally:
    whole = Tally()
    for tally in tallies:
        whole.add(tally)
    return whole


@contextmanager
def _on_ctrl_c(action: Callable[[], object]) -> Iterator[None]:
    """The first Ctrl-C, or this thread's interruption, does ``action``; the second one what it did before."""
    if (interruption := current()) is not None:
        with interruption.calling(action):
            yield
        return
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def first_time(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        action()

    signal.signal(signal.SIGINT, first_time)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
