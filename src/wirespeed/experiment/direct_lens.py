"""The lens ``direct``: the app is called in its own process, without a socket or a server.

Arms with the same app share a process; only one of them is called at a time.
"""

from __future__ import annotations

from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import numpy as np

from .confirm import Agent
from .design import Run, Schedule
from .figures import Sample
from .rhythm import Turn
from .sameness import Answer, joined
from .stage import StagedArm, started

CALIBRATION = Run(length=5, dropped=2)
_LONGEST_RUN_S = 600.0
_GRACE_S = 5.0
"""The agent has the same deadline for a call, and says better what became of it."""

StartAgent = Callable[[], AbstractContextManager[Agent]]


class DirectLens:
    def __init__(self, arms: Sequence[StagedArm], hosts: Sequence[StartAgent], timeout_s: float) -> None:
        self._arms = arms
        self._hosts = hosts
        self._timeout_s = timeout_s

    @contextmanager
    def stage(self, arms: Sequence[int]) -> Iterator[DirectStage]:
        with ExitStack() as stack:
            agents: dict[int, Agent] = {}
            for number in arms:
                host = self._arms[number].host
                if host not in agents:
                    agents[host] = stack.enter_context(started(self._arms, host, self._hosts[host]))
            yield DirectStage(self._arms, agents, self._timeout_s)


class DirectStage:
    """One round's agents."""

    def __init__(self, arms: Sequence[StagedArm], agents: Mapping[int, Agent], timeout_s: float) -> None:
        self._arms = arms
        self._agents = agents
        self._timeout_s = timeout_s

    def answers(self, arm: int, number: int) -> list[Answer]:
        args = {"request": self._arms[arm].request.for_agent(), "deadline_s": self._timeout_s}
        deadline_s = self._timeout_s + _GRACE_S
        return [_answer(self._ask(arm, "answer", args, deadline_s)) for _ in range(number)]

    def call_ns(self, arm: int) -> float:
        median_ns, *_ = self._contest(arm, CALIBRATION)["runs"][0][0]
        return float(median_ns)

    def warm_up(self, arm: int, requests: int) -> None:
        self._contest(arm, Run(length=requests, dropped=0))

    def sample(self, arm: int, turn: Turn, status: int) -> Sample:
        assert isinstance(turn, Run)
        report = self._contest(arm, turn, statuses=[status])
        median_ns, *_ = report["runs"][0][0]
        # The agent also counts errors among the calls before the run.
        failed = min(int(report["errors"][0]), turn.requests)
        return Sample(
            time_ns=float(median_ns) if failed < turn.requests else None,
            latencies_ns=np.array([], dtype=np.int64),
            sent=turn.requests,
            answered=turn.requests - failed,
            errors=Counter({f"not status {status}": failed} if failed else {}),
        )

    def memory_bytes(self, arm: int) -> int | None:
        return None

    def troubles(self) -> list[str]:
        return []

    def _contest(self, arm: int, run: Run, **more: Any) -> dict[str, Any]:
        schedule = Schedule(orders=((0,),), length=run.length, dropped=run.dropped)
        args = {
            "requests": [self._arms[arm].request.for_agent()],
            "schedule": schedule.model_dump(mode="json"),
            "deadline_s": self._timeout_s,
            **more,
        }
        report: dict[str, Any] = self._ask(arm, "contest", args, _LONGEST_RUN_S)
        return report

    def _ask(self, arm: int, op: str, args: dict[str, Any], deadline_s: float) -> Any:
        agent, doing = self._agents[self._arms[arm].host], f"measuring {self._arms[arm].name}"
        return agent.call(op, args, deadline_s=deadline_s, doing=doing)


def _answer(told: Mapping[str, Any]) -> Answer:
    return Answer(told["status"], joined(told["headers"]), b64decode(told["body"]))
