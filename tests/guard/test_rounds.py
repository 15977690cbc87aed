"""Rounds go on until all is decided, and what fails while it is measured has no speed."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from wirespeed.errors import SubjectDied
from wirespeed.experiment.design import Run
from wirespeed.experiment.events import ignore
from wirespeed.guard.course import (
    FEWEST_TURNS,
    MOST_TURNS,
    is_settled,
    log_ratio,
    stints_of,
    twin_log_ratio,
)
from wirespeed.guard.deciding import certificate_of, decision_of
from wirespeed.guard.judging import LOOKS
from wirespeed.guard.rounds import Evidence, measure_rounds
from wirespeed.guard.trio import HEAD, TWIN, Asked, HostFailed, Turn
from wirespeed.model.guard import BehaviourChange, Certificate, GuardDecision
from wirespeed.model.guard_plan import GuardPlan
from wirespeed.model.plan import RequestWishes
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject

PASS, FAIL, INCONCLUSIVE = GuardDecision.PASS, GuardDecision.FAIL, GuardDecision.INCONCLUSIVE
PLAN = GuardPlan(
    subject=AppSubject(app="main:app", python=Path("python"), folder=Path()),
    base="main",
    wishes=RequestWishes(),
    max_slowdown=0.02,
    alpha=0.05,
    budget_s=30.0,
    seed=1,
    deadline_s=10.0,
)
FIT = Certificate(ratio=1.0, interval=(0.99, 1.01), fit=True)
Times = Callable[[int, str], float]
"""Of a host and a path: how many times longer than usual it takes."""


class ScriptedStage:
    def __init__(self, times: Times, spread: float, rng: random.Random) -> None:
        self._times = times
        self._spread = spread
        self._rng = rng

    def sweep(self, host: int, asked: Sequence[Asked], run: Run) -> list[Turn]:
        return [self._turn(host, each, run) for each in asked]

    def _turn(self, host: int, asked: Asked, run: Run) -> Turn:
        factor = self._times(host, asked.request.path)
        if factor < 0:
            raise HostFailed(host, SubjectDied("the process was killed", during="measuring"))
        median_ns = asked.call_ns * factor * (1 + self._rng.gauss(0, self._spread))
        errors = run.length if factor > 50 else 0
        return Turn(median_ns, median_ns, 0.0, run.length, errors)


def measured(times: Times, *paths: str, spread: float = 0.01, seconds: float = 60.0) -> Evidence:
    """What scripted processes give, with endpoints of a millisecond."""
    warmed: list[list[str]] = []

    def theatre(asked: Sequence[Asked], rng: random.Random) -> AbstractContextManager[ScriptedStage]:
        @contextmanager
        def stage() -> Iterator[ScriptedStage]:
            warmed.append([each.request.path for each in asked])
            yield ScriptedStage(times, spread, rng)

        return stage()

    asked = [Asked(Request(method="GET", path=path), 200, 1e6) for path in paths]
    ends = time.monotonic() + seconds
    evidence = measure_rounds(theatre, asked, PLAN, start_s=0.05, ends=ends, listener=ignore)
    assert len(warmed) >= len(evidence.rounds)
    return evidence


def even(host: int, path: str) -> float:
    return 1.0


def test_unchanged_code_passes_at_one_of_the_first_looks() -> None:
    evidence = measured(even, "/a", "/b")
    assert {judged.decision for judged in evidence.judgements.values()} == {PASS}
    assert evidence.overall is not None
    assert evidence.overall.decision is PASS
    assert len(evidence.rounds) < LOOKS[-1]


def test_the_slower_endpoint_fails_and_the_others_pass() -> None:
    evidence = measured(lambda host, path: 1.2 if (host, path) == (HEAD, "/b") else 1.0, "/a", "/b", "/c")
    assert {number: judged.decision for number, judged in evidence.judgements.items()} == {
        0: PASS,
        1: FAIL,
        2: PASS,
    }


def test_a_decided_endpoint_is_measured_no_more_once_overall_is_decided() -> None:
    def one_undecidable(host: int, path: str) -> float:
        return 1.02 if (host, path) == (HEAD, "/on-the-limit") else 1.0

    evidence = measured(one_undecidable, "/on-the-limit", *(f"/{n}" for n in range(8)))
    assert len(evidence.rounds[0].blocks) == 9
    assert len(evidence.rounds[-1].blocks) < 9


def test_without_time_the_fewest_rounds_are_measured_all_the_same() -> None:
    assert len(measured(even, "/a", seconds=0.0).rounds) == LOOKS[0]


def test_an_endpoint_that_takes_head_down_is_given_up_and_the_others_are_measured() -> None:
    evidence = measured(lambda host, path: -1.0 if (host, path) == (HEAD, "/b") else 1.0, "/a", "/b")
    assert evidence.lost[1].host == HEAD
    assert evidence.sound == [0]
    assert evidence.judgements[0].decision is PASS


def test_calls_that_fail_in_head_are_never_called_faster() -> None:
    evidence = measured(lambda host, path: 100.0 if host == HEAD else 1.0, "/a")
    assert evidence.is_failing(0)
    assert evidence.errors_of(0)[HEAD] > 0
    assert evidence.judgements == {}


def test_ctrl_c_keeps_the_rounds_that_are_complete() -> None:
    calls = iter(range(10_000))

    def interrupted(host: int, path: str) -> float:
        if next(calls) > 100:
            raise KeyboardInterrupt
        return 1.0

    evidence = measured(interrupted, "/a")
    assert evidence.interrupted
    assert evidence.rounds


def block(base: float, twin: float, head: float) -> tuple[Turn, Turn, Turn]:
    return Turn(base, base, 0, 5, 0), Turn(twin, twin, 0, 5, 0), Turn(head, head, 0, 5, 0)


def test_head_is_measured_against_both_processes_of_base() -> None:
    assert log_ratio([block(100, 400, 200)]) == pytest.approx(0.0)
    assert twin_log_ratio([block(100, 100, 7)]) == pytest.approx(0.0)
    assert twin_log_ratio([block(100, 200, 7)]) > 0.69


def test_what_others_took_of_the_machine_is_in_no_ratio() -> None:
    whole = [block(100, 100, 100)] * 3
    disturbed = [block(200, 100, 190), block(150, 210, 400), *whole, block(100, 190, 100)]
    assert log_ratio(disturbed) == pytest.approx(0.0)
    assert twin_log_ratio(disturbed) == pytest.approx(0.0)


def test_turns_go_on_until_each_process_has_reached_its_full_speed_three_times() -> None:
    twice = [block(100, 100, 150), block(100.5, 100, 150)]
    assert not is_settled(twice)
    assert not is_settled([*twice, block(140, 100, 150)])
    assert is_settled([*twice, block(140, 100, 150), block(100.9, 180, 150.1)])


def test_short_requests_get_many_turns_and_long_ones_a_few() -> None:
    asked = [Asked(Request(method="GET", path="/"), 200, call_ns) for call_ns in (1e5, 1e8)]
    short, long = stints_of(asked, sweeps_s=1.5)
    assert FEWEST_TURNS <= long.most_turns < short.most_turns <= MOST_TURNS
    assert long.run.requests < short.run.requests


def test_a_base_that_differs_from_itself_makes_the_machine_unfit() -> None:
    evidence = measured(lambda host, path: 1.3 if (host, path) == (TWIN, "/b") else 1.0, "/a", "/b")
    certificate = certificate_of(evidence, ["GET /a", "GET /b"])
    assert not certificate.fit
    assert certificate.unfit == ("GET /b",)


def test_a_steady_base_makes_the_machine_fit_even_where_head_is_slower() -> None:
    evidence = measured(lambda host, path: 1.3 if host == HEAD else 1.0, "/a", "/b")
    certificate = certificate_of(evidence, ["GET /a", "GET /b"])
    assert certificate.fit
    assert certificate.interval is not None
    assert certificate.interval[0] < 1 < certificate.interval[1] or certificate.ratio == pytest.approx(
        1, abs=0.02
    )


def changed(allowed: bool) -> BehaviourChange:
    return BehaviourChange(request="GET /a", change="body", differences=(), allowed=allowed)


@pytest.mark.parametrize(
    ("changes", "fit", "decisions", "expected"),
    [
        ([], True, [PASS, PASS], PASS),
        ([], True, [PASS, FAIL], FAIL),
        ([], True, [FAIL, INCONCLUSIVE], FAIL),
        ([], True, [PASS, INCONCLUSIVE], INCONCLUSIVE),
        ([], True, [None, None], INCONCLUSIVE),
        ([], True, [PASS, None], PASS),
        ([], False, [FAIL, FAIL], INCONCLUSIVE),
        ([], False, [PASS, PASS], INCONCLUSIVE),
        ([changed(True)], True, [PASS, PASS], PASS),
        ([changed(False)], True, [PASS, PASS], FAIL),
        ([changed(False)], False, [PASS, PASS], FAIL),
    ],
)
def test_behaviour_decides_first_and_nobody_is_blamed_for_a_machine(
    changes: list[BehaviourChange], fit: bool, decisions: list[GuardDecision | None], expected: GuardDecision
) -> None:
    certificate = FIT.model_copy(update={"fit": fit})
    assert decision_of(changes, certificate, decisions) is expected
