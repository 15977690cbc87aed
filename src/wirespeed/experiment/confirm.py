"""Confirming rounds: fresh process, every endpoint once, one number an arm. Reads as an outline.

What lives here: driving agents through rounds that were planned before the first, and keeping what they gave.
What it must never know: why an arm exists, or what its numbers will be taken for.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from wirespeed.errors import SubjectDied, SubjectHung, WirespeedError
from wirespeed.model.request import Request
from wirespeed.stats import smallest_effect

from .design import (
    FEWEST_ROUNDS,
    MOST_ROUNDS,
    Schedule,
    rounds_within,
    schedule_parallel,
    schedule_round,
)
from .events import Listener, RoundFinished, RoundStarted


@dataclass(frozen=True)
class Item:
    """One endpoint's arms in every round; ``changes`` are the agent's, the unchanged route comes on top.

    ``changes`` are replayed; ``live_changes`` are called through the whole app, and with ``parallel`` in
    flight where that is not 0. Either may be empty.
    """

    request: Request
    changes: Sequence[dict[str, Any]]
    call_ns: tuple[float, ...]
    """About what one replay of each arm takes, the unchanged route first."""
    whole_ns: float
    live_changes: Sequence[dict[str, Any]] = ()
    live_ns: tuple[float, ...] = ()
    """About what one request of each live arm takes, the unchanged route first."""
    parallel: int = 0
    parallel_ns: tuple[float, ...] = ()
    """The same with others in flight: time per request."""
    most_calls: int | None = None
    """No live arm is called more often in a round."""

    @property
    def arms(self) -> int:
        return 1 + len(self.changes)

    @property
    def expected_effect(self) -> float:
        """What the arm that changes most is expected to make of the whole request: |1 - ratio|."""
        saved_ns = [abs(self.call_ns[0] - each) for each in self.call_ns[1:]]
        saved_ns += [abs(self.live_ns[0] - each) for each in self.live_ns[1:]]
        return max(saved_ns, default=0.0) / self.whole_ns if self.whole_ns else 0.0

    def schedule(self, rng: random.Random, arm_budget_ns: int) -> Schedule:
        return schedule_round(self.arms, max(self.call_ns), rng, arm_budget_ns)

    def live_schedule(self, rng: random.Random, arm_budget_ns: int) -> Schedule | None:
        if not self.live_changes:
            return None
        return schedule_round(len(self.live_ns), max(self.live_ns), rng, arm_budget_ns)

    def parallel_schedule(self, rng: random.Random, arm_budget_ns: int) -> Schedule | None:
        if not (self.live_changes and self.parallel):
            return None
        slowest_ns = max(self.parallel_ns)
        return schedule_parallel(len(self.parallel_ns), slowest_ns, self.parallel, rng, arm_budget_ns)


@dataclass(frozen=True)
class RoundsPlan:
    """Fixed before the first round. ``included``: the items there is time for, the most worthwhile first."""

    rounds: int
    arm_budget_ns: int
    included: tuple[int, ...]
    live_calls: int
    seed: int
    deadline_s: float


@dataclass
class Evidence:
    """What every round gave, as the agent sent it: ``rounds[r][item]``, where it could be measured."""

    rounds: list[dict[int, dict[str, Any]]] = field(default_factory=list)
    failures: dict[int, str] = field(default_factory=dict)
    """Items given up, with the reason: they failed, hung or killed the process."""
    dropped: list[int] = field(default_factory=list)
    """Items given up because the rounds took longer than planned; never for what they measured."""
    cost_s: dict[int, float] = field(default_factory=dict)
    """The longest that each item took in a round."""
    ended_early: str | None = None
    """Why there are fewer rounds than planned."""
    interrupted: bool = False
    """Whether that was Ctrl-C."""


class Agent(Protocol):
    """What a round needs of an agent; ``subject.agent.AgentProcess`` is one."""

    def call(self, op: str, args: dict[str, Any], *, deadline_s: float, doing: str) -> Any: ...


Boot = Callable[[], AbstractContextManager[Agent]]


def measure_rounds(
    boot: Boot, items: Sequence[Item], plan: RoundsPlan, *, ends: float, listener: Listener
) -> Evidence:
    """Measure ``plan.rounds`` rounds of all items by ``ends`` (``time.monotonic()``).

    Rounds that take longer than planned cost items, the last ones first: a few rounds of everything would
    show nothing. Ctrl-C, and an app that does not start again, keep the rounds that are complete.
    """
    evidence = Evidence()
    try:
        for index in range(plan.rounds):
            rounds_left = plan.rounds - index
            keep_within((ends - time.monotonic()) / rounds_left, len(items), evidence)
            eta_s = _round_s(evidence) * rounds_left if index else None
            listener(RoundStarted(index + 1, plan.rounds, eta_s))
            evidence.rounds.append(_one_round(boot, items, plan, index, evidence))
            listener(RoundFinished(index + 1, plan.rounds))
    except KeyboardInterrupt:
        evidence.interrupted = True
        evidence.ended_early = f"interrupted after {len(evidence.rounds)} of {plan.rounds} rounds"
    except WirespeedError as error:
        failed = len(evidence.rounds) + 1
        evidence.ended_early = f"the app did not start again for round {failed}: {error.message}"
    return evidence


BOOT = -1
"""The key under which ``cost_s`` keeps what starting and stopping the process takes."""


def keep_within(allowed_s: float, items: int, evidence: Evidence) -> None:
    """Drop items from the end until a round fits into ``allowed_s`` by what items took so far; one stays."""
    for number in reversed(range(1, items)):
        if _round_s(evidence) <= allowed_s:
            return
        if number in evidence.cost_s:
            evidence.dropped.append(number)
            del evidence.cost_s[number]


def _round_s(evidence: Evidence) -> float:
    return sum(evidence.cost_s.values())


def _one_round(
    boot: Boot, items: Sequence[Item], plan: RoundsPlan, index: int, evidence: Evidence
) -> dict[int, dict[str, Any]]:
    """One fresh process for all items; a second one only where an item took the first one down."""
    measured: dict[int, dict[str, Any]] = {}
    given_up = {*evidence.failures, *evidence.dropped}
    waiting = [number for number in range(len(items)) if number not in given_up]
    started = time.monotonic()
    spent_s = 0.0
    while waiting:
        with boot() as agent:
            while waiting:
                number = waiting.pop(0)
                item_started = time.monotonic()
                try:
                    measured[number] = _measure(agent, items[number], plan, (index, number))
                except (SubjectHung, SubjectDied) as error:
                    evidence.failures[number] = error.message
                    break
                except WirespeedError as error:
                    evidence.failures[number] = error.message
                finally:
                    took_s = time.monotonic() - item_started
                    spent_s += took_s
                evidence.cost_s[number] = max(took_s, evidence.cost_s.get(number, 0.0))
    evidence.cost_s[BOOT] = max(time.monotonic() - started - spent_s, evidence.cost_s.get(BOOT, 0.0))
    return measured


def _measure(agent: Agent, item: Item, plan: RoundsPlan, place: tuple[int, int]) -> dict[str, Any]:
    rng = random.Random(f"{plan.seed}/{place[0]}/{place[1]}")
    schedule = item.schedule(rng, plan.arm_budget_ns)
    expected_s = item_cost_s(item, plan.arm_budget_ns, plan.live_calls)
    result: dict[str, Any] = agent.call(
        "measure",
        {
            "request": item.request.for_agent(),
            "changes": list(item.changes),
            "schedule": schedule.model_dump(mode="json"),
            "live_calls": plan.live_calls,
            "deadline_s": plan.deadline_s,
            **_live_args(item, rng, plan.arm_budget_ns),
        },
        deadline_s=plan.deadline_s * (plan.live_calls + 2 * len(item.live_ns)) + 5 * expected_s + SLACK_S,
        doing=f"measuring {item.request.name}",
    )
    return result


def _live_args(item: Item, rng: random.Random, arm_budget_ns: int) -> dict[str, Any]:
    alone = item.live_schedule(rng, arm_budget_ns)
    if alone is None:
        return {}
    in_parallel = item.parallel_schedule(rng, arm_budget_ns)
    return {
        "live_changes": list(item.live_changes),
        "live_schedule": alone.model_dump(mode="json"),
        "parallel": item.parallel,
        "parallel_schedule": None if in_parallel is None else in_parallel.model_dump(mode="json"),
        "most_calls": item.most_calls,
    }


SLACK_S = 5.0
"""A busy machine must not look like an app that hangs."""

WARM_UP_CALLS = 2
WATCHED_CALLS = 4


def item_cost_s(item: Item, arm_budget_ns: int, live_calls: int) -> float:
    """About how long one item takes in one round: live calls, warm-up, watched replays, blocks."""
    spent_ns = item.whole_ns * live_calls + sum(item.live_ns)
    if item.changes:
        schedule = item.schedule(random.Random(0), arm_budget_ns)
        spent_ns += WATCHED_CALLS * item.call_ns[0] + _blocks_ns(schedule, item.call_ns)
    if (alone := item.live_schedule(random.Random(0), arm_budget_ns)) is not None:
        spent_ns += _blocks_ns(alone, item.live_ns)
    if (in_parallel := item.parallel_schedule(random.Random(0), arm_budget_ns)) is not None:
        spent_ns += _blocks_ns(in_parallel, item.parallel_ns)
    return spent_ns / 1e9


def _blocks_ns(schedule: Schedule, call_ns: Sequence[float]) -> float:
    return (schedule.requests_per_arm + WARM_UP_CALLS) * sum(call_ns)


ARM_BUDGETS_NS = (150_000_000, 100_000_000, 60_000_000, 30_000_000)
"""Replay time an arm and round, from generous to the least that still shows a few per cent."""

COMFORTABLE_ROUNDS = 8
ROUND_SPREAD = 0.06
"""A cautious guess at the standard deviation of a round's log ratio, before the first is measured."""
QUICK_SHARE = 0.2
"""Beyond the comfortable number, rounds are added only while all of them take this share of the budget."""
CALM_SHARE = 0.15
"""Arms get more than the least time while all rounds take this share of the budget: longer blocks never
replace rounds, and nobody should wait a minute for what ten seconds show.
"""


