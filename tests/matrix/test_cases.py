"""The published cases on every FastAPI: the same diagnosis, and the remedy that helps on that one."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cases import CASES, Expected, advise, found_in, problems

from .conftest import MakeEnvironment
from .test_versions import CURRENT, RELEASES, Version

pytestmark = [pytest.mark.matrix, pytest.mark.cases]

FOLDER = Path(__file__).parents[1] / "cases"
NUMBERS = sorted(CASES)


@pytest.fixture(scope="module", params=[*RELEASES, "current"])
def version(request: pytest.FixtureRequest) -> Version:
    name: str = request.param
    return Version(CURRENT if name == "current" else f"fastapi=={name}", Path(sys.executable))


def expected_on(version: Version, number: str) -> Expected:
    """By how much something helps depends on the version, and for response classes whether it does."""
    expected = replace(CASES[number], at_least=1.02)
    if number == "03" and not version.writes_bytes_itself:
        return replace(expected, arms=(), refused=("drop response_class",))
    return expected


@pytest.mark.parametrize("number", NUMBERS)
def test_a_published_case_is_diagnosed_and_cured_on_every_version(
    version: Version, environment: MakeEnvironment, number: str
) -> None:
    python = environment(version.requirement, version.python)
    (app,) = FOLDER.glob(f"{number}_*.py")
    expected = expected_on(version, number)

    found = found_in(advise(app, ["--python", str(python), "--budget", "60s"]), expected.code)

    assert problems(expected, found) == [], found
