"""The functions against a real app, in threads and event loops as people have them."""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import wirespeed
from wirespeed.experiment.events import Booting, RoundFinished

pytestmark = pytest.mark.slow


def few_rounds(folder: Path, **arguments: object) -> wirespeed.Advice:
    return wirespeed.advise(  # type: ignore[call-overload]
        "main:app", folder=folder, python=sys.executable, budget="6s", rounds=2, seed=7, **arguments
    )


def test_advise_gives_the_document_prints_nothing_and_saves_nothing(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    events: list[wirespeed.Event] = []
    advice = few_rounds(folder, listener=events.append, ignored=["WS203"])

    assert isinstance(advice, wirespeed.Advice)
    assert {endpoint.request for endpoint in advice.endpoints} == {"GET /items", "GET /typed"}
    assert not [each for endpoint in advice.endpoints for each in endpoint.findings if each.code == "WS203"]
    assert {Booting, RoundFinished} <= {type(event) for event in events}
    assert capfd.readouterr() == ("", "")
    assert not (folder / ".wirespeed").exists()


def test_a_record_is_kept_where_that_is_asked_for(folder: Path) -> None:
    few_rounds(folder, requests=["/typed"], only=True, save=True)

    assert len(list((folder / ".wirespeed").glob("*.json"))) == 1


def test_compare_and_load_give_their_documents(folder: Path) -> None:
    requests = ["/items", "/typed"]
    comparison = wirespeed.compare(
        "main:app",
        requests=requests,
        folder=folder,
        pythons=[sys.executable],
        budget=4,
        allow_different=True,
    )
    load = wirespeed.load(
        "main:app", requests=requests, folder=folder, python=sys.executable, number=60, connections=2
    )

    assert [arm.name for arm in comparison.arms] == ["GET /items", "GET /typed"]
    assert load.requests.status == {"200": 60}


def test_an_app_that_does_not_start_raises_what_it_raised(folder: Path) -> None:
    (folder / "main.py").write_text("raise OSError('no such database')\n")

    with pytest.raises(wirespeed.SubjectError) as failed:
        few_rounds(folder)
    assert "no such database" in (failed.value.app_traceback or "")


def load(folder: Path) -> wirespeed.Load:
    return wirespeed.load(
        "main:app", requests=["/typed"], folder=folder, python=sys.executable, number=20, connections=2
    )


def test_it_can_be_called_where_an_event_loop_runs(folder: Path) -> None:
    async def cell() -> wirespeed.Load:
        return load(folder)

    assert asyncio.run(cell()).requests.answered == 20


def test_it_can_be_called_from_another_thread(folder: Path) -> None:
    found: list[wirespeed.Load] = []
    thread = threading.Thread(target=lambda: found.append(load(folder)))
    thread.start()
    thread.join(60)

    assert found[0].requests.answered == 20


@pytest.mark.parametrize("in_a_loop", [False, True])
def test_ctrl_c_raises_and_leaves_no_process(
    folder: Path, in_a_loop: bool, processes_in: Callable[[Path], list[int]]
) -> None:
    def press(event: wirespeed.Event) -> None:
        if isinstance(event, Booting):
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()

    async def cell() -> None:
        few_rounds(folder, listener=press)

    with pytest.raises(KeyboardInterrupt):
        if in_a_loop:
            asyncio.run(cell())
        else:
            few_rounds(folder, listener=press)
    assert processes_in(folder) == []


def test_the_event_loop_stays_free_and_hears_what_is_going_on(folder: Path) -> None:
    heard: list[threading.Thread] = []
    turns = 0

    async def whole() -> wirespeed.Advice:
        nonlocal turns
        measuring = asyncio.ensure_future(
            wirespeed.aio.advise(
                "main:app",
                folder=folder,
                python=sys.executable,
                budget=6,
                rounds=2,
                requests=["/typed"],
                only=True,
                listener=lambda event: heard.append(threading.current_thread()),
            )
        )
        while not measuring.done():
            turns += 1
            await asyncio.sleep(0.01)
        return await measuring

    advice = asyncio.run(whole())

    assert [endpoint.request for endpoint in advice.endpoints] == ["GET /typed"]
    assert set(heard) == {threading.main_thread()}
    assert turns > 20


@pytest.mark.parametrize("after_s", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("what", ["advise", "compare", "load"])
def test_a_cancelled_measurement_leaves_nothing_running(
    folder: Path, what: str, after_s: float, processes_in: Callable[[Path], list[int]]
) -> None:
    threads = threading.active_count()
    starts = {
        "advise": lambda: wirespeed.aio.advise("main:app", folder=folder, python=sys.executable),
        "compare": lambda: wirespeed.aio.compare(
            "main:app",
            requests=["/items", "/typed"],
            folder=folder,
            pythons=[sys.executable],
            allow_different=True,
        ),
        "load": lambda: wirespeed.aio.load(
            "main:app", requests=["/typed"], folder=folder, python=sys.executable, duration="60s"
        ),
    }

    async def whole() -> None:
        measuring = asyncio.ensure_future(starts[what]())
        await asyncio.sleep(0.05 + after_s)
        measuring.cancel()
        await measuring

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(whole())
    assert processes_in(folder) == []
    gives_up = time.monotonic() + 30
    while threading.active_count() > threads:
        assert time.monotonic() < gives_up
        time.sleep(0.05)


def test_a_cancelled_measurement_is_no_error_of_the_others(folder: Path) -> None:
    async def whole() -> wirespeed.Load:
        async with asyncio.timeout(60):
            first = asyncio.ensure_future(
                wirespeed.aio.load(
                    "main:app", requests=["/typed"], folder=folder, python=sys.executable, duration=60
                )
            )
            second = asyncio.ensure_future(
                wirespeed.aio.load(
                    "main:app", requests=["/typed"], folder=folder, python=sys.executable, number=20
                )
            )
            await asyncio.sleep(0.5)
            first.cancel()
            return await second

    assert asyncio.run(whole()).requests.answered == 20
