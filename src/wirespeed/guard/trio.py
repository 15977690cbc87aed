"""Base, its twin and head: three processes, started side by side, and then driven one at a time.

What lives here: that all three are alive, that none is left behind, and one sweep of one of them. What it
must never know: what the figures will be taken for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from wirespeed.errors import WirespeedError
from wirespeed.experiment.design import Run, Schedule
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject
from wirespeed.subject.agent import AgentProcess, Start
from wirespeed.subject.process import start_agent

BASE, TWIN, HEAD = 0, 1, 2
HOSTS = (BASE, TWIN, HEAD)
NAMES = ("base", "base", "head")
"""Whose code a process runs."""

SETTLE_NS = 300_000
"""How long calls are dropped at least when another request has left its own data in the caches."""
CALIBRATION = Run(length=2, dropped=0)
CALIBRATION_CALLS = 5
"""What a calibration comes to where calls are slow, with those that warm up."""
WARM_UP = Run(length=5, dropped=3)
WARM_UP_WHERE_SLOW = Run(length=1, dropped=0)
SLOW_NS = 5_000_000
_SLACK_S = 5.0

Started = Callable[[AgentProcess], None]


class Turn(NamedTuple):
    """What one run showed: nanoseconds of the fastest and of the mean call without GC, GC altogether, and the
    calls that count.
    """

    fastest_ns: float
    mean_ns: float
    gc_ns: float
    calls: int
    errors: int
    """Calls, dropped ones included, that raised or had another status."""


@dataclass(frozen=True)
class Asked:
    """A request with what is known of its answers."""

    request: Request
    status: int
    call_ns: float = 0.0
    """About what one call takes, in the slower of base and head."""


class HostFailed(Exception):
    """A process did not do what it was asked to; ``error`` says how."""

    def __init__(self, host: int, error: WirespeedError) -> None:
        super().__init__(error.message)
        self.host = host
        self.error = error


class Trio:
    """The three agents, by host."""

    def __init__(self, agents: Sequence[AgentProcess], deadline_s: float) -> None:
        self._agents = agents
        self._deadline_s = deadline_s

    def agent(self, host: int) -> AgentProcess:
        return self._agents[host]

    def sweep(self, host: int, asked: Sequence[Asked], run: Run) -> list[Turn]:
        """One run of each request, in this order; all were called in this process before.

        Raises HostFailed.
        """
        args = {**_contest(asked, run, self._deadline_s), "settle_ns": SETTLE_NS}
        doing = ", ".join(each.request.name for each in asked)
        report = self._ask(host, "contest", args, self._patience_s(asked, run), doing)
        pairs = zip(report["runs"], report["errors"], strict=True)
        return [_turn(runs[0], int(errors)) for runs, errors in pairs]

    def call_ns(self, host: int, request: Request, status: int) -> float:
        """About what one call takes, once it is warm. Raises HostFailed."""
        asked = Asked(request, status)
        args = _contest([asked], CALIBRATION, self._deadline_s)
        patience_s = CALIBRATION_CALLS * self._deadline_s + _SLACK_S
        report = self._ask(host, "contest", args, patience_s, request.name)
        return float(report["runs"][0][0][0])

    def ask(self, host: int, op: str, args: dict[str, Any], doing: str) -> Any:
        """An operation that calls the app once at the most. Raises HostFailed."""
        return self._ask(host, op, args, self._deadline_s + _SLACK_S, doing)

    def _ask(self, host: int, op: str, args: dict[str, Any], deadline_s: float, doing: str) -> Any:
        try:
            return self._agents[host].call(op, args, deadline_s=deadline_s, doing=f"calling {doing}")
        except WirespeedError as error:
            raise HostFailed(host, error) from error

    def _patience_s(self, asked: Sequence[Asked], run: Run) -> float:
        expected_s = sum(run.requests * each.call_ns for each in asked) / 1e9
        return self._deadline_s + 10 * expected_s + _SLACK_S


@contextmanager
def three_of(
    subjects: Sequence[AppSubject],
    rng: random.Random,
    asked: Sequence[Asked],
    deadline_s: float,
    *,
    start: Start = start_agent,
    hangs_at_shutdown: bool = False,
) -> Iterator[Trio]:
    """Fresh processes, by host, warmed up with all that will be asked; started in random order.

    An app that is known to hang at shutdown is ended without one, or every round would wait for its deadline.
    Raises HostFailed where one does not start, or is lost while it warms up.
    """

    def warm_up(agent: AgentProcess) -> None:
        for run, group in _groups(asked):
            args = _contest(group, run, deadline_s)
            whole_s = sum(each.call_ns for each in group) * 20 / 1e9
            agent.call("contest", args, deadline_s=deadline_s + whole_s + _SLACK_S, doing="warming up")

    with side_by_side(subjects, rng, warm_up, start) as agents:
        yield Trio(agents, deadline_s)
        for agent in agents if hangs_at_shutdown else ():
            agent.kill()


@contextmanager
def side_by_side(
    subjects: Sequence[AppSubject],
    rng: random.Random,
    then: Started = lambda agent: None,
    start: Start = start_agent,
) -> Iterator[list[AgentProcess]]:
    """A process for each subject, all started at once, ``then`` called with each; ended together, too.

    Which is first on a core is drawn, so that no side has the better place in every round. Raises HostFailed;
    however the block ends, no process is left.
    """
    order = rng.sample(range(len(subjects)), len(subjects))
    with ExitStack() as stack, ThreadPoolExecutor(len(subjects)) as pool:
        agents = {number: stack.enter_context(AgentProcess(subjects[number], start)) for number in order}
        try:
            starting = {number: pool.submit(_start, agents[number], then) for number in order}
            for number in range(len(subjects)):
                _require(number, starting[number].exception())
            yield [agents[number] for number in range(len(subjects))]
            list(pool.map(AgentProcess.close, agents.values()))
        except BaseException:
            # Their threads hear of it as of any death, and end before the pool does.
            for agent in agents.values():
                agent.end_abruptly()
            raise


def _turn(run: Sequence[float], errors: int) -> Turn:
    _, mean_ns, gc_ns, calls, fastest_ns = run
    return Turn(fastest_ns, mean_ns, gc_ns, int(calls), errors)


def _start(agent: AgentProcess, then: Started) -> None:
    agent.boot()
    then(agent)


def _require(number: int, error: BaseException | None) -> None:
    if isinstance(error, WirespeedError):
        raise HostFailed(number, error) from error
    if error is not None:
        raise error


def _groups(asked: Sequence[Asked]) -> Iterator[tuple[Run, list[Asked]]]:
    quick = [each for each in asked if each.call_ns < SLOW_NS]
    slow = [each for each in asked if each.call_ns >= SLOW_NS]
    yield from ((run, group) for run, group in ((WARM_UP, quick), (WARM_UP_WHERE_SLOW, slow)) if group)


def _contest(asked: Sequence[Asked], run: Run, deadline_s: float) -> dict[str, Any]:
    order = tuple(range(len(asked)))
    schedule = Schedule(orders=(order,), length=run.length, dropped=run.dropped)
    return {
        "requests": [each.request.for_agent() for each in asked],
        "statuses": [each.status for each in asked],
        "schedule": schedule.model_dump(mode="json"),
        "deadline_s": deadline_s,
    }


def blamed(failure: HostFailed, side: str) -> WirespeedError:
    """The error with the side's name before its message, whatever kind it is."""
    error = failure.error
    error.message = f"{side}: {error.message}"
    error.args = (error.message,)
    return error
