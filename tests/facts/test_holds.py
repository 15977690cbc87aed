"""Who holds the event loop, and whether it computes meanwhile or waits."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from wirespeed.diagnosis.observation import Hold
from wirespeed_agent.thread_clock import Took, elapsed, read, reading

from .conftest import APPS, Observe, fired, remedies

HOLDING = APPS / "holding.py"


def worst(holds: list[Hold]) -> Hold:
    return max(holds, key=lambda hold: hold.blocked_ns)


@pytest.mark.parametrize(
    ("path", "holder"),
    [("/unknown_c", "unknown_c"), ("/lock", "lock"), ("/dependency", "blocking_dependency")],
)
def test_a_call_that_blocks_is_found_whatever_it_is(observe: Observe, path: str, holder: str) -> None:
    seen = observe(HOLDING, path)

    assert str(worst(seen.holds).work).endswith(f":{holder}")
    assert "WS201" in fired(seen)
    assert remedies(seen, "WS201") == ["def" if path != "/dependency" else f"def {holder}"]


@pytest.mark.parametrize("path", ["/computes", "/awaits", "/in_a_thread"])
def test_computing_awaiting_and_threads_do_not_block_the_loop(observe: Observe, path: str) -> None:
    assert "WS201" not in fired(observe(HOLDING, path))


def test_what_awaits_cannot_become_a_def_and_gets_advice(observe: Observe) -> None:
    seen = observe(HOLDING, "/awaits_and_blocks")

    assert "WS201" in fired(seen)
    assert remedies(seen, "WS201") == ["await it"]


def test_middleware_that_blocks_is_found_and_belongs_to_no_callable(observe: Observe) -> None:
    seen = observe(HOLDING, "/middleware")

    assert worst(seen.holds).work is None
    assert "WS201" in fired(seen)


# -- the clocks ----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def one_core_shared() -> Iterator[None]:
    """This process on one core, and a program beside it that never stops computing there."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    rival = subprocess.Popen(
        [sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=subprocess.PIPE
    )
    try:
        assert rival.stdout is not None
        rival.stdout.readline()
        yield
    finally:
        rival.kill()
        rival.communicate()
        os.sched_setaffinity(0, cores)


def computing(cpu_ns: int) -> Took:
    start = read()
    while elapsed(start).cpu_ns < cpu_ns:
        pass
    return elapsed(start)


def test_waiting_for_a_core_is_not_taken_for_blocking() -> None:
    with one_core_shared(), reading():
        took = computing(60_000_000)

    waited_ns = took.wall_ns - took.cpu_ns
    assert waited_ns > 0
    assert took.run_queue_ns > waited_ns / 2
    assert took.blocked_ns < waited_ns / 2


def test_a_sleep_is_blocking_and_not_waiting_for_a_core() -> None:
    with reading():
        start = read()
        time.sleep(0.02)
        took = elapsed(start)

    assert took.waits >= 1
    assert took.blocked_ns > took.cpu_ns
