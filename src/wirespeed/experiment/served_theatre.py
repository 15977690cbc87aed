"""Where a route and its remedy are staged: one server with all pairs, one pair at a time on connections.

Both sides of a pair are the same app in the same process; a header of the same length chooses between them.
What is measured there, and how often, is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain

from wirespeed.http.event_loop import Runner
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject, RouteVariant, ServerSettings
from wirespeed.subject.agent import AgentProcess
from wirespeed.subject.server import ServedApp, served

from .direct_lens import DirectLens
from .http_lens import Host, HttpLens, HttpStage, Traffic
from .sameness import Answer
from .served_course import CONNECTIONS
from .stage import StagedArm

SIDES = (0, 1)
"""The route as it is, and with the remedy."""
SIDE_NAMES = ("the route as it is", "the remedy")
_CLIENT = (("host", "127.0.0.1:8000"), ("user-agent", "wirespeed"))
ANSWERS = 3
"""Of each side, to see what changes from call to call."""


@dataclass(frozen=True)
class Pair:
    request: Request
    """One that may be sent any number of times."""
    variants: tuple[RouteVariant, RouteVariant]
    """The route as it is, and with the remedy."""
    unstable: tuple[str, ...] = ()
    """Where its answers are known to change from call to call."""


@dataclass(frozen=True)
class Serving:
    """How pairs are to be served and measured, complete."""

    subject: AppSubject
    server: ServerSettings
    timeout_s: float
    seed: int
    rounds: int | None
    """None lets the time that is left fix their number, before the first."""
    pairings: int


class Theatre:
    """Stages pairs on the event loop of ``runner``, which the caller closes."""

    def __init__(self, runner: Runner, serving: Serving, pairs: Sequence[Pair]) -> None:
        self.pairs = pairs
        self._requests = [_from_one_client(pair.request) for pair in pairs]
        self._runner = runner
        self._serving = serving

    def direct_answers(self) -> list[list[Answer]]:
        """What the app answers to each request without a server, a few times."""
        arms = [StagedArm(request.name, 0, request) for request in self._requests]
        lens = DirectLens(arms, [self._start_agent], self._serving.timeout_s)
        with lens.stage(range(len(arms))) as stage:
            return [stage.answers(number, ANSWERS) for number in range(len(arms))]

    def serve(self) -> AbstractContextManager[ServedApp]:
        """A fresh server, with the variants of all pairs."""
        variants = list(chain.from_iterable(pair.variants for pair in self.pairs))
        return served(self._serving.subject, self._serving.server, variants=variants)

    @contextmanager
    def stage(self, app: ServedApp, number: int, *, under_load: bool) -> Iterator[HttpStage]:
        """Both sides of a pair, the only ones that are driven meanwhile."""
        request = self._requests[number]
        arms = [
            StagedArm(SIDE_NAMES[side], 0, _marked(request, app.variant_header(_variant(number, side))))
            for side in SIDES
        ]
        traffic = Traffic(CONNECTIONS if under_load else 1, under_load, self._serving.timeout_s, True)
        with HttpLens(self._runner, arms, [Host(lambda: nullcontext(app))], traffic).stage(SIDES) as stage:
            yield stage

    def misses(self, app: ServedApp, number: int) -> int:
        """Requests of a pair that somebody else than the variant has answered, so far."""
        return sum(app.variant_misses(_variant(number, side)) for side in SIDES)

    @contextmanager
    def _start_agent(self) -> Iterator[AgentProcess]:
        with AgentProcess(self._serving.subject) as agent:
            agent.boot()
            yield agent


def _variant(pair: int, side: int) -> int:
    return len(SIDES) * pair + side


def _from_one_client(request: Request) -> Request:
    """Whoever sends it: answers that hold links to themselves would differ by the port else."""
    given = {name.lower() for name, _ in request.headers}
    missing = [pair for pair in _CLIENT if pair[0] not in given]
    return request.model_copy(update={"headers": (*missing, *request.headers)})


def _marked(request: Request, header: tuple[str, str]) -> Request:
    return request.model_copy(update={"headers": (*request.headers, header)})
