"""Ending what another thread does, without a signal."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from wirespeed.http.event_loop import Runner
from wirespeed.interruption import Interruption, check, current, run_command


def started(work: Callable[[], object], interruption: Interruption) -> tuple[threading.Thread, list[object]]:
    """``work`` in a thread; what it gave or raised is in the list when the thread has ended."""
    told: list[object] = []

    def whole() -> None:
        with interruption:
            try:
                told.append(work())
            except BaseException as error:
                told.append(type(error))

    thread = threading.Thread(target=whole)
    thread.start()
    return thread, told


def children() -> list[str]:
    """Command lines of this process's children."""
    listed = subprocess.run(["ps", "-eo", "ppid=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if line.split()[0] == str(os.getpid())]


@pytest.fixture
def interruption() -> Interruption:
    return Interruption()


def test_it_is_delivered_once(interruption: Interruption) -> None:
    interruption.interrupt()
    interruption.interrupt()

    with interruption:
        with pytest.raises(KeyboardInterrupt):
            check()
        check()
    assert current() is None


def test_the_innermost_action_takes_the_place_of_the_exception(interruption: Interruption) -> None:
    called = []
    with interruption, interruption.calling(lambda: called.append("outer")):
        with interruption.calling(lambda: called.append("inner")):
            interruption.interrupt()
        interruption.interrupt()
        check()

    assert called == ["inner", "outer"]


def test_what_came_too_early_is_delivered_to_the_next_action(interruption: Interruption) -> None:
    called = []
    interruption.interrupt()
    with interruption:
        with interruption.calling(lambda: called.append("late")):
            pass
        check()

    assert called == ["late"]


def test_a_coroutine_is_cancelled_and_cleans_up(interruption: Interruption) -> None:
    running, cleaned = threading.Event(), threading.Event()

    async def forever() -> None:
        try:
            running.set()
            await asyncio.sleep(3600)
        finally:
            cleaned.set()

    def work() -> None:
        with Runner() as runner:
            runner.run(forever())

    thread, told = started(work, interruption)
    running.wait(30)
    interruption.interrupt()
    thread.join(30)

    assert (told, cleaned.is_set()) == ([KeyboardInterrupt], True)


def test_a_command_is_ended(interruption: Interruption) -> None:
    command = [sys.executable, "-c", "import time; time.sleep(3600)"]
    thread, told = started(lambda: run_command(command), interruption)
    time.sleep(0.3)
    interruption.interrupt()
    thread.join(30)

    assert told == [KeyboardInterrupt]
    assert not [each for each in children() if "3600" in each]


def test_a_command_that_ends_gives_what_it_printed() -> None:
    done = run_command(
        [sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"]
    )

    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "err\n", 3)
