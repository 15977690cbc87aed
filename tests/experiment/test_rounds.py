"""When rounds end and which of them count, with a lens that plays back what it is told."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wirespeed.errors import SubjectDied
from wirespeed.experiment import rounds as rounds_module
from wirespeed.experiment.design import Run
from wirespeed.experiment.events import ignore
from wirespeed.experiment.figures import Sample
from wirespeed.experiment.rehearsal import Course
from wirespeed.experiment.rhythm import Rhythm, Turn
from wirespeed.experiment.rounds import Rounds, measure_rounds, procedure
from wirespeed.experiment.sameness import Answer
from wirespeed.model.comparison_plan import ArmPlan, ComparisonPlan
from wirespeed.model.request import Request
from wirespeed.model.subject import BaseUrl
from wirespeed.model.verdict import Verdict
from wirespeed.stats import LOOKS, sequential_bounds
from wirespeed.subject.machine import CpuTicks

Time = Callable[[int, int], float]
"""Nanoseconds by round and arm."""


@pytest.fixture(autouse=True)
def quiet_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """In no time at all, a single stolen tick is most of the CPU time."""
    monkeypatch.setattr(rounds_module, "cpu_ticks", lambda: None)


class Playback:
    """A stage and its lens: ``time`` says what each arm takes in each round."""

    def __init__(self, time: Time, *, errors: Callable[[int, int], int] = lambda r, a: 0) -> None:
        self.time = time
        self.errors = errors
        self.rounds: list[list[int]] = []
        self.turns: list[int] = []
        self.trouble: dict[int, str] = {}
        self.raises: dict[int, BaseException] = {}

    @contextmanager
    def stage(self, arms: Sequence[int]) -> Iterator[Playback]:
        self.rounds.append(list(arms))
        yield self
        if error := self.raises.get(len(self.rounds)):
            raise error

    def warm_up(self, arm: int, requests: int) -> None: ...

    def sample(self, arm: int, turn: Turn, status: int) -> Sample:
        self.turns.append(arm)
        number = len(self.rounds) - 1
        failed = self.errors(number, arm)
        return Sample(
            time_ns=self.time(number, arm),
            latencies_ns=np.array([], dtype=np.int64),
            sent=100,
            answered=100 - failed,
            errors=Counter(reset=failed),
        )

    def memory_bytes(self, arm: int) -> int | None:
        return None

    def troubles(self) -> list[str]:
        told = self.trouble.get(len(self.rounds))
        return [told] if told else []

    def answers(self, arm: int, number: int) -> list[Answer]:
        raise NotImplementedError

    def call_ns(self, arm: int) -> float:
        raise NotImplementedError


def plan(arms: int = 2, **changed: Any) -> ComparisonPlan:
    url = BaseUrl(url="http://127.0.0.1:1")
    known: dict[str, Any] = {
        "arms": [
            ArmPlan(name=f"arm {n}", subject=url, request=Request(method="GET", path="/"))
            for n in range(arms)
        ],
        "lens": "service",
        "connections": 1,
        "metric": "median_service_time",
        "margin": 0.02,
        "alpha": 0.05,
        "budget_s": None,
        "max_errors": 0.001,
        "allow_different": False,
        "timeout_s": 1.0,
        "verify_tls": True,
        "seed": 7,
        "folder": Path("/"),
    }
    return ComparisonPlan.model_validate({**known, **changed})


def course(looks: tuple[int, ...] = LOOKS) -> Course:
    return Course(Rhythm(blocks=2, turns=(Run(5, 2),) * 5, warm_up=2), looks, 1.0)


def played(lens: Playback, wanted: ComparisonPlan | None = None, looks: tuple[int, ...] = LOOKS) -> Rounds:
    wanted = wanted or plan()
    return measure_rounds(lens, wanted, course(looks), [200] * len(wanted.arms), ignore)


def noise(seed: int) -> Time:
    rng = np.random.default_rng(seed)
    return lambda number, arm: 1e6 * math.exp(0.001 * rng.standard_normal())


def undecided(number: int, arm: int) -> float:
    """Ratios of 1.1 and 0.9 in turn: no look decides."""
    return 1e6 * (1 + 0.1 * arm * (-1) ** number)


def test_rounds_end_at_the_look_that_decides() -> None:
    rounds = played(Playback(lambda number, arm: 2e6 if arm else 1e6))
    assert len(rounds.measured) == LOOKS[0]
    assert rounds.decisions[1].verdict is Verdict.SLOWER


def test_rounds_end_at_the_last_look_with_a_decision_of_any_kind() -> None:
    rounds = played(Playback(undecided))
    assert len(rounds.measured) == LOOKS[-1]
    assert rounds.decisions[1].verdict is Verdict.INCONCLUSIVE


def test_arms_that_are_decided_are_no_longer_measured() -> None:
    lens = Playback(lambda number, arm: 2e6 if arm == 1 else undecided(number, arm))
    rounds = played(lens, plan(3), looks=(8, 14))
    assert lens.rounds == [[0, 1, 2]] * 8 + [[0, 2]] * 6
    assert {arm: str(each.verdict) for arm, each in rounds.decisions.items()} == {
        1: "slower",
        2: "inconclusive",
    }


def test_all_verdicts_of_several_arms_share_the_error_allowed() -> None:
    for arms in (2, 5):
        bounds = procedure(plan(arms), LOOKS).bounds
        assert bounds == sequential_bounds(LOOKS, 0.05 / (arms - 1))


def test_every_block_gives_every_arm_a_turn() -> None:
    lens = Playback(noise(1))
    played(lens, plan(3))
    blocks = [lens.turns[start : start + 3] for start in range(0, len(lens.turns), 3)]
    assert all(sorted(block) == [0, 1, 2] for block in blocks)
    assert len(set(map(tuple, blocks))) > 1


def test_the_same_seed_gives_the_same_order() -> None:
    turns = []
    for seed in (1, 1, 2):
        lens = Playback(noise(1))
        played(lens, plan(3, seed=seed))
        turns.append(lens.turns)
    assert turns[0] == turns[1] != turns[2]


def test_many_errors_end_the_rounds_early() -> None:
    rounds = played(Playback(undecided, errors=lambda number, arm: 5 if arm and number else 0))
    assert len(rounds.measured) == 2


def test_a_server_that_was_started_again_ends_the_rounds() -> None:
    lens = Playback(undecided)
    lens.trouble[3] = "a process ended"
    rounds = played(lens)
    assert (len(rounds.measured), rounds.reasons) == (3, ["a process ended"])


def test_a_server_that_dies_after_the_first_round_is_a_reason_and_no_crash() -> None:
    lens = Playback(undecided)
    lens.raises[4] = SubjectDied("uvicorn ended by itself", during="serving")
    rounds = played(lens)
    assert (len(rounds.measured), rounds.reasons) == (3, ["round 4: uvicorn ended by itself"])


def test_the_reason_has_what_the_app_said_last_and_what_to_do() -> None:
    lens = Playback(undecided)
    lens.raises[1] = SubjectDied(
        "uvicorn lost a worker.", during="serving", advice="Free memory.", output="Loading\nout of memory\n\n"
    )
    assert played(lens).reasons == [
        "round 1: uvicorn lost a worker; it last said 'out of memory'; Free memory"
    ]


def test_ctrl_c_keeps_the_rounds_that_are_complete() -> None:
    lens = Playback(undecided)
    lens.raises[5] = KeyboardInterrupt()
    rounds = played(lens)
    assert (len(rounds.measured), rounds.interrupted, rounds.decisions) == (4, True, {})


def test_time_is_only_called_right_after_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds_module.time, "monotonic", iter(range(0, 10_000, 10)).__next__)
    rounds = played(Playback(undecided), plan(budget_s=35.0))
    # At the looks the clock says 10, 20, 30, 40.
    assert (len(rounds.measured), rounds.decisions) == (LOOKS[3], {})


def test_a_round_in_which_others_took_the_cpu_does_not_count_and_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readings = iter([CpuTicks(0, 0), CpuTicks(100, 50)] + [CpuTicks(100 * n, 50) for n in range(2, 100)])
    monkeypatch.setattr(rounds_module, "cpu_ticks", lambda: next(readings))
    rounds = played(Playback(lambda number, arm: 2e6 if arm else 1e6))
    assert [each.kept for each in rounds.measured] == [False] + [True] * LOOKS[0]
    assert rounds.decisions[1].verdict is Verdict.SLOWER


def test_rounds_are_not_made_again_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter(CpuTicks(100 * n, 50 * n) for n in range(1000))
    monkeypatch.setattr(rounds_module, "cpu_ticks", lambda: next(readings))
    rounds = played(Playback(undecided), looks=(8,))
    assert (len(rounds.measured), len(rounds.kept)) == (12, 0)


def test_a_metric_that_a_round_does_not_give_ends_the_rounds() -> None:
    rounds = played(Playback(undecided), plan(metric="cpu_s_per_request"))
    assert rounds.reasons == ["arm 1: a round gave no cpu_s_per_request"]
