"""Rounds of pairs through the app's own server: each is driven alone, then under load. An outline.

What lives here: when a pair's figures count. What it must never know: why a remedy exists, or what becomes of
it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from wirespeed.errors import WirespeedError
from wirespeed.http.event_loop import Runner
from wirespeed.http.limits import make_room
from wirespeed.model.comparison import Metric
from wirespeed.model.subject import AppSubject, ServerSettings
from wirespeed.subject.server import ServedApp, served

from .events import Booting, Listener, RoundFinished, RoundStarted
from .figures import ArmRound, ByArm, log_ratios, percentile_ns, pooled_latencies
from .http_lens import HttpStage
from .rhythm import Rhythm
from .rounds import all_blocks, is_lost
from .sameness import Answer, differences, unstable_places
from .served_course import CONNECTIONS, Costs, Course, course_of
from .served_theatre import ANSWERS, SIDE_NAMES, SIDES, Pair, Serving, Theatre
from .validity import counts_of, generator_trouble, status_reasons

MOST_ERRORS = 0.001
"""Share of requests that may fail, as ``compare`` has it by default."""

COSTED_REQUESTS = 2
"""On every connection, to see about how long they take under load."""


@dataclass
class PairEvidence:
    """One pair: its rounds, in which arm 0 is the route as it is and arm 1 has the remedy."""

    alone: list[ByArm] = field(default_factory=list)
    loaded: list[ByArm] = field(default_factory=list)
    invalid: str | None = None
    """Why its figures say nothing."""
    fitted: bool = True
    """Whether there was time for it."""

    def log_ratios(self, *, under_load: bool) -> list[float]:
        """One a round; none where they would say nothing."""
        metric: Metric = "mean_time_per_request" if under_load else "median_service_time"
        rounds = self.loaded if under_load else self.alone
        return [] if self.invalid else log_ratios(rounds, 1, metric) or []


@dataclass
class PairsEvidence:
    pairs: list[PairEvidence]
    rounds: int = 0
    """Those that are complete."""
    ended_early: str | None = None
    """Why there are fewer than planned."""
    interrupted: bool = False
    """Whether that was Ctrl-C."""


@dataclass(frozen=True)
class _Rehearsal:
    """Of the pairs that can be measured, by number."""

    costs: dict[int, Costs]
    statuses: dict[int, int]
    start_s: float


def require_servable(subject: AppSubject, server: ServerSettings) -> None:
    """Start the app behind its server once. Raises UsageError or SubjectError where that cannot be."""
    with served(subject, server):
        pass


def measure_pairs(
    serving: Serving, pairs: Sequence[Pair], *, ends: float, listener: Listener
) -> PairsEvidence:
    """Measure by ``ends`` (``time.monotonic()``) as many pairs as fit, the first ones first.

    Ctrl-C, and a server that does not start or dies, keep the rounds that are complete.
    """
    evidence = PairsEvidence([PairEvidence() for _ in pairs])
    make_room(CONNECTIONS)
    listener(Booting(f"{serving.subject.app} behind {serving.server.name}"))
    try:
        with Runner() as runner:
            _measure_all(Theatre(runner, serving, pairs), serving, evidence, ends, listener)
    except KeyboardInterrupt:
        evidence.interrupted = True
        evidence.ended_early = f"interrupted in round {evidence.rounds + 1} through {serving.server.name}"
    except WirespeedError as error:
        evidence.ended_early = error.message
    for each in evidence.pairs:
        each.invalid = each.invalid or next(_reasons(each), None)
    return evidence


def _measure_all(
    theatre: Theatre, serving: Serving, evidence: PairsEvidence, ends: float, listener: Listener
) -> None:
    rehearsal = _rehearse(theatre, evidence)
    left_s = ends - time.monotonic()
    course = course_of(
        rehearsal.costs, rehearsal.start_s, left_s, rounds=serving.rounds, pairings=serving.pairings
    )
    for number in rehearsal.costs:
        evidence.pairs[number].fitted = number in course.rhythms
    for index in range(course.rounds if course.rhythms else 0):
        listener(RoundStarted(index + 1, course.rounds))
        rng = random.Random(f"{serving.seed}/served/{index}")
        measured = _one_round(theatre, course, rehearsal, evidence, rng)
        for number, (alone, loaded) in measured.items():
            evidence.pairs[number].alone.append(alone)
            evidence.pairs[number].loaded.append(loaded)
        evidence.rounds += 1
        listener(RoundFinished(index + 1, course.rounds))


def _rehearse(theatre: Theatre, evidence: PairsEvidence) -> _Rehearsal:
    """Round 0, which is no evidence: does the server answer as the app does without it, and how fast?"""
    direct = theatre.direct_answers()
    began = time.monotonic()
    rehearsal_s = 0.0
    costs, statuses = {}, {}
    with theatre.serve() as app:
        rehearsal_s -= time.monotonic()
        for number, pair in enumerate(theatre.pairs):
            try:
                invalid, status = _look_at(theatre, app, number, pair, direct[number])
                if invalid is None:
                    costs[number], statuses[number] = _costs(theatre, app, number), status
            except WirespeedError as error:
                app.check(because=error)
                invalid = error.message
            evidence.pairs[number].invalid = invalid
        rehearsal_s += time.monotonic()
    return _Rehearsal(costs, statuses, time.monotonic() - began - rehearsal_s)


def _look_at(
    theatre: Theatre, app: ServedApp, number: int, pair: Pair, direct: Sequence[Answer]
) -> tuple[str | None, int]:
    """Why the pair cannot be measured, if so, and the status it answers with."""
    with theatre.stage(app, number, under_load=False) as stage:
        baseline, remedy = (stage.answers(side, ANSWERS) for side in SIDES)
    unstable = (*pair.unstable, *unstable_places([direct, baseline, remedy]))
    status = baseline[0].status
    told = chain(
        _missed(theatre, app, number),
        status_reasons(pair.request.name, status),
        _different("the server's answer differs from the app's own", direct[0], baseline[0], unstable),
        _different("through the server the remedy answers differently", baseline[0], remedy[0], unstable),
    )
    return next(told, None), status


def _costs(theatre: Theatre, app: ServedApp, number: int) -> Costs:
    with theatre.stage(app, number, under_load=False) as stage:
        alone_ns = stage.call_ns(0), stage.call_ns(1)
    with theatre.stage(app, number, under_load=True) as stage:
        return Costs(alone_ns, (_loaded_ns(stage, 0), _loaded_ns(stage, 1)))


def _loaded_ns(stage: HttpStage, side: int) -> float:
    """Time per request under load, from as few as may be: of a slow endpoint they take seconds."""
    began_ns = time.perf_counter_ns()
    stage.warm_up(side, COSTED_REQUESTS)
    return (time.perf_counter_ns() - began_ns) / (COSTED_REQUESTS * CONNECTIONS)


def _one_round(
    theatre: Theatre, course: Course, rehearsal: _Rehearsal, evidence: PairsEvidence, rng: random.Random
) -> dict[int, tuple[ByArm, ByArm]]:
    """Every pair that is still valid, from one fresh server; what spoils one is noted."""
    measured = {}
    with theatre.serve() as app:
        for number, rhythm in course.rhythms.items():
            if evidence.pairs[number].invalid is not None:
                continue
            status = rehearsal.statuses[number]
            try:
                with theatre.stage(app, number, under_load=False) as stage:
                    alone = _drive(stage, rhythm.alone, status, rng)
                with theatre.stage(app, number, under_load=True) as stage:
                    loaded = _drive(stage, rhythm.loaded, status, rng)
            except WirespeedError as error:
                app.check(because=error)
                evidence.pairs[number].invalid = error.message
                continue
            measured[number] = alone, loaded
            told = chain(_missed(theatre, app, number), _lost(alone, loaded), _restarted(app))
            evidence.pairs[number].invalid = next(told, None)
    return measured


def _drive(stage: HttpStage, rhythm: Rhythm, status: int, rng: random.Random) -> ByArm:
    for side in SIDES:
        stage.warm_up(side, rhythm.warm_up)
    samples = all_blocks(stage, rhythm, SIDES, [status, status], rng)
    return {side: ArmRound(tuple(samples[side])) for side in SIDES}


def _missed(theatre: Theatre, app: ServedApp, number: int) -> Iterator[str]:
    """Some apps add their routes with the first request, so no variant can answer each worker's first one."""
    misses = theatre.misses(app, number)
    if misses > app.server.workers:
        yield f"{misses} requests were answered above the route, where no remedy of it can act"


def _different(what: str, one: Answer, other: Answer, unstable: Sequence[str]) -> Iterator[str]:
    for each in differences(one, other, unstable):
        yield f"{what}: {each.at} is {each.arm!r}, not {each.baseline!r}"


def _lost(*measured: ByArm) -> Iterator[str]:
    if any(is_lost(each.samples) for arms in measured for each in arms.values()):
        yield "the server stopped answering"


def _restarted(app: ServedApp) -> Iterator[str]:
    if app.restarts():
        yield "a process of the server ended, or was started again"


def _reasons(pair: PairEvidence) -> Iterator[str]:
    """What counts and the generator have against all rounds together."""
    for name, side in zip(SIDE_NAMES, SIDES, strict=True):
        for rounds in (pair.alone, pair.loaded):
            counts = counts_of(each[side] for each in rounds)
            if counts.failed > counts.sent * MOST_ERRORS:
                yield f"{name}: {counts.failed} of {counts.sent} requests failed ({counts.kinds})"
        loaded = [each[side] for each in pair.loaded]
        trouble = generator_trouble(loaded, percentile_ns(pooled_latencies(loaded), 0.5))
        if trouble is not None:
            yield f"{name}: {trouble}"
