"""Pairs of requests, compared round by round until each is decided; agents play back a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from wirespeed.errors import MeasurementInvalid
from wirespeed.experiment.events import ignore
from wirespeed.experiment.selfcheck import kind_of
from wirespeed.experiment.sequence import Comparison, compare_pairs
from wirespeed.experiment.stopping import SequentialPlan
from wirespeed.model.request import Request
from wirespeed.model.verdict import Verdict
from wirespeed.stats.autocorrelation import CALIBRATION_ROUNDS

PLAN = SequentialPlan()
Time = Callable[[str, int], float]
"""Nanoseconds by path and process."""


class Script:
    def __init__(self, time_ns: Time) -> None:
        self.time_ns = time_ns
        self.processes = 0
        self.asked: list[tuple[int, str]] = []
        self.failed = 0

    @contextmanager
    def boot(self) -> Iterator[Script]:
        self.processes += 1
        yield self

    def call(self, op: str, args: dict[str, Any], *, deadline_s: float, doing: str) -> Any:
        paths = [request["path"] for request in args["requests"]]
        self.asked.append((self.processes, paths[1]))
        times = [self.time_ns(path, self.processes) for path in paths]
        runs = [[[time, time, 0, 5, time]] * len(args["schedule"]["orders"]) for time in times]
        return {"runs": runs, "errors": [0, self.failed]}


def pair(path: str) -> tuple[Request, Request]:
    return Request(method="GET", path="/baseline"), Request(method="GET", path=path)


def compared(time_ns: Time, *paths: str, plan: SequentialPlan | None = PLAN, rounds: int = 40) -> Any:
    script = Script(time_ns)
    comparisons = compare_pairs(
        script.boot,
        [pair(path) for path in paths],
        plan,
        rounds=rounds,
        seed=1,
        arm_budget_ns=60_000_000,
        listener=ignore,
    )
    return script, comparisons


def wobbling(path: str, process: int) -> float:
    """A tenth of a per cent of spread, so that intervals have a width."""
    factor = {"/baseline": 1.0, "/slower": 1.2, "/same": 1.0}[path]
    return 1e6 * factor * (1 + 0.001 * ((process * 7 + len(path)) % 5 - 2))


def test_each_pair_stops_at_the_look_that_decides_it() -> None:
    script, (slower, same) = compared(wobbling, "/slower", "/same")

    assert slower.decision.verdict is Verdict.SLOWER
    assert same.decision.verdict is Verdict.EQUIVALENT
    assert slower.decision.estimate.ratio == pytest.approx(1.2, rel=0.01)
    assert len(slower.log_ratios) == PLAN.looks[0]
    assert script.processes == 1 + max(len(slower.log_ratios), len(same.log_ratios))


def test_a_decided_pair_is_not_measured_any_more() -> None:
    def time_ns(path: str, process: int) -> float:
        wild = 1.0 + 0.3 * (process % 2) if path == "/wild" else 1.0
        return wobbling("/slower" if path == "/slower" else "/baseline", process) * wild

    script, (slower, wild) = compared(time_ns, "/slower", "/wild", rounds=16)

    assert slower.decision is not None
    assert wild.decision is None
    assert [path for _, path in script.asked].count("/slower") < [p for _, p in script.asked].count("/wild")


def test_without_a_plan_all_rounds_are_measured_and_nothing_is_decided() -> None:
    _, (same,) = compared(wobbling, "/same", plan=None, rounds=5)

    assert len(same.log_ratios) == 5
    assert same.decision is None


def test_ctrl_c_keeps_the_rounds_that_are_complete() -> None:
    def time_ns(path: str, process: int) -> float:
        if process == 4:
            raise KeyboardInterrupt
        return wobbling(path, process)

    _, (same,) = compared(time_ns, "/same", plan=None, rounds=5)

    assert len(same.log_ratios) == 2


def test_a_request_that_fails_supports_no_comparison() -> None:
    script = Script(wobbling)
    script.failed = 2

    with pytest.raises(MeasurementInvalid, match="GET /same failed 2 times"):
        compare_pairs(
            script.boot,
            [pair("/same")],
            None,
            rounds=1,
            seed=1,
            arm_budget_ns=60_000_000,
            listener=ignore,
        )


# -- what selfcheck makes of them ----------------------------------------------------------------------------


def self_compared(rounds: int) -> Comparison:
    spread = [0.01, -0.01, 0.02, 0.0, -0.02]
    request = Request(method="GET", path="/small")
    return Comparison((request, request), 123_456.7, [spread[n % 5] for n in range(rounds)])


def test_a_few_rounds_show_a_spread_and_no_dependence() -> None:
    kind = kind_of(self_compared(10))

    assert (kind.request, kind.call_ns, kind.rounds) == ("GET /small", 123_457, 10)
    assert kind.round_sd == pytest.approx(0.0149, abs=1e-4)
    assert (kind.autocorrelation, kind.pairings) == (None, None)


def test_many_rounds_show_how_far_neighbours_depend_on_each_other() -> None:
    kind = kind_of(self_compared(CALIBRATION_ROUNDS))

    assert kind.autocorrelation is not None
    assert kind.pairings is not None


def test_more_rounds_show_smaller_effects() -> None:
    kind = kind_of(self_compared(20))

    assert 0 < kind.smallest_effect_40 < kind.smallest_effect_8
