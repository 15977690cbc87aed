"""A route and its remedy through the app's own server: what is measured, and when it counts."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wirespeed.experiment.events import Event, Listener, RoundStarted, ignore
from wirespeed.experiment.served_pairs import PairsEvidence, measure_pairs
from wirespeed.experiment.served_theatre import Pair, Serving
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject, RouteVariant, ServerSettings

pytestmark = pytest.mark.slow

WriteApp = Callable[..., Path]

UNCHANGED: dict[str, Any] = {"annotation": None, "response_class": "keep", "options": "keep"}
ANY = {"expression": "Any", "imports": ["from typing import Any"], "definitions": [], "kind": "any"}
ANNOTATED = {**UNCHANGED, "annotation": {**ANY, "by_type": False}}

APP = """
import itertools, os, sys
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

app = FastAPI()
ROWS = [{"n": n, "name": f"row {n}"} for n in range(300)]
COUNT = itertools.count()

@app.get("/rows")
async def rows():
    return ROWS

@app.get("/counted")
async def counted():
    return {"number": next(COUNT), "rows": ROWS}

@app.get("/asked")
async def asked(request: Request):
    return {"by": request.scope["server"][1]}

@app.get("/linked")
async def linked(request: Request):
    return {"self": str(request.url), "rows": ROWS}

@app.get("/failing")
async def failing():
    return JSONResponse({}, status_code=500 if next(COUNT) > 60 else 200)

@app.get("/dying")
async def dying():
    if "uvicorn" in sys.modules and next(COUNT) > 300:
        os._exit(7)
    return ROWS

@app.middleware("http")
async def cache(request: Request, call_next):
    return JSONResponse(ROWS) if "cached" in request.query_params else await call_next(request)
"""
PATHS = ("/rows", "/counted", "/asked", "/linked", "/failing", "/dying")


def pair(target: str) -> Pair:
    path = target.partition("?")[0]
    route = {"route_id": PATHS.index(path), "path": path, "methods": ("GET",)}
    variants = (RouteVariant(**route, change=UNCHANGED), RouteVariant(**route, change=ANNOTATED))
    return Pair(Request(method="GET", path=target), variants)


def measure(
    folder: Path,
    *targets: str,
    rounds: int | None = 2,
    ends_in_s: float = 600,
    listener: Listener = ignore,
    workers: int = 1,
) -> PairsEvidence:
    subject = AppSubject(app="main:app", folder=folder, python=Path(sys.executable))
    serving = Serving(subject, ServerSettings(workers=workers), 10.0, seed=7, rounds=rounds, pairings=0)
    ends = time.monotonic() + ends_in_s
    return measure_pairs(serving, [pair(target) for target in targets], ends=ends, listener=listener)


def test_every_round_gives_a_ratio_alone_and_one_under_load(write_app: WriteApp) -> None:
    evidence = measure(write_app(APP), "/rows", "/counted", "/linked", workers=2)

    assert evidence.rounds == 2
    assert evidence.ended_early is None
    for each in evidence.pairs:
        assert each.invalid is None
        assert len(each.log_ratios(under_load=False)) == len(each.log_ratios(under_load=True)) == 2
        assert all(ratio < 0 for ratio in each.log_ratios(under_load=False))


def test_an_edit_of_the_code_is_a_remedy_like_any_other(write_app: WriteApp) -> None:
    folder = write_app(APP)
    edited = APP.replace("    return ROWS", "    return ROWS[:]", 1)
    change = {**UNCHANGED, "edited": [{"file": str(folder / "main.py"), "text": edited}]}
    given = pair("/rows")
    remedy = given.variants[1].model_copy(update={"change": change})
    subject = AppSubject(app="main:app", folder=folder, python=Path(sys.executable))
    serving = Serving(subject, ServerSettings(), 10.0, seed=7, rounds=2, pairings=0)
    pairs = [replace(given, variants=(given.variants[0], remedy))]
    (found,) = measure_pairs(serving, pairs, ends=time.monotonic() + 600, listener=ignore).pairs

    assert found.invalid is None
    assert len(found.log_ratios(under_load=True)) == 2


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("/rows?cached=1", "were answered above the route"),
        ("/asked", "the server's answer differs from the app's own: $.by is "),
        ("/failing", "requests failed"),
    ],
)
def test_what_the_server_answers_otherwise_says_nothing_of_the_remedy(
    target: str, reason: str, write_app: WriteApp
) -> None:
    wrong, right = measure(write_app(APP), target, "/rows").pairs

    assert wrong.invalid is not None and reason in wrong.invalid
    assert wrong.log_ratios(under_load=False) == wrong.log_ratios(under_load=True) == []
    assert right.invalid is None
    assert len(right.log_ratios(under_load=True)) == 2


def test_a_server_that_dies_ends_it_with_what_it_died_of(write_app: WriteApp) -> None:
    evidence = measure(write_app(APP), "/dying")

    assert evidence.ended_early is not None and "exit status 7" in evidence.ended_early
    assert not evidence.interrupted
    assert evidence.pairs[0].log_ratios(under_load=False) == []


def test_ctrl_c_keeps_the_rounds_that_are_complete(write_app: WriteApp) -> None:
    def interrupt_the_second(event: Event) -> None:
        if isinstance(event, RoundStarted) and event.index == 2:
            raise KeyboardInterrupt

    evidence = measure(write_app(APP), "/rows", listener=interrupt_the_second)

    assert evidence.interrupted
    assert evidence.ended_early == "interrupted in round 2 through uvicorn"
    assert len(evidence.pairs[0].log_ratios(under_load=True)) == 1


def test_what_there_is_no_time_for_is_left_out(write_app: WriteApp) -> None:
    evidence = measure(write_app(APP), "/rows", rounds=None, ends_in_s=0)

    assert evidence.rounds == 0
    assert not evidence.pairs[0].fitted
    assert evidence.ended_early is None
