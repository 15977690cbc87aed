"""``advise --http``: the recommended remedies, once more through the app's own server."""

from __future__ import annotations

import venv
from pathlib import Path

import numpy as np
import pytest

from wirespeed.diagnosis.observation import Change
from wirespeed.diagnosis.served_remedies import UNCHANGED, figures_of, judged_endpoints
from wirespeed.errors import SubjectError, UsageError
from wirespeed.experiment.events import Event, ProbeStarted
from wirespeed.experiment.figures import ArmRound, ByArm, Sample
from wirespeed.experiment.served_pairs import PairEvidence, PairsEvidence
from wirespeed.model.advice import Advice, Arm, ThroughServer
from wirespeed.model.request import Request
from wirespeed.model.subject import ServerSettings

from .conftest import MakePlan, advise_quickly, endpoint, recommended

pytestmark = pytest.mark.slow

UVICORN = ServerSettings()
SAMPLE = Advice.model_validate_json((Path(__file__).parents[1] / "data" / "advice.json").read_bytes())

ROWS = """
from pathlib import Path
from fastapi import FastAPI

app = FastAPI()
ROWS = [{"n": n, "name": f"row {n}"} for n in range(300)]

@app.get("/rows")
async def rows():
    return ROWS

@app.post("/rows")
async def add():
    with Path(__file__).with_name("added").open("a") as file:
        file.write("x")
    return ROWS
"""


def write(folder: Path, source: str) -> Path:
    (folder / "main.py").write_text(source)
    return folder


def served(advice: Advice, request: str) -> ThroughServer:
    """What was measured of the one arm that was recommended."""
    (found,) = (arm.served for arm in endpoint(advice, request).arms if arm.served is not None)
    return found


def test_recommended_remedies_are_confirmed_through_the_server_except_where_that_is_not_safe(
    plan: MakePlan, tmp_path: Path
) -> None:
    folder, post = write(tmp_path, ROWS), Request(method="POST", path="/rows")
    advice = advise_quickly(plan("main:app", folder, named=(post,), rounds=4, server=UVICORN)).advice
    gotten, posted = served(advice, "GET /rows"), served(advice, "POST /rows")

    assert (gotten.server, gotten.workers, gotten.rounds) == ("uvicorn", 1, 4)
    assert gotten.alone is not None and gotten.alone.ratio < 1
    assert gotten.loaded is not None and gotten.loaded.n == 50 and gotten.loaded.ratio < 1
    assert not gotten.contradicts
    assert posted.alone is None and posted.loaded is None
    assert posted.reason == "POST may change something, and would be sent many hundred times"
    assert len((folder / "added").read_text()) < 100
    assert all(recommended(endpoint(advice, name)) for name in ("GET /rows", "POST /rows"))


def test_a_server_that_is_not_installed_is_told_before_anything_is_measured(
    plan: MakePlan, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    venv.create(bare, with_pip=False)
    asked = plan("main:app", write(tmp_path, ROWS), server=UVICORN)
    asked = asked.model_copy(
        update={"subject": asked.subject.model_copy(update={"python": bare / "bin" / "python"})}
    )
    with pytest.raises(UsageError, match=r"uvicorn is not installed in the environment of .*bare"):
        advise_quickly(asked, _expect_nothing_measured)


def test_an_app_that_cannot_be_served_is_told_before_anything_is_measured(
    plan: MakePlan, tmp_path: Path
) -> None:
    alone = "import sys\nassert 'uvicorn' not in sys.modules, 'not in a server'\n"
    with pytest.raises(SubjectError) as raised:
        advise_quickly(
            plan("main:app", write(tmp_path, alone + ROWS), server=UVICORN), _expect_nothing_measured
        )
    assert "not in a server" in (raised.value.app_traceback or "")


def _expect_nothing_measured(event: Event) -> None:
    assert not isinstance(event, ProbeStarted)


# What the rounds make of a remedy. Pure.


def arm_round(time_ns: float) -> ArmRound:
    return ArmRound((Sample(time_ns, np.array([], dtype=np.int64), sent=10, answered=10),))


def rounds_at(*ratios: float) -> list[ByArm]:
    return [{0: arm_round(1000.0), 1: arm_round(1000.0 * ratio)} for ratio in ratios]


def test_a_remedy_that_is_slower_through_the_server_is_recommended_no_longer(plan: MakePlan) -> None:
    pair = PairEvidence(alone=rounds_at(0.5, 0.51, 0.5), loaded=rounds_at(1.5, 1.52, 1.51))
    (found,) = figures_of(PairsEvidence([pair], rounds=3), UVICORN, plan("main:app"))
    place = _place_of_recommended(SAMPLE)
    judged = list(judged_endpoints(SAMPLE, {place: found}))[place[0]]

    assert found.contradicts
    assert recommended(judged) is None
    assert judged.conclusion == "elsewhere"
    assert judged.note == (
        "-> list[User] is faster when the app is called directly, but slower through uvicorn"
    )


def test_a_remedy_that_the_server_hides_stays_recommended(plan: MakePlan) -> None:
    pair = PairEvidence(alone=rounds_at(1.0, 1.01, 0.99), loaded=rounds_at(1.0, 1.003, 0.997))
    (found,) = figures_of(PairsEvidence([pair], rounds=3), UVICORN, plan("main:app"))
    place = _place_of_recommended(SAMPLE)
    judged = list(judged_endpoints(SAMPLE, {place: found}))[place[0]]

    assert not found.contradicts
    assert _recommended_arm(judged.arms).served == found


def _place_of_recommended(advice: Advice) -> tuple[int, int]:
    return next(
        (number, position)
        for number, each in enumerate(advice.endpoints)
        for position, arm in enumerate(each.arms)
        if arm.recommended
    )


def _recommended_arm(arms: tuple[Arm, ...]) -> Arm:
    (found,) = (arm for arm in arms if arm.recommended)
    return found


def test_the_route_as_it_is_is_a_change_that_changes_nothing() -> None:
    nothing = Change(name="nothing", code="", kind="option").for_agent()
    assert nothing.items() >= UNCHANGED.items()
