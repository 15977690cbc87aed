"""Changes of the code, screened and measured by a real agent: what is told, and how often they run."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wirespeed.diagnosis.observation import Round, Screened, Screening
from wirespeed.model.request import Request
from wirespeed.subject.agent import AgentProcess

StartAgent = Callable[..., AgentProcess]

APP = """
    import asyncio, pathlib, threading, time
    from fastapi import FastAPI
    from fastapi.encoders import jsonable_encoder
    from fastapi.responses import JSONResponse

    app = FastAPI()
    calls = []

    @app.middleware("http")
    async def timing(request, call_next):
        return await call_next(request)

    def load():
        return {"a": 1}

    @app.get("/hand-built", response_model=dict[str, int])
    async def hand_built():
        calls.append("hand-built")
        return JSONResponse(jsonable_encoder(load()))

    @app.get("/counts")
    def counts() -> dict[str, int]:
        calls.append("counts")
        return {"n": len(calls), "fixed": 1}

    @app.get("/turns")
    async def turns() -> int:
        calls.append("as it is")
        return 1

    @app.get("/called")
    async def called() -> list[str]:
        return calls

    @app.get("/calls")
    async def how_many() -> int:
        return len(calls)
    """

UNCHANGED = {"annotation": None, "response_class": "keep", "options": "keep"}
ANY = {
    "expression": "Any",
    "imports": ["from typing import Any"],
    "definitions": [],
    "kind": "any",
    "by_type": False,
}
LOOK = {"calls": 4, "seconds": 5.0, "parallel": 5, "parallel_calls": 20}


class Probed:
    """A started app whose request has been probed."""

    def __init__(self, agent: AgentProcess, folder: Path, path: str) -> None:
        self.agent, self.file = agent, folder / "main.py"
        self.request = Request(method="GET", path=path)
        agent.boot()
        args = {"key": 0, "request": self.request.for_agent(), "watch": False, "calls": 3, "seconds": 5.0}
        self.seen = self.call("probe", **args)

    def call(self, op: str, **args: Any) -> Any:
        return self.agent.call(op, {**args, "deadline_s": 5.0}, deadline_s=60.0, doing=op)

    def edit(self, *pairs: tuple[str, str], **fields: Any) -> dict[str, Any]:
        text = self.file.read_text()
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        return {**UNCHANGED, "edited": [{"file": str(self.file), "text": text}], **fields}

    def screen(self, *changes: dict[str, Any], live: dict[str, Any] | None = None) -> Screening:
        report = self.call("screen", key=0, changes=list(changes), live=live)
        return Screening.model_validate(report)

    def calls_so_far(self) -> int:
        asked = Request(method="GET", path="/calls").for_agent()
        return int(base64.b64decode(self.call("answer", request=asked)["body"]))

    def called(self) -> list[str]:
        asked = Request(method="GET", path="/called").for_agent()
        return list(json.loads(base64.b64decode(self.call("answer", request=asked)["body"])))


@pytest.fixture
def probed(start_agent: StartAgent, write_app: Callable[..., Path]) -> Callable[[str], Probed]:
    def probe(path: str) -> Probed:
        folder = write_app(APP)
        return Probed(start_agent(folder), folder, path)

    return probe


RETURNED = ("return JSONResponse(jsonable_encoder(load()))", "return load()")


def only(screening: Screening) -> Screened:
    (one,) = screening.variants
    return one


def test_a_hand_built_response_cannot_be_replayed_and_its_edit_is_tried_all_the_same(probed: Any) -> None:
    app = probed("/hand-built")
    annotated = {**UNCHANGED, "annotation": ANY}

    screening = app.screen(annotated, app.edit(RETURNED), live=LOOK)
    replayed, edited = screening.variants

    assert screening.invalid is not None and "JSONResponse" in screening.invalid
    assert replayed.error == screening.invalid
    assert (edited.error, edited.in_process, edited.fidelity) == (None, True, "identical")
    assert edited.replay_ns is None
    assert all(
        each is not None and each > 0
        for each in (
            edited.live_ns,
            edited.parallel_ns,
            screening.baseline_live_ns,
            screening.baseline_parallel_ns,
        )
    )


def test_all_are_called_in_turn_so_that_a_slow_moment_of_the_machine_is_everybodys(probed: Any) -> None:
    app = probed("/turns")
    one, other = (app.edit(('"as it is"', f'"{name}"')) for name in ("one", "other"))

    app.screen(one, other, live={**LOOK, "parallel": 0})

    assert app.called()[-12:] == ["as it is", "one", "other"] * 4


def test_what_changes_from_call_to_call_is_no_difference_and_what_the_edit_changes_is(probed: Any) -> None:
    app = probed("/counts")
    same = app.edit(("def counts", "async def counts"))
    other = app.edit(('"fixed": 1', '"fixed": 2'))

    seen = app.screen(same, other, live=LOOK).variants

    assert [each.fidelity for each in seen] == ["equal", "different"]
    assert [each.at for each in seen[1].differences] == ["$.fixed"]


def test_an_edit_that_fails_says_how(probed: Any) -> None:
    app = probed("/counts")

    seen = only(app.screen(app.edit(('"fixed": 1', '"fixed": 1 / 0')), live=LOOK))

    assert seen.error is not None and "ZeroDivisionError" in seen.error
    assert seen.fidelity is None


def test_an_edit_for_a_process_of_its_own_says_why(probed: Any) -> None:
    app = probed("/counts")

    helper = only(app.screen(app.edit(('{"a": 1}', '{"a": 2}')), live=LOOK))
    module = only(app.screen(app.edit(("app = FastAPI()", "app = FastAPI(debug=True)")), live=LOOK))

    assert not helper.in_process and "load is not called by FastAPI" in str(helper.why_not)
    assert not module.in_process and "changes, outside of any function" in str(module.why_not)


def test_without_leave_to_call_nothing_is_called(probed: Any) -> None:
    app = probed("/counts")
    before = app.calls_so_far()

    seen = only(app.screen(app.edit(("def counts", "async def counts"))))

    assert (seen.in_process, seen.error, seen.fidelity, seen.live_ns) == (True, None, None, None)
    # Replay itself may look at the live answer again; the edit is not even replayed.
    assert app.calls_so_far() - before <= 6


def test_arms_are_called_as_often_as_allowed_while_they_are_screened(probed: Any) -> None:
    app = probed("/hand-built")
    before = app.calls_so_far()

    app.screen(app.edit(RETURNED), live=LOOK)

    # The edited function, and the unchanged one beside it.
    assert app.calls_so_far() - before <= 2 * (4 + 20)


def test_a_layer_is_passed_by_and_its_number_is_the_probes(probed: Any) -> None:
    app = probed("/counts")

    seen = app.screen({**UNCHANGED, "bypass": 0}, {**UNCHANGED, "bypass": 7}, live=LOOK).variants

    assert (seen[0].error, seen[0].fidelity, seen[0].in_process) == (None, "equal", True)
    assert not seen[1].in_process and "no such layer" in str(seen[1].why_not)


def measure(app: Probed, *changes: dict[str, Any], **options: Any) -> Round:
    schedule = {"orders": [[0, 1], [1, 0]], "length": 5, "dropped": 2}
    args = {
        "request": app.request.for_agent(),
        "changes": [],
        "schedule": schedule,
        "live_calls": 2,
        "live_changes": list(changes),
        "live_schedule": schedule,
        "parallel": 5,
        "parallel_schedule": {**schedule, "length": 10, "dropped": 5},
        **options,
    }
    return Round.model_validate(app.call("measure", **args))


def test_a_round_measures_edited_functions_alone_and_in_parallel(probed: Any) -> None:
    app = probed("/hand-built")

    measured = measure(app, app.edit(RETURNED))

    assert measured.invalid is None
    assert [each.fidelity for each in measured.live_answers] == ["identical"]
    assert [len(runs) for runs in (*measured.live_runs, *measured.parallel_runs)] == [2, 2, 2, 2]
    assert [run[3] for run in measured.parallel_runs[0]] == [10, 10]
    assert (measured.live_errors, measured.parallel_errors) == ([0, 0], [0, 0])
    assert (measured.live_gave_up, measured.parallel_gave_up) == ([None, None], [None, None])


def test_a_round_calls_no_arm_more_often_than_allowed(probed: Any) -> None:
    app = probed("/hand-built")
    before = app.calls_so_far()

    measured = measure(app, app.edit(RETURNED), most_calls=12)

    assert app.calls_so_far() - before <= 2 + 2 * 12
    assert all("12 times" in str(reason) for reason in measured.parallel_gave_up)


def test_an_arm_that_answers_otherwise_in_this_round_is_told(probed: Any) -> None:
    app = probed("/hand-built")

    measured = measure(app, app.edit((RETURNED[0], 'return {"a": 2}')))

    assert [(each.fidelity, each.differences[0].at) for each in measured.live_answers] == [
        ("different", "$.a")
    ]


def test_an_arm_that_cannot_be_made_has_given_up(probed: Any) -> None:
    app = probed("/hand-built")

    measured = measure(app, app.edit(('{"a": 1}', '{"a": 2}')))

    assert measured.live_gave_up[0] is None and "load is not called" in str(measured.live_gave_up[1])
    assert measured.live_runs[1] == []
