"""The published cases on every FastAPI: the same diagnosis, and the remedy that helps on that one.

All of them are mounted in one app, so that a version is advised on once. ``benchmarks/cases.py`` advises on
each case by itself and takes its time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cases import CASES, Expected, found_in, problems
from wirespeed.diagnosis.advise import advise
from wirespeed.experiment import confirm
from wirespeed.model.plan import AdvicePlan, RequestWishes
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject

from .conftest import MakeEnvironment
from .test_versions import CURRENT, RELEASES, Version

pytestmark = pytest.mark.matrix

FOLDER = Path(__file__).parents[1] / "cases"
NUMBERS = sorted(CASES)

PYDANTIC_OF_ITS_TIME = {"0.100.1": ("pydantic==2.1.1",)}
"""Case 10 does not import there with a Pydantic of today: FastAPI 0.100 reads the defaults of its annotated
parameters in a way that Pydantic has changed since.
"""
HOP_MARGIN = 0.1
"""What a request alone may lose where others gain by a thread: on cores that others use, a hop costs more
than two per cent of the 15 ms that case 07 waits, and ``def`` is rightly refused.
"""


@pytest.fixture(scope="module", params=[*RELEASES, "current"])
def version(request: pytest.FixtureRequest) -> Version:
    name: str = request.param
    if name == "current":
        return Version(CURRENT, Path(sys.executable))
    return Version(f"fastapi=={name}", Path(sys.executable), PYDANTIC_OF_ITS_TIME.get(name, ()))


Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def ask(version: Version, environment: MakeEnvironment) -> Ask:
    """Advise on this version: many short rounds, and a budget that a busy machine can keep."""
    python = environment(version.requirement, version.python, *version.besides)

    def ask(wishes: RequestWishes, rounds: int, margin: float = 0.02) -> dict[str, Any]:
        plan = AdvicePlan(
            subject=AppSubject(app="all_of_them:app", python=python, folder=FOLDER),
            wishes=wishes,
            budget_s=300,
            margin=margin,
            alpha=0.05,
            live_calls=3,
            rounds=rounds,
            seed=1,
            deadline_s=10,
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(confirm, "ARM_BUDGETS_NS", confirm.ARM_BUDGETS_NS[-1:])
            return advise(plan).advice.model_dump(mode="json")

    return ask


@pytest.fixture(scope="module")
def advised(ask: Ask) -> dict[str, Any]:
    """The ``advice`` document on all cases."""
    return ask(RequestWishes(), rounds=5)


def expected_on(version: Version, number: str) -> Expected:
    """How much something helps depends on the version, and for response classes whether it does."""
    if version.requirement == CURRENT:
        return CASES[number]
    expected = replace(CASES[number], at_least=1.02)
    if number == "03" and not version.writes_bytes_itself:
        return replace(expected, arms=(), refused=("drop response_class",))
    return expected


@pytest.mark.parametrize("number", NUMBERS)
def test_a_published_case_is_diagnosed_and_cured_on_every_version(
    version: Version, ask: Ask, advised: dict[str, Any], number: str
) -> None:
    """A busy machine leaves things undecided, and makes thread hops dear: what is not as expected is measured
    once more by itself. What is wrong stays wrong.
    """
    expected = expected_on(version, number)
    (mine,) = (each for each in advised["endpoints"] if each["request"].startswith(f"GET /{number}/"))
    if problems(expected, found_in({**advised, "endpoints": [mine]}, expected.code)):
        named = Request(method="GET", path=mine["request"].removeprefix("GET "))
        margin = HOP_MARGIN if expected.code == "WS201" else 0.02
        (mine,) = ask(RequestWishes(named=(named,), only=True), rounds=12, margin=margin)["endpoints"]

    found = found_in({**advised, "endpoints": [mine]}, expected.code)

    assert problems(expected, found) == [], [
        (arm["name"], arm["verdict"], arm["reason"], arm["whole"]) for arm in mine["arms"]
    ]
