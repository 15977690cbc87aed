"""Answers of 50 MB, and endpoints that want gigabytes, cost their own line a note at most."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from wirespeed.model.advice import Advice

from .conftest import APPS, endpoint, recommended
from .test_figures import RUN

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="limits are taken from /proc"),
]

CONDUCTOR_KB = 300_000


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Advice, int]:
    """The advice, and the peak of wirespeed's own process in kilobytes."""
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-c",
                RUN,
                "advise",
                "heavy:app",
                "--folder",
                str(APPS),
                "--python",
                sys.executable,
            ),
            *("--rounds", "6", "--budget", "90s", "--no-save", "--json"),
        ],
        cwd=tmp_path_factory.mktemp("heavy"),
        capture_output=True,
        text=True,
        check=True,
    )
    return Advice.model_validate_json(done.stdout), int(done.stderr.split()[-2])


@pytest.fixture(scope="module")
def advice(told: tuple[Advice, int]) -> Advice:
    return told[0]


@pytest.mark.parametrize("path", ["/fifty-megabytes", "/fifty-megabytes-by-hand"])
def test_an_answer_of_fifty_megabytes_is_measured(advice: Advice, path: str) -> None:
    found = endpoint(advice, f"GET {path}")

    assert found.body_bytes is not None
    assert found.body_bytes >= 50_000_000
    assert found.whole_ns is not None
    assert found.unstable == ()


def test_such_answers_do_not_pass_through_wirespeed(told: tuple[Advice, int]) -> None:
    _, peak_kb = told

    assert peak_kb < CONDUCTOR_KB


def test_an_endpoint_that_takes_four_gigabytes_is_measured_where_there_are_so_many(advice: Advice) -> None:
    found = endpoint(advice, "GET /four-gigabytes")

    assert found.whole_ns is not None or "it wants more memory than the" in (found.note or "")


def test_an_endpoint_that_wants_more_than_there_is_fails_by_itself_and_is_told_why(advice: Advice) -> None:
    found = endpoint(advice, "GET /more-than-there-is")

    assert found.conclusion == "failed"
    assert found.note is not None
    assert found.note.startswith("MemoryError (it wants more memory than the ")


def test_beside_them_others_are_advised_on_and_edited(advice: Advice) -> None:
    found = endpoint(advice, "GET /fine")
    remedy = recommended(found)

    assert remedy is not None, [(each.name, each.verdict, each.reason, each.whole) for each in found.arms]
    assert remedy.code == "WS101"
    # Gigabytes take their time, which may leave none to time the edited app; all answers are compared first.
    alike = (remedy.reason or "").startswith("the edited app answers alike")
    assert remedy.confirmed_by == "edit" or alike, remedy.reason
