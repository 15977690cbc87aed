"""Every round has a process of its own, and whatever ends one early leaves what was measured standing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.experiment.events import Event, ProbeStarted, RoundStarted
from wirespeed.subject import agent

from .conftest import MakePlan, advise_quickly

pytestmark = pytest.mark.slow


def count_starts(folder: Path, source: str) -> Path:
    (folder / "main.py").write_text(
        "from pathlib import Path\n"
        "STARTS = Path(__file__).with_name('starts')\n"
        "STARTS.open('a').write('x')\n"
        "STARTED = len(STARTS.read_text())\n"
        "from contextlib import asynccontextmanager\n"
        "from fastapi import FastAPI\n" + source
    )
    return folder


ROWS = """
@app.get("/rows")
async def rows():
    return [{"n": n, "name": f"row {n}"} for n in range(200)]
"""


def test_an_app_that_does_not_start_twice_is_reported_with_what_was_seen(
    plan: MakePlan, tmp_path: Path
) -> None:
    folder = count_starts(tmp_path, f"assert STARTED == 1, 'the port is taken'\napp = FastAPI()\n{ROWS}")
    outcome = advise_quickly(plan("main:app", folder))
    (found,) = outcome.advice.endpoints

    assert not outcome.interrupted
    assert outcome.advice.complete is False
    assert any("did not start again" in note and "the port is taken" in note for note in outcome.advice.notes)
    assert found.conclusion == "undecided"
    assert found.note is not None
    assert "the port is taken" in found.note
    assert found.whole_ns is not None


def test_rounds_that_were_measured_stand_when_the_app_does_not_start_any_more(
    plan: MakePlan, tmp_path: Path
) -> None:
    folder = count_starts(tmp_path, f"assert STARTED <= 3, 'enough'\napp = FastAPI()\n{ROWS}")
    advice = advise_quickly(plan("main:app", folder, rounds=4)).advice

    assert advice.plan.rounds == 2
    assert any(each.whole is not None for each in advice.endpoints[0].arms)


HANGS = """
@asynccontextmanager
async def lifespan(app):
    yield
    import time
    time.sleep(3600)

app = FastAPI(lifespan=lifespan)
"""


def test_a_shutdown_that_hangs_is_named_and_waited_for_only_once(
    plan: MakePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "SHUTDOWN_DEADLINE_S", 0.5)
    waited: list[str] = []
    shut_down = agent.AgentProcess._shut_down

    def noting(self: agent.AgentProcess) -> None:
        waited.append("")
        shut_down(self)

    monkeypatch.setattr(agent.AgentProcess, "_shut_down", noting)
    advice = advise_quickly(plan("main:app", count_starts(tmp_path, HANGS + ROWS))).advice

    assert any(note.startswith("Gave up shutting main:app down") for note in advice.notes)
    assert advice.plan.rounds == 3
    assert len(waited) == 1


def interrupted_at(kind: type[Event], index: int) -> Callable[[Event], None]:
    def listener(event: Event) -> None:
        if isinstance(event, kind) and event.index == index:  # type: ignore[union-attr]
            raise KeyboardInterrupt

    return listener


def test_ctrl_c_between_two_rounds_keeps_those_that_are_complete(plan: MakePlan, tmp_path: Path) -> None:
    folder = count_starts(tmp_path, f"app = FastAPI()\n{ROWS}")
    outcome = advise_quickly(plan("main:app", folder), interrupted_at(RoundStarted, 3))

    assert outcome.interrupted
    assert (outcome.advice.complete, outcome.advice.plan.rounds) == (False, 2)
    assert "interrupted after 2 of 3 rounds" in outcome.advice.notes
    assert any(each.whole is not None for each in outcome.advice.endpoints[0].arms)


def test_ctrl_c_in_round_zero_keeps_the_endpoints_that_were_seen(plan: MakePlan, tmp_path: Path) -> None:
    folder = count_starts(tmp_path, f"app = FastAPI()\n{ROWS}{ROWS.replace('/rows', '/more')}")
    outcome = advise_quickly(plan("main:app", folder), interrupted_at(ProbeStarted, 2))

    assert outcome.interrupted
    assert [each.request for each in outcome.advice.endpoints] == ["GET /rows"]
    assert outcome.advice.endpoints[0].conclusion == "undecided"
