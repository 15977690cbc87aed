"""``wirespeed selfcheck``: what it plans, and how it words what it found."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wirespeed.cli import selfcheck_run
from wirespeed.errors import UsageError
from wirespeed.model.advice import Environment
from wirespeed.model.selfcheck import Kind, Selfcheck
from wirespeed.report.selfcheck import selfcheck_lines

SCRIPT = Path(sys.executable).with_name("wirespeed")


def kind(**changed: object) -> Kind:
    found = {
        "request": "GET /small",
        "call_ns": 48_000,
        "rounds": 200,
        "round_sd": 0.004,
        "autocorrelation": 0.25,
        "pairings": 1,
        "smallest_effect_8": 0.006,
        "smallest_effect_40": 0.002,
    }
    return Kind.model_validate({**found, **changed})


def checked(*kinds: Kind, complete: bool = True) -> Selfcheck:
    return Selfcheck(
        created=datetime(2026, 11, 30, tzinfo=UTC),
        wirespeed="0.1.0",
        python="3.13.0",
        packages={"fastapi": "0.165.0"},
        environment=Environment(cpu="x", cores=2, load_1m=None, steal=None, os="Linux", event_loop=None),
        seed=7,
        complete=complete,
        elapsed_s=123,
        kinds=kinds,
    )


def test_a_plan_has_an_interpreter_rounds_and_a_seed() -> None:
    plan = selfcheck_run.selfcheck_plan(sys.executable, rounds=200, seed=7)

    assert (plan.python, plan.rounds, plan.seed) == (Path(sys.executable), 200, 7)


def test_one_round_checks_nothing() -> None:
    with pytest.raises(UsageError, match="--rounds 1"):
        selfcheck_run.selfcheck_plan(sys.executable, rounds=1, seed=7)


def test_every_kind_of_request_says_what_rounds_of_it_can_show() -> None:
    assert list(selfcheck_lines(checked(kind()))) == [
        "FastAPI 0.165.0 · Python 3.13.0 · 2 min 3 s",
        "",
        "GET /small  48.0 µs · 200 rounds",
        "  rounds differ by 0.4 % (standard deviation)",
        "  8 rounds show a gain of 0.6 %, 40 rounds one of 0.2 %",
        "  autocorrelation +0.25: rounds are taken in pairs",
    ]


def test_too_few_rounds_are_said_to_be_too_few() -> None:
    lines = list(
        selfcheck_lines(checked(kind(rounds=5, autocorrelation=None, pairings=None), complete=False))
    )

    assert "Stopped early: this is what was measured until then." in lines
    assert lines[-1] == "  too few rounds to tell whether one depends on the one before"
    assert "Too few rounds to tell anything." in selfcheck_lines(checked(complete=False))


@pytest.mark.parametrize(("complete", "code"), [(True, 0), (False, 130)])
def test_only_ctrl_c_leaves_a_check_incomplete(
    monkeypatch: pytest.MonkeyPatch, complete: bool, code: int
) -> None:
    monkeypatch.setattr(selfcheck_run, "selfcheck", lambda plan, listener: checked(complete=complete))
    plan = selfcheck_run.selfcheck_plan(sys.executable, rounds=2, seed=7)

    assert selfcheck_run.measure(plan, as_json=False) == code


@pytest.mark.slow
def test_json_is_one_document() -> None:
    done = subprocess.run(
        [SCRIPT, "selfcheck", "--python", sys.executable, "--rounds", "2", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )

    document = json.loads(done.stdout)
    assert document["format"] == "wirespeed/selfcheck/1"
    assert [found["rounds"] for found in document["kinds"]] == [2] * len(document["kinds"])
