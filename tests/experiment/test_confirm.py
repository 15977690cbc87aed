"""Confirming rounds with agents that play back a script: what is planned, kept, dropped and given up."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from wirespeed.errors import AgentFailed, SubjectDied, SubjectError, SubjectHung
from wirespeed.experiment import confirm
from wirespeed.experiment.confirm import (
    ARM_BUDGETS_NS,
    BOOT,
    COMFORTABLE_ROUNDS,
    Evidence,
    Item,
    RoundsPlan,
    item_cost_s,
    keep_within,
    measure_rounds,
    plan_rounds,
    rounds_that_show,
)
from wirespeed.experiment.design import FEWEST_ROUNDS, MOST_ROUNDS
from wirespeed.experiment.events import Event, RoundFinished, RoundStarted, ignore
from wirespeed.model.request import Request

FAR = 1e12

Answer = Callable[[int, str], Any]
"""What an agent answers, by the number of its process and the path it is asked about; may raise."""


class Script:
    """Boots agents that answer as told, and notes what they were asked."""

    def __init__(self, answer: Answer = lambda process, path: {"by": process}) -> None:
        self.answer = answer
        self.processes = 0
        self.running = 0
        self.asked: list[tuple[int, str]] = []
        self.schedules: list[dict[str, Any]] = []
        self.boot_fails_at: dict[int, BaseException] = {}

    @contextmanager
    def boot(self) -> Iterator[Script]:
        self.processes += 1
        if error := self.boot_fails_at.get(self.processes):
            raise error
        self.running += 1
        assert self.running == 1, "two processes at once"
        try:
            yield self
        finally:
            self.running -= 1

    def call(self, op: str, args: dict[str, Any], *, deadline_s: float, doing: str) -> Any:
        path = args["request"]["path"]
        self.asked.append((self.processes, path))
        self.schedules.append(args["schedule"])
        assert op == "measure"
        assert deadline_s > args["live_calls"] * args["deadline_s"]
        return self.answer(self.processes, path)


def item(path: str = "/a", *, arms: int = 1, call_ns: float = 1e6, whole_ns: float = 2e6) -> Item:
    request = Request(method="GET", path=path)
    return Item(request, [{"change": n} for n in range(arms)], (call_ns,) * (1 + arms), whole_ns)


def plan(rounds: int = 3, items: int = 1) -> RoundsPlan:
    return RoundsPlan(rounds, ARM_BUDGETS_NS[-1], tuple(range(items)), live_calls=3, seed=7, deadline_s=10.0)


def measured(script: Script, *paths: str, rounds: int = 3, **options: Any) -> Evidence:
    given = {"ends": FAR, "listener": ignore, **options}
    return measure_rounds(script.boot, [item(path) for path in paths], plan(rounds), **given)


# -- rounds --------------------------------------------------------------------------------------------------


def test_every_round_has_a_fresh_process_and_asks_every_endpoint_once() -> None:
    script = Script()
    evidence = measured(script, "/a", "/b")

    assert script.asked == [(n, path) for n in (1, 2, 3) for path in ("/a", "/b")]
    assert evidence.rounds == [{0: {"by": n}, 1: {"by": n}} for n in (1, 2, 3)]
    assert (evidence.ended_early, evidence.failures, evidence.dropped) == (None, {}, [])


def test_orders_differ_between_rounds_and_endpoints_and_are_the_same_for_the_same_seed() -> None:
    first, again = Script(), Script()
    for script in (first, again):
        items = [item(path, arms=3) for path in ("/a", "/b")]
        measure_rounds(script.boot, items, plan(rounds=4), ends=FAR, listener=ignore)

    orders = [str(schedule["orders"]) for schedule in first.schedules]
    assert first.schedules == again.schedules
    assert len(set(orders)) == len(orders)


def test_an_endpoint_that_takes_the_process_down_is_given_up_and_costs_one_more_start() -> None:
    def answer(process: int, path: str) -> Any:
        if path == "/dies" and process == 2:
            raise SubjectDied("it exited with 3", during="measuring")
        return {"by": process}

    script = Script(answer)
    evidence = measured(script, "/a", "/dies", "/b")

    assert evidence.failures == {1: "it exited with 3"}
    assert [sorted(each) for each in evidence.rounds] == [[0, 1, 2], [0, 2], [0, 2]]
    assert script.asked[3:6] == [(2, "/a"), (2, "/dies"), (3, "/b")]
    assert script.processes == 4


@pytest.mark.parametrize(
    "error",
    [SubjectError("it answered 503"), AgentFailed("measure: KeyError"), SubjectHung("gave up", during="x")],
)
def test_an_endpoint_that_fails_is_not_asked_again_and_the_others_are(error: Exception) -> None:
    def answer(process: int, path: str) -> Any:
        if path == "/fails":
            raise error
        return {}

    script = Script(answer)
    evidence = measured(script, "/fails", "/b")

    assert [path for _, path in script.asked].count("/fails") == 1
    assert [path for _, path in script.asked].count("/b") == 3
    assert list(evidence.failures) == [0]


def test_an_app_that_does_not_start_again_keeps_the_rounds_before() -> None:
    script = Script()
    script.boot_fails_at[3] = SubjectError("the port is taken")
    evidence = measured(script, "/a")

    assert len(evidence.rounds) == 2
    assert evidence.ended_early == "the app did not start again for round 3: the port is taken"
    assert not evidence.interrupted


def interrupting(process: int, path: str) -> Any:
    if process == 2:
        raise KeyboardInterrupt
    return {}


def test_ctrl_c_in_a_round_keeps_the_rounds_before_and_leaves_no_process() -> None:
    script = Script(interrupting)
    evidence = measured(script, "/a")

    assert len(evidence.rounds) == 1
    assert evidence.interrupted
    assert evidence.ended_early == "interrupted after 1 of 3 rounds"
    assert script.running == 0


def test_ctrl_c_between_two_rounds_keeps_both() -> None:
    def listener(event: Event) -> None:
        if isinstance(event, RoundFinished) and event.index == 2:
            raise KeyboardInterrupt

    evidence = measured(Script(), "/a", listener=listener)

    assert len(evidence.rounds) == 2
    assert evidence.ended_early == "interrupted after 2 of 3 rounds"


def test_rounds_are_announced_with_the_time_they_are_likely_to_take() -> None:
    events: list[Event] = []
    measured(Script(), "/a", listener=events.append)

    started = [each for each in events if isinstance(each, RoundStarted)]
    assert [(each.index, each.total) for each in started] == [(1, 3), (2, 3), (3, 3)]
    assert started[0].eta_s is None
    assert all(each.eta_s is not None for each in started[1:])


# -- when rounds take longer than planned --------------------------------------------------------------------


def test_what_does_not_fit_is_dropped_from_the_end_and_the_first_stays() -> None:
    evidence = Evidence(cost_s={BOOT: 1.0, 0: 1.0, 1: 1.0, 2: 1.0})

    keep_within(3.5, 3, evidence)
    assert evidence.dropped == [2]
    keep_within(0.1, 3, evidence)
    assert evidence.dropped == [2, 1]
    assert 0 in evidence.cost_s


def test_nothing_is_dropped_before_anything_is_known() -> None:
    evidence = Evidence()
    keep_within(-5.0, 3, evidence)

    assert evidence.dropped == []


def test_an_endpoint_that_is_dropped_is_not_asked_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr(confirm.time, "monotonic", lambda: float(next(clock)))
    script = Script()

    evidence = measured(script, "/a", "/b", rounds=4, ends=20.0)

    assert evidence.dropped == [1]
    assert [path for _, path in script.asked].count("/b") < 4
    assert [path for _, path in script.asked].count("/a") == 4


# -- planning ------------------------------------------------------------------------------------------------


def planned(
    items: list[Item],
    worth: list[float],
    *,
    boot_s: float = 0.5,
    budget_s: float = 60.0,
    rounds: int | None = None,
    pairings: int = 0,
) -> RoundsPlan:
    return plan_rounds(
        items,
        worth,
        boot_s,
        budget_s,
        rounds=rounds,
        live_calls=3,
        seed=1,
        deadline_s=10.0,
        pairings=pairings,
    )


def test_with_time_enough_everything_is_measured_comfortably() -> None:
    chosen = planned([item(), item()], [1.0, 2.0])

    assert COMFORTABLE_ROUNDS <= chosen.rounds <= MOST_ROUNDS
    assert chosen.arm_budget_ns == ARM_BUDGETS_NS[0]
    assert sorted(chosen.included) == [0, 1]


def promising(replay_ns: float) -> Item:
    return Item(Request(method="GET", path="/a"), [{}], (1e6, replay_ns), 2e6)


def test_large_gains_are_shown_by_few_rounds_and_one_small_one_asks_for_all() -> None:
    large, small = promising(0.1e6), promising(0.95e6)

    assert rounds_that_show([large]) < COMFORTABLE_ROUNDS
    assert rounds_that_show([large, small]) == COMFORTABLE_ROUNDS
    assert planned([large], [1.0]).rounds == rounds_that_show([large])


def test_what_makes_a_request_slower_counts_as_much_as_what_makes_it_faster() -> None:
    assert promising(1.5e6).expected_effect == promising(0.5e6).expected_effect


def test_what_is_worth_most_for_its_time_comes_first() -> None:
    items = [item("/dear", call_ns=50e6), item("/cheap"), item("/worthless")]

    assert planned(items, [100.0, 100.0, 0.0]).included == (1, 0, 2)


def test_when_time_is_short_arms_get_less_of_it_before_rounds_do() -> None:
    items = [item(str(n), arms=3) for n in range(12)]
    chosen = planned(items, [1.0] * 12, budget_s=30.0)

    assert chosen.arm_budget_ns < ARM_BUDGETS_NS[0]
    assert chosen.rounds >= COMFORTABLE_ROUNDS
    assert len(chosen.included) == 12


def test_when_time_is_shorter_still_the_least_worthwhile_are_left_out() -> None:
    items = [item(str(n), arms=3) for n in range(40)]
    chosen = planned(items, [float(n) for n in range(40)], budget_s=10.0)

    assert chosen.rounds == FEWEST_ROUNDS
    assert 1 <= len(chosen.included) < 40
    assert chosen.included[0] == 39


def test_one_endpoint_is_measured_however_little_time_there_is() -> None:
    chosen = planned([item(), item()], [1.0, 2.0], boot_s=100.0, budget_s=1.0)

    assert (chosen.rounds, chosen.included) == (FEWEST_ROUNDS, (1,))


def test_a_number_of_rounds_that_was_asked_for_is_kept() -> None:
    assert planned([item()], [1.0], rounds=3).rounds == 3
    assert planned([item()], [1.0], rounds=40, budget_s=1.0).rounds == 40


def test_where_rounds_depend_on_each_other_twice_as_many_are_wanted() -> None:
    assert planned([item()], [1.0], pairings=1).rounds >= 2 * COMFORTABLE_ROUNDS


def test_nothing_to_measure_needs_no_endpoint() -> None:
    assert planned([], []).included == ()


def test_the_cost_of_an_endpoint_grows_with_its_arms_its_calls_and_its_wait() -> None:
    def cost_s(**fields: Any) -> float:
        return item_cost_s(item(**fields), ARM_BUDGETS_NS[-1], 3)

    assert cost_s(arms=3) > cost_s(arms=1)
    assert cost_s(whole_ns=1e9) > cost_s() + 2.5
    assert item_cost_s(item(whole_ns=1e9), ARM_BUDGETS_NS[-1], 10) > 10


def test_a_schedule_fits_the_slowest_arm() -> None:
    slow = Item(Request(method="GET", path="/"), [{}], (1e6, 40e6), 1e6)

    assert slow.schedule(random.Random(1), ARM_BUDGETS_NS[-1]).length == 5


def live_item(*, parallel: int = 0, changes: int = 0) -> Item:
    """One live arm beside the unchanged route, with or without replayed ones."""
    request = Request(method="GET", path="/live")
    return Item(
        request,
        [{"change": n} for n in range(changes)],
        (1e6,) * (1 + changes),
        2e6,
        live_changes=[{"edited": "text"}],
        live_ns=(2e6, 1e6),
        parallel=parallel,
        parallel_ns=(2e6, 1e6) if parallel else (),
        most_calls=500,
    )


def test_live_arms_and_many_in_flight_cost_their_time() -> None:
    alone, parallel = live_item(), live_item(parallel=20)
    budget = ARM_BUDGETS_NS[-1]

    assert item_cost_s(item(arms=0), budget, 3) < item_cost_s(alone, budget, 3)
    assert item_cost_s(alone, budget, 3) < item_cost_s(parallel, budget, 3)
    assert item_cost_s(live_item(changes=1), budget, 3) > item_cost_s(alone, budget, 3)


def test_live_arms_are_sent_with_schedules_of_their_own() -> None:
    sent: list[dict[str, Any]] = []

    class Recorder(Script):
        def call(self, op: str, args: dict[str, Any], *, deadline_s: float, doing: str) -> Any:
            sent.append(args)
            return super().call(op, args, deadline_s=deadline_s, doing=doing)

    measure_rounds(Recorder().boot, [live_item(parallel=20), item()], plan(1, 2), ends=FAR, listener=ignore)
    live, replayed = sent

    assert (live["live_changes"], live["parallel"], live["most_calls"]) == ([{"edited": "text"}], 20, 500)
    assert {len(order) for order in live["live_schedule"]["orders"]} == {2}
    assert live["parallel_schedule"]["length"] % 20 == 0
    assert live["parallel_schedule"]["dropped"] == 20
    assert "live_changes" not in replayed