def rounds_that_show(items: Sequence[Item], alpha: float = 0.05) -> int:
    """As few as show the smallest of the items' expected effects, five to eight.

    Gains of half a request need no eight rounds, and nobody should wait for them. Fixed before the first
    round, on what round 0 saw, so that no verdict depends on when it was looked at.
    """
    effect = min((item.expected_effect for item in items), default=0.0)
    return rounds_for(effect, sum(item.arms - 1 + len(item.live_changes) for item in items), alpha)


def rounds_for(effect: float, arms: int, alpha: float = 0.05) -> int:
    """As few as show that each of ``arms`` makes |1 - ratio| = ``effect`` of its request, five to eight."""
    few = range(FEWEST_ROUNDS, COMFORTABLE_ROUNDS)
    return next(
        (n for n in few if smallest_effect(ROUND_SPREAD, n, alpha, max(1, arms)) <= effect),
        COMFORTABLE_ROUNDS,
    )


def plan_rounds(
    items: Sequence[Item],
    worth: Sequence[float],
    boot_s: float,
    budget_s: float,
    *,
    rounds: int | None,
    live_calls: int,
    seed: int,
    deadline_s: float,
    pairings: int = 0,
    alpha: float = 0.05,
) -> RoundsPlan:
    """Share ``budget_s`` out before the first round: how many rounds, how long an arm, and which items.

    Eight rounds are wanted, or fewer where every item's expected effect is so large that they show it. First
    the replay time of every arm shrinks until those fit, then the number of rounds, then the items of least
    ``worth`` for their time are left out. ``rounds`` fixes their number.
    """

    def worth_for_its_time(number: int) -> float:
        return worth[number] / item_cost_s(items[number], ARM_BUDGETS_NS[-1], live_calls)

    included = sorted(range(len(items)), key=worth_for_its_time, reverse=True)

    def cost_s(arm_budget_ns: int) -> float:
        return boot_s + sum(item_cost_s(items[n], arm_budget_ns, live_calls) for n in included)

    wanted = rounds or rounds_that_show(items, alpha) << pairings
    least_s = cost_s(ARM_BUDGETS_NS[-1]) * wanted
    calm_s = min(budget_s, max(budget_s * CALM_SHARE, least_s))
    arm_budget_ns = next((b for b in ARM_BUDGETS_NS if cost_s(b) * wanted <= calm_s), ARM_BUDGETS_NS[-1])
    fewest = rounds or FEWEST_ROUNDS << pairings
    while len(included) > 1 and cost_s(arm_budget_ns) * fewest > budget_s:
        included.pop()
    round_s = max(1e-9, cost_s(arm_budget_ns))
    most = MOST_ROUNDS << pairings
    affordable = min(wanted, rounds_within(budget_s, round_s, fewest, most))
    # Where fewer show all there is to show, more would show it no better.
    is_quick = wanted >= COMFORTABLE_ROUNDS << pairings
    quick = rounds_within(budget_s * QUICK_SHARE, round_s, fewest, most) if is_quick else fewest
    chosen = rounds or max(quick, affordable)
    return RoundsPlan(chosen, arm_budget_ns, tuple(included), live_calls, seed, deadline_s)
