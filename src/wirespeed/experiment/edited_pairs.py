"""The edited app beside the original: both alive in processes of their own, driven in turn.

What lives here: rounds of pairs of requests, and whether both apps answer alike. It must never know what was
edited, or what its numbers will be taken for.
"""

from __future__ import annotations

import json
import random
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from wirespeed.errors import SubjectDied, SubjectError, SubjectHung, UsageError, WirespeedError
from wirespeed.model.advice import Difference, Fidelity
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject, Booted
from wirespeed.subject.agent import AgentProcess, Start
from wirespeed.subject.starting import Starting

from .confirm import SLACK_S, WARM_UP_CALLS
from .design import Schedule, round_log_ratios, schedule_parallel, schedule_round
from .events import Listener, RoundFinished, RoundStarted, ignore

Blocks = list[tuple[float, float]]
"""Nanoseconds per request of original and edited, a block each."""
Told = dict[str, Any]
"""An answer as the agent tells it."""

ORIGINAL, EDITED = 0, 1
COMPARE_DEADLINE_S = 60.0
MOST_COMPARED_BYTES = 8_000_000
"""Of a longer answer it is only told whether its bytes are the same: showing where they differ takes copies
of all of them in three processes.
"""


@dataclass(frozen=True)
class Pair:
    """One request, to be sent to both apps."""

    request: Request
    call_ns: float
    """About what one call of the slower app takes."""
    is_timed: bool = True
    """Otherwise only its answers are compared."""
    parallel: int = 0
    """If not 0, it is also measured with so many in flight."""
    parallel_ns: float = 0.0
    """About the time per request then."""


@dataclass(frozen=True)
class PairsPlan:
    """Fixed before the first round; without rounds the apps are started once, and only compared."""

    rounds: int
    arm_budget_ns: int
    seed: int
    deadline_s: float
    """Of one call."""
    answers: int = 2
    """How often each app is asked for every answer that is compared."""


class PairRound(NamedTuple):
    """One pair in one round. ``errors`` of original and edited are answers with an unusual status."""

    alone: Blocks
    parallel: Blocks
    errors: tuple[int, int]

    def log_ratio(self) -> float | None:
        """x_r of a request alone; None where nothing was measured."""
        return _log_ratio(self.alone)

    def parallel_log_ratio(self) -> float | None:
        """x_r with others in flight; None where nothing was measured."""
        return _log_ratio(self.parallel)


class PairSeen(NamedTuple):
    """What clients would see of the edited app; ``unstable`` names what the original changes by itself."""

    fidelity: Fidelity
    differences: list[Difference]
    unstable: list[str]


@dataclass
class PairsEvidence:
    """What was seen of every pair, by its number."""

    rounds: list[dict[int, PairRound]] = field(default_factory=list)
    seen: dict[int, PairSeen] = field(default_factory=dict)
    openapi: PairSeen | None = None
    """Of all OpenAPI documents of both apps together."""
    failures: dict[int, str] = field(default_factory=dict)
    """Pairs given up, with the reason."""
    not_started: str | None = None
    """Why the edited app did not start."""
    not_imported: list[str] = field(default_factory=list)
    """Edited files that the app had not imported when it was up: nothing of them was measured."""
    ended_early: str | None = None
    interrupted: bool = False


class BootedAgent(Protocol):
    """``subject.agent.AgentProcess`` is one."""

    @property
    def booted(self) -> Booted | None: ...

    def call(self, op: str, args: dict[str, Any], *, deadline_s: float, doing: str) -> Any: ...


Agents = tuple[BootedAgent, BootedAgent]
Boot = Callable[[AppSubject, Start], AbstractContextManager[BootedAgent]]


@contextmanager
def booted(subject: AppSubject, start: Start) -> Iterator[AgentProcess]:
    """A fresh process with the app started, until the end of the block."""
    with AgentProcess(subject, start) as agent:
        agent.boot()
        yield agent


def measure_pairs(
    original: AppSubject,
    edited: AppSubject,
    pairs: Sequence[Pair],
    plan: PairsPlan,
    *,
    ends: float,
    listener: Listener = ignore,
    boot: Boot = booted,
) -> PairsEvidence:
    """Compare all pairs, then measure ``plan.rounds`` rounds, as many as begin before ``ends``.

    ``ends`` is a reading of ``time.monotonic()``; the first round always begins. Raises UsageError or
    SubjectError where the original does not start the first time. Ctrl-C keeps the rounds that are complete.
    """
    evidence = PairsEvidence()
    starting = Starting((original, edited))
    theatre = _Theatre(original, edited, pairs, plan, boot, starting, evidence)
    try:
        with starting:
            for index in range(max(1, plan.rounds)):
                if index and time.monotonic() > ends:
                    evidence.ended_early = f"there was time for {index} of {plan.rounds} rounds"
                    break
                listener(RoundStarted(index + 1, plan.rounds))
                measured = theatre.round(index)
                evidence.rounds += [measured] if plan.rounds else []
                listener(RoundFinished(index + 1, plan.rounds))
    except KeyboardInterrupt:
        evidence.interrupted = True
        evidence.ended_early = f"interrupted after {len(evidence.rounds)} of {plan.rounds} rounds"
    except _EditedNotStarted as reason:
        evidence.not_started = str(reason)
    except WirespeedError as error:
        if evidence.openapi is None:
            raise
        failed = len(evidence.rounds) + 1
        evidence.ended_early = f"the app did not start again for round {failed}: {error.message}"
    return evidence


