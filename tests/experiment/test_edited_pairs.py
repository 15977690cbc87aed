"""The edited app beside the original, in two real processes: compared, and driven in turn."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wirespeed.errors import SubjectError
from wirespeed.experiment import edited_pairs
from wirespeed.experiment.edited_pairs import (
    Pair,
    PairRound,
    PairsEvidence,
    PairsPlan,
    measure_pairs,
    pairs_cost_s,
)
from wirespeed.experiment.events import Event, RoundFinished
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject, EditedSource

pytestmark = pytest.mark.slow

APP = """
    import asyncio, itertools, os, time
    from fastapi import FastAPI

    app = FastAPI()
    numbers = itertools.count()

    @app.get("/blocks")
    async def blocks() -> dict[str, int]:
        time.sleep(0.004)
        return {"a": 1}

    @app.get("/counts")
    async def counts() -> dict[str, int]:
        return {"n": next(numbers), "fixed": 1}

    @app.get("/deadly")
    async def deadly() -> int:
        return 1
    """
WriteApp = Callable[..., Path]


@pytest.fixture(autouse=True)
def users_caches_stay_clean(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))


def measured(
    write_app: WriteApp,
    *paths: str,
    edits: tuple[tuple[str, str], ...],
    rounds: int = 1,
    parallel: int = 0,
    timed: bool = True,
    ends_in_s: float = 1e6,
    listener: Callable[[Event], None] = lambda event: None,
) -> PairsEvidence:
    folder = write_app(APP)
    text = (folder / "main.py").read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    original = AppSubject(app="main:app", folder=folder, python=Path(sys.executable))
    edited = original.model_copy(update={"edited": (EditedSource(file=folder / "main.py", text=text),)})
    pairs = [
        Pair(
            Request(method="GET", path=path),
            call_ns=4e6,
            is_timed=timed,
            parallel=parallel,
            parallel_ns=4e6 if parallel else 0.0,
        )
        for path in paths
    ]
    plan = PairsPlan(rounds, 100_000_000, seed=1, deadline_s=5.0)
    return measure_pairs(original, edited, pairs, plan, ends=time.monotonic() + ends_in_s, listener=listener)


def test_an_edit_that_helps_others_only_shows_with_many_in_flight(write_app: WriteApp) -> None:
    evidence = measured(
        write_app, "/blocks", edits=(("async def blocks", "def blocks"),), parallel=10, rounds=2
    )

    assert (evidence.failures, evidence.not_started, evidence.not_imported) == ({}, None, [])
    assert evidence.seen[0].fidelity == "identical"
    assert evidence.openapi is not None and evidence.openapi.fidelity == "identical"
    assert len(evidence.rounds) == 2
    for each in evidence.rounds:
        assert each[0].errors == (0, 0)
        in_parallel = each[0].parallel_log_ratio()
        assert in_parallel is not None and in_parallel < 0
        assert each[0].log_ratio() is not None


def test_of_answers_too_long_to_be_read_it_is_told_whether_they_are_the_same(
    write_app: WriteApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edited_pairs, "MOST_COMPARED_BYTES", 5)
    evidence = measured(
        write_app, "/blocks", "/deadly", edits=(('{"a": 1}', '{"a": 2}'),), rounds=0, timed=False
    )

    assert [evidence.seen[number].fidelity for number in (0, 1)] == ["different", "identical"]
    assert [each.at for each in evidence.seen[0].differences] == ["body"]


def test_what_clients_would_see_is_told_and_what_changes_anyway_is_not(write_app: WriteApp) -> None:
    evidence = measured(
        write_app,
        "/counts",
        "/blocks",
        edits=(('"fixed": 1', '"fixed": 2'), ('"/counts"', '"/counts", summary="All"')),
        timed=False,
        rounds=0,
    )

    assert [each.at for each in evidence.seen[0].differences] == ["$.fixed"]
    assert evidence.seen[0].unstable == ["$.n"]
    assert evidence.seen[1].fidelity == "identical"
    assert evidence.openapi is not None and evidence.openapi.fidelity == "different"
    assert "summary" in evidence.openapi.differences[0].at
    assert evidence.rounds == []


def test_an_edited_app_that_does_not_start_is_no_error_of_the_original(write_app: WriteApp) -> None:
    evidence = measured(write_app, "/counts", edits=(("app = FastAPI()", "app = FastAPI(\n1 / 0)"),))

    assert evidence.not_started is not None and "ZeroDivisionError" in evidence.not_started
    assert evidence.rounds == []


def test_an_original_that_does_not_start_is_an_error(write_app: WriteApp) -> None:
    folder = write_app("1 / 0")
    subject = AppSubject(app="main:app", folder=folder, python=Path(sys.executable))

    with pytest.raises(SubjectError, match="ZeroDivisionError"):
        measure_pairs(subject, subject, [], PairsPlan(1, 10**8, seed=1, deadline_s=5.0), ends=0.0)


def test_a_request_that_ends_the_edited_app_costs_only_itself(write_app: WriteApp) -> None:
    edits = (("async def deadly() -> int:\n", "async def deadly() -> int:\n    os._exit(3)\n"),)
    evidence = measured(write_app, "/deadly", "/counts", edits=edits, rounds=2)

    assert evidence.not_started is None
    assert "3" in evidence.failures[0]
    assert [set(each) for each in evidence.rounds] == [{1}, {1}]


def test_answers_with_another_status_are_errors_and_not_fast_answers(write_app: WriteApp) -> None:
    edits = (('return {"n"', 'assert next(numbers) < 3\n    return {"n"'),)
    evidence = measured(write_app, "/counts", edits=edits)

    assert evidence.not_started is None
    assert evidence.failures or evidence.rounds[0][0].errors[1] > 0


def test_rounds_that_would_begin_too_late_are_left_out_and_that_is_told(write_app: WriteApp) -> None:
    finished: list[Any] = []
    evidence = measured(
        write_app,
        "/counts",
        edits=(('"fixed": 1', '"fixed":  1'),),
        rounds=3,
        ends_in_s=0.0,
        listener=lambda event: finished.append(event) if isinstance(event, RoundFinished) else None,
    )

    assert len(evidence.rounds) == len(finished) == 1
    assert evidence.ended_early == "there was time for 1 of 3 rounds"


def test_the_ratio_of_a_round_is_that_of_its_blocks() -> None:
    one = PairRound([(100.0, 50.0), (200.0, 100.0)], [], (0, 0))

    assert one.log_ratio() == pytest.approx(-0.6931, abs=1e-4)
    assert one.parallel_log_ratio() is None


def test_what_is_only_compared_costs_its_calls() -> None:
    pair = Pair(Request(method="GET", path="/"), call_ns=1e9, is_timed=False)

    assert pairs_cost_s([pair], PairsPlan(3, 10**8, seed=1, deadline_s=5.0)) == pytest.approx(4.0)
    timed = Pair(Request(method="GET", path="/"), call_ns=1e6, parallel=20, parallel_ns=1e6)
    alone = Pair(Request(method="GET", path="/"), call_ns=1e6)
    plan = PairsPlan(3, 10**8, seed=1, deadline_s=5.0)
    assert pairs_cost_s([timed], plan) > pairs_cost_s([alone], plan) > 0
