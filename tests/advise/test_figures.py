"""What is found on a quiet machine: the published figures, and what stands between us and them."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from wirespeed.diagnosis.advise import advise
from wirespeed.model.advice import Advice
from wirespeed.model.verdict import Estimate

from .conftest import EXAMPLES, MakePlan, arm, endpoint, recommended

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def users(plan: MakePlan) -> Advice:
    return advise(plan("users:app", EXAMPLES, rounds=8)).advice


def test_the_untyped_users_are_told_their_type_and_gain_five_times(users: Advice) -> None:
    remedy = recommended(endpoint(users, "GET /untyped"))

    assert remedy is not None
    assert (remedy.name, remedy.fidelity, remedy.safe_by) == ("-> list[User]", "identical", "type")
    assert remedy.whole is not None
    assert remedy.whole.interval[1] < 1 / 5


@pytest.mark.parametrize("path", ["/typed", "/response-model"])
def test_typed_users_have_nothing_to_gain_from_a_type(users: Advice, path: str) -> None:
    found = endpoint(users, f"GET {path}")

    assert found.fast_path
    assert "WS101" not in {finding.code for finding in found.findings}
    assert {each.kind for each in found.arms} <= {"code"}


def test_a_small_def_is_not_told_to_annotate_because_that_is_slower(users: Advice) -> None:
    types = [each for each in endpoint(users, "GET /health").arms if each.code == "WS101"]

    assert types
    assert not any(each.recommended for each in types)
    assert all(each.whole is None or each.whole.ratio > 1 for each in types)


def test_a_wait_does_not_hide_what_the_response_path_gains(plan: MakePlan) -> None:
    advice = advise(plan("waiting:app", rounds=12, budget_s=120.0)).advice
    at_once, waiting = (
        arm(endpoint(advice, path), "drop response_class") for path in ("GET /at-once", "GET /after-a-wait")
    )

    assert waiting.recommended
    assert at_once.response_path is not None
    assert waiting.response_path is not None
    apart = abs(math.log(waiting.response_path.ratio / at_once.response_path.ratio))
    left_open = math.hypot(half_width(at_once.response_path), half_width(waiting.response_path))
    assert apart < max(0.03, left_open)


def half_width(estimate: Estimate) -> float:
    """What a busy machine leaves open, as a log ratio; on a quiet one it is well below 0.03."""
    low, high = estimate.interval
    return math.log(high / low) / 2


RUN = """
import sys
from pathlib import Path
from wirespeed.cli.shell import run
code = run(sys.argv[1:])
peak = next(l for l in Path("/proc/self/status").read_text().splitlines() if l.startswith("VmHWM"))
print(peak, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to read a process's peak")
def test_the_conductor_stays_below_300_megabytes_on_sixty_endpoints(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-c", RUN, "advise", "shop.main:app", "--folder", str(EXAMPLES)),
            *("--python", sys.executable, "--no-save", "--json", "--budget", "30s"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    peak_kb = int(done.stderr.split()[-2])
    advice = Advice.model_validate_json(done.stdout)

    assert len(advice.endpoints) > 40
    assert peak_kb < 300_000
