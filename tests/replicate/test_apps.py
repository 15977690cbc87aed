"""The suites' own apps, called for real: they answer what the write-ups say."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest

from wirespeed.experiment.events import ignore
from wirespeed.model.subject import AppSubject
from wirespeed.replicate.casting import Stand, request_of
from wirespeed.replicate.inspections import inspect
from wirespeed.replicate.suite import Arm, Inspection, Suite
from wirespeed.replicate.suites import serialization_routes, sync_async, typed_response
from wirespeed.subject.agent import AgentProcess

from .planting import PYTHON

pytestmark = pytest.mark.slow

USERS_BYTES = 75_171


def answers(suite: Suite, *paths: str) -> list[tuple[int, bytes]]:
    subject = AppSubject(app=suite.app.name, python=PYTHON, folder=suite.app.parent)
    with AgentProcess(subject) as agent:
        agent.boot()
        return [_answer(agent, path) for path in paths]


def _answer(agent: AgentProcess, path: str) -> tuple[int, bytes]:
    request = request_of(Arm(name=path, path=path)).for_agent()
    told: dict[str, Any] = agent.call(
        "answer", {"request": request, "deadline_s": 30.0}, deadline_s=60.0, doing=path
    )
    return told["status"], b64decode(told["body"])


def test_all_ways_to_answer_the_users_send_the_published_bytes() -> None:
    paths = "/untyped", "/typed", "/response-model", "/response-class"
    bodies = {body for status, body in answers(typed_response.SUITE, *paths) if status == 200}
    (body,) = bodies
    assert len(body) == USERS_BYTES
    assert json.loads(body)[2] == {"id": 2, "name": "User2", "email": "user2@example.com", "is_active": True}


def test_hello_world_says_the_same_in_all_four_ways() -> None:
    paths = "/def", "/async-def", "/def-waiting", "/async-def-waiting"
    assert set(answers(sync_async.SUITE, *paths)) == {(200, b'{"message":"Hello World"}')}


def test_the_replica_answers_as_the_original_endpoints_do() -> None:
    (_, compared), (_, reused) = answers(serialization_routes.SUITE, "/compare?n=3", "/adapter-reuse")
    assert set(json.loads(compared)) == {
        "iterations",
        "lines_per_order",
        "fastest",
        "slowest",
        "slowest_is_at_least_2x_fastest",
        "byte_identical_output",
    }
    assert json.loads(compared)["byte_identical_output"] is True
    assert json.loads(compared)["lines_per_order"] == 200
    assert set(json.loads(reused)) == {"iterations", "reuse_is_faster", "rebuild_costs_at_least_2x"}
    assert json.loads(reused)["iterations"] == 200


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("model_dump_json", 8_807),
        ("dump_json", 8_807),
        ("json.dumps(model_dump)", 10_009),
        ("json.dumps(jsonable_encoder)", 10_009),
    ],
)
def test_the_routes_give_equal_json_in_as_many_bytes_as_published(name: str, length: int) -> None:
    arm = serialization_routes.route(name)
    ((status, body),) = answers(serialization_routes.SUITE, arm.path)
    assert (status, len(body)) == (200, length)
    assert len(json.loads(body)["lines"]) == 200


def test_the_recommended_guard_passes_where_an_answer_was_made_by_hand() -> None:
    suite = serialization_routes.SUITE
    (step,) = (each for each in suite.steps if each.name == serialization_routes.GUARDING)
    assert isinstance(step, Inspection)
    seen = inspect(step, Stand(suite.app, PYTHON, {}), ignore)
    returned, by_hand = (
        seen.of(arm.name) for arm in (serialization_routes.RETURNED, serialization_routes.BY_HAND)
    )
    assert (returned.hand_built, returned.fast_path, returned.has_response_model) == (False, True, True)
    assert (by_hand.hand_built, by_hand.fast_path, by_hand.has_response_model) == (True, False, True)
    assert seen.of(serialization_routes.GUARD.name).json_value == {"passes": True}