def pairs_cost_s(pairs: Sequence[Pair], plan: PairsPlan) -> float:
    """About how long the requests of one round take, starting the apps apart."""
    return sum(_pair_cost_ns(pair, plan) for pair in pairs) / 1e9


def _pair_cost_ns(pair: Pair, plan: PairsPlan) -> float:
    if not (pair.is_timed and plan.rounds):
        return 2 * plan.answers * pair.call_ns
    spent_ns = 0.0
    for schedule, request_ns, in_flight in _schedules(pair, plan, random.Random(0)):
        # Every run is a command of its own, with calls that warm up before it.
        run = schedule.length + schedule.dropped + WARM_UP_CALLS * in_flight
        spent_ns += 2 * len(schedule.orders) * run * request_ns
    return spent_ns


def _schedules(pair: Pair, plan: PairsPlan, rng: random.Random) -> Iterator[tuple[Schedule, float, int]]:
    """Alone, then in parallel where that is wanted: schedule, time per request, requests in flight."""
    yield schedule_round(2, pair.call_ns, rng, plan.arm_budget_ns), pair.call_ns, 1
    if pair.parallel:
        request_ns = pair.parallel_ns or pair.call_ns
        schedule = schedule_parallel(2, request_ns, pair.parallel, rng, plan.arm_budget_ns)
        yield schedule, request_ns, pair.parallel


def _log_ratio(blocks: Blocks) -> float | None:
    return float(round_log_ratios(np.array(blocks))[0]) if blocks else None


class _EditedNotStarted(Exception):
    """Says why."""


def _leave(context: AbstractContextManager[object], entered: Future[BootedAgent]) -> None:
    """Ends what another thread began, once it has; what did not begin needs no end."""
    if entered.exception() is None:
        context.__exit__(None, None, None)


class _Theatre:
    """Both apps on stage, round after round."""

    def __init__(
        self,
        original: AppSubject,
        edited: AppSubject,
        pairs: Sequence[Pair],
        plan: PairsPlan,
        boot: Boot,
        starting: Starting,
        evidence: PairsEvidence,
    ) -> None:
        self._original = original
        self._edited = edited
        self._pairs = pairs
        self._plan = plan
        self._boot = boot
        self._starting = starting
        self._evidence = evidence
        self._statuses: dict[int, int] = {}
        """What the original answers with, by pair."""

    def round(self, index: int) -> dict[int, PairRound]:
        """Fresh processes for all pairs; others once more only where a pair took one of them down.

        Raises what starting the original raises, and _EditedNotStarted.
        """
        measured: dict[int, PairRound] = {}
        waiting = [number for number in range(len(self._pairs)) if number not in self._evidence.failures]
        while waiting or self._evidence.openapi is None:
            with self._both() as agents:
                if self._evidence.openapi is None:
                    self._evidence.openapi = _openapi_seen(agents)
                self._play(agents, waiting, index, measured)
        return measured

    @contextmanager
    def _both(self) -> Iterator[Agents]:
        with self._starting.of_a_round() as start, ExitStack() as stack:
            try:
                original, edited = self._start_side_by_side(stack, start)
            except (SubjectError, UsageError):
                # Whose fault it is shows only where the original had the ports and locks to itself.
                stack.close()
                original, edited = self._start_in_turn(stack, start)
            imported = set(edited.booted.edited) if edited.booted else set()
            files = [str(each.file) for each in self._edited.edited]
            self._evidence.not_imported = [file for file in files if file not in imported]
            yield original, edited

    def _start_side_by_side(self, stack: ExitStack, start: Start) -> Agents:
        """Nothing is measured meanwhile. Raises what starting either of them raises."""
        with ThreadPoolExecutor(1) as aside:
            starting = self._boot(self._edited, start)
            started = aside.submit(starting.__enter__)
            stack.callback(_leave, starting, started)
            original = stack.enter_context(self._boot(self._original, start))
            return original, started.result()

    def _start_in_turn(self, stack: ExitStack, start: Start) -> Agents:
        """Raises _EditedNotStarted, and what starting the original raises."""
        original = stack.enter_context(self._boot(self._original, start))
        try:
            return original, stack.enter_context(self._boot(self._edited, start))
        except (SubjectError, UsageError) as error:
            raise _EditedNotStarted(error.message) from error

    def _play(self, agents: Agents, waiting: list[int], index: int, measured: dict[int, PairRound]) -> None:
        """As many of the waiting pairs as both processes survive."""
        while waiting:
            number = waiting.pop(0)
            try:
                if number not in self._evidence.seen:
                    self._compare(agents, number)
                if self._pairs[number].is_timed and self._plan.rounds:
                    measured[number] = self._measure(agents, number, index)
            except (SubjectHung, SubjectDied) as error:
                self._evidence.failures[number] = error.message
                return
            except WirespeedError as error:
                self._evidence.failures[number] = error.message

    def _compare(self, agents: Agents, number: int) -> None:
        request = self._pairs[number].request
        told = self._ask(agents, request, whole=False)
        answers = [*told[ORIGINAL], *told[EDITED]]
        differ = len({each["digest"] for each in answers}) > 1
        if differ and max(each["bytes"] for each in answers) <= MOST_COMPARED_BYTES:
            told = self._ask(agents, request, whole=True)
        self._statuses[number] = told[ORIGINAL][-1]["status"]
        self._evidence.seen[number] = _seen(agents[ORIGINAL], told[ORIGINAL], told[EDITED], request.name)

    def _ask(self, agents: Agents, request: Request, *, whole: bool) -> list[list[Told]]:
        """Answers of the original and of the edited app."""
        return [
            [_answer(agent, request, self._plan.deadline_s, whole=whole) for _ in range(self._plan.answers)]
            for agent in agents
        ]

    def _measure(self, agents: Agents, number: int, index: int) -> PairRound:
        pair = self._pairs[number]
        rng = random.Random(f"{self._plan.seed}/{index}/{number}")
        blocks: list[Blocks] = []
        errors = [0, 0]
        for schedule, request_ns, in_flight in _schedules(pair, self._plan, rng):
            turn = _Turn(pair.request, self._statuses[number], schedule, request_ns, in_flight)
            blocks.append(_blocks(agents, turn, self._plan.deadline_s, errors))
        alone, *others = blocks
        return PairRound(alone, others[0] if others else [], (errors[ORIGINAL], errors[EDITED]))


