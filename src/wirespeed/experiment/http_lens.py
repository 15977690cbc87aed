"""The lenses over HTTP: ``service``, one request at a time, and ``load``, many connections at once.

Lives here: servers started anew for each round, and connections to them. Arms with the same server share its
process and its connections; only one arm is driven at a time. What a turn of requests shows is not known
here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from wirespeed.errors import SubjectError
from wirespeed.http.connection import Call
from wirespeed.http.event_loop import Runner
from wirespeed.http.kept_answer import KeptAnswer
from wirespeed.http.outcomes import Failure
from wirespeed.http.target import PreparedRequest, parse_target
from wirespeed.http.turns import Driver, TurnResult

from .design import Run
from .figures import Sample
from .http_samples import call_ns_of_run, ns_per_request_of_run, sample_of_run, sample_of_slice
from .rhythm import Slice, Turn
from .sameness import Answer, joined
from .stage import StagedArm, started

CONNECT_TIMEOUT_S = 10.0
CALIBRATION_REQUESTS = 8
"""Under load, on every connection."""
CALIBRATION_DROPPED = 3
COSTED_TURNS = 4
"""Of each arm in a round. Reading the CPU time of a tree of processes takes as long as many a turn."""


class Server(Protocol):
    """What is asked of a running server; ``subject.server.ServedApp`` is one."""

    base_url: str

    def cpu_seconds(self) -> float: ...
    def peak_memory_bytes(self) -> int | None: ...
    def restarts(self) -> bool: ...


@dataclass
class RunningServer:
    """One that somebody else has started: of its processes nothing is known."""

    base_url: str

    def cpu_seconds(self) -> float:
        return math.nan

    def peak_memory_bytes(self) -> int | None:
        return None

    def restarts(self) -> bool:
        return False


@dataclass(frozen=True)
class Host:
    """A server that can be started, again and again."""

    start: Callable[[], AbstractContextManager[Server]]
    remote: bool = False
    """Whether it may be on another machine."""


@dataclass(frozen=True)
class Traffic:
    """How requests are sent."""

    connections: int
    is_load: bool
    timeout_s: float
    verify_tls: bool


@dataclass(frozen=True)
class _Place:
    """A started server, and the connections to it."""

    server: Server
    driver: Driver


class HttpLens:
    """Makes stages on the event loop of ``runner``, which the caller closes."""

    def __init__(
        self, runner: Runner, arms: Sequence[StagedArm], hosts: Sequence[Host], traffic: Traffic
    ) -> None:
        self._runner = runner
        self._arms = arms
        self._hosts = hosts
        self._traffic = traffic

    @contextmanager
    def stage(self, arms: Sequence[int]) -> Iterator[HttpStage]:
        with ExitStack() as stack:
            places: dict[int, _Place] = {}
            for number in arms:
                host = self._arms[number].host
                if host not in places:
                    places[host] = self._open(stack, host)
            yield HttpStage(self._runner, self._arms, places, self._traffic)

    def _open(self, stack: ExitStack, number: int) -> _Place:
        host, traffic = self._hosts[number], self._traffic
        server = stack.enter_context(started(self._arms, number, host.start))
        driver = self._runner.run(
            Driver.connected(
                parse_target(server.base_url, verify=traffic.verify_tls).origin,
                traffic.connections,
                timeout_s=traffic.timeout_s,
                connect_timeout_s=CONNECT_TIMEOUT_S,
                remote=host.remote,
            )
        )
        stack.callback(lambda: self._runner.run(driver.close()))
        return _Place(server, driver)


class HttpStage:
    """One round's servers and connections."""

    def __init__(
        self,
        runner: Runner,
        arms: Sequence[StagedArm],
        places: Mapping[int, _Place],
        traffic: Traffic,
    ) -> None:
        self._runner = runner
        self._traffic = traffic
        self._places = {number: places[arm.host] for number, arm in enumerate(arms) if arm.host in places}
        self._arms = arms
        self._requests = {
            number: self._prepared(arms[number], place) for number, place in self._places.items()
        }
        self._calls = {number: Call(request) for number, request in self._requests.items()}
        self._turns: Counter[int] = Counter()

    def answers(self, arm: int, number: int) -> list[Answer]:
        driver = self._places[arm].driver
        return [
            _kept(self._arms[arm].name, self._runner.run(driver.fetch(self._requests[arm])))
            for _ in range(number)
        ]

    def call_ns(self, arm: int) -> float:
        connections = self._traffic.connections
        turn = self._run(arm, CALIBRATION_REQUESTS * connections)
        tell = ns_per_request_of_run if self._traffic.is_load else call_ns_of_run
        call_ns = tell(turn, CALIBRATION_DROPPED * connections)
        if call_ns is None:
            raise SubjectError(f"{self._arms[arm].name}: requests fail: {_listed(turn)}")
        return call_ns

    def warm_up(self, arm: int, requests: int) -> None:
        self._run(arm, requests * self._traffic.connections)

    def sample(self, arm: int, turn: Turn, status: int) -> Sample:
        driver, call = self._places[arm].driver, self._calls[arm]
        match turn:
            case Slice(seconds):
                done, cpu_s = self._costing(arm, lambda: driver.slice(call, seconds))
                return sample_of_slice(done, self._traffic.connections, status, cpu_s)
            case Run():
                done, cpu_s = self._costing(arm, lambda: driver.run(call, turn.requests))
                return sample_of_run(done, turn.dropped, status, cpu_s)

    def memory_bytes(self, arm: int) -> int | None:
        host = self._arms[arm].host
        is_shared = sum(other.host == host for other in self._arms) > 1
        return None if is_shared else self._places[arm].server.peak_memory_bytes()

    def troubles(self) -> list[str]:
        restarted = [
            self._arms[number].name for number, place in self._places.items() if place.server.restarts()
        ]
        return [f"{name}: a process of its server ended, or was started again" for name in restarted]

    def _run(self, arm: int, requests: int) -> TurnResult:
        return self._runner.run(self._places[arm].driver.run(self._calls[arm], requests))

    def _costing(
        self, arm: int, turn: Callable[[], Coroutine[Any, Any, TurnResult]]
    ) -> tuple[TurnResult, float | None]:
        """A turn, and the server's CPU time for it, as long as that may be read."""
        self._turns[arm] += 1
        if self._turns[arm] > COSTED_TURNS:
            return self._runner.run(turn()), None
        server = self._places[arm].server
        before_s = server.cpu_seconds()
        done = self._runner.run(turn())
        used_s = server.cpu_seconds() - before_s
        return done, None if math.isnan(used_s) else used_s

    def _prepared(self, arm: StagedArm, place: _Place) -> PreparedRequest:
        verify = self._traffic.verify_tls
        target = parse_target(place.server.base_url, requests=[(arm.request, 1)], verify=verify)
        return target.requests[0]


def _kept(name: str, fetched: KeptAnswer | Failure) -> Answer:
    if isinstance(fetched, Failure):
        advice = "Raise --timeout if it needs longer." if fetched is Failure.TIMEOUT else None
        raise SubjectError(f"{name}: no answer ({fetched.value})", advice=advice)
    headers = [(key.decode("latin-1"), value.decode("latin-1")) for key, value in fetched.headers]
    return Answer(fetched.status, joined(headers), bytes(fetched.body))


def _listed(turn: TurnResult) -> str:
    return ", ".join(f"{number} × {failure.value}" for failure, number in turn.failures.most_common())