class _Turn(NamedTuple):
    """Runs of one pair, alike for both apps."""

    request: Request
    status: int
    schedule: Schedule
    request_ns: float
    in_flight: int

    def args(self, deadline_s: float) -> dict[str, Any]:
        one_run = self.schedule.model_copy(update={"orders": ((0,),)})
        return {
            "requests": [self.request.for_agent()],
            "statuses": [self.status],
            "schedule": one_run.model_dump(mode="json"),
            "deadline_s": deadline_s,
            "parallel": self.in_flight if self.in_flight > 1 else 0,
        }


def _blocks(agents: Agents, turn: _Turn, deadline_s: float, errors: list[int]) -> Blocks:
    """A run of each app a block, in the order of the schedule; ``errors`` are added to."""
    blocks: Blocks = []
    args = turn.args(deadline_s)
    expected_s = (turn.schedule.dropped + turn.schedule.length) * turn.request_ns / 1e9
    for order in turn.schedule.orders:
        times = [0.0, 0.0]
        for side in order:
            report = agents[side].call(
                "contest",
                args,
                deadline_s=deadline_s + 10 * expected_s + SLACK_S,
                doing=f"measuring {turn.request.name}",
            )
            times[side] = float(report["runs"][0][0][0])
            errors[side] += int(report["errors"][0])
        blocks.append((times[ORIGINAL], times[EDITED]))
    return blocks


# -- comparing -----------------------------------------------------------------------------------------------


def _answer(agent: BootedAgent, request: Request, deadline_s: float, *, whole: bool) -> Told:
    answer: Told = agent.call(
        "answer",
        {"request": request.for_agent(), "deadline_s": deadline_s, "whole": whole},
        deadline_s=deadline_s + SLACK_S,
        doing=f"calling {request.name}",
    )
    return answer


def _seen(agent: BootedAgent, reference: Sequence[Told], answers: Sequence[Told], what: str) -> PairSeen:
    """The comparison is an agent's, for they know codings and JSON; either could make it."""
    report = agent.call(
        "compare",
        {"reference": list(reference), "answers": list(answers)},
        deadline_s=COMPARE_DEADLINE_S,
        doing=f"comparing answers to {what}",
    )
    differences = [Difference.model_validate(each) for each in report["differences"]]
    return PairSeen(report["fidelity"], differences, report["unstable"])


def _openapi_seen(agents: Agents) -> PairSeen:
    described = [
        agent.call("openapi", {}, deadline_s=COMPARE_DEADLINE_S, doing="describing the app")["apps"]
        for agent in agents
    ]
    original, edited = (_as_answer(each) for each in described)
    return _seen(agents[ORIGINAL], [original], [edited], "OpenAPI")


def _as_answer(document: object) -> Told:
    body = b64encode(json.dumps(document).encode()).decode("ascii")
    return {"status": 200, "headers": [["content-type", "application/json"]], "body": body}
