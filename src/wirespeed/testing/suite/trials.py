"""One endpoint's remedies, tried on its kept answers: which can be replayed, what clients would see of each
remedy, and what it takes. Reads as ``advise`` does for one endpoint, in one process.
"""

from __future__ import annotations

import contextlib
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wirespeed.diagnosis.observation import Change, Observation
from wirespeed.diagnosis.rules import Rule
from wirespeed_agent.direct import Contestant, run, run_blocks
from wirespeed_agent.fidelity import Comparison
from wirespeed_agent.live_screening import worst_of
from wirespeed_agent.replay import Captured, Replay, ReplayFailed, compare_replays, floor_of
from wirespeed_agent.tracebacks import last_line

from .benches import Bench, NoBench, bench_for, content_type
from .estimating import SHOWN_FROM, Estimated, best_possible, estimate, rest_of_request_ns, schedule
from .kept import Endpoint
from .observing import fired, observe

LOOK_NS = 15_000_000
"""About how long a remedy is timed to see whether it is worth measuring."""
LOOK_CALLS = 15
LONGEST_ERROR = 200
NO_TIME = "the time for measuring was over; --wirespeed-budget gives more"
NEARLY_AS_FAST = 1.25
"""A remedy this close to the fastest is preferred when it is the safer one."""


@dataclass(frozen=True)
class Remedy:
    """A change with what clients would see of it and what it takes."""

    change: Change
    seen: Comparison
    estimated: Estimated


@dataclass
class Tried:
    """What is known of one endpoint in the end."""

    endpoint: Endpoint
    findings: list[tuple[Rule, str]] = field(default_factory=list)
    remedies: list[Remedy] = field(default_factory=list)
    """Those worth showing: the one that keeps the bytes first."""
    was_measured: bool = False
    reason: str | None = None
    """Why there are no estimates although something was found."""


@dataclass(frozen=True)
class _Candidate:
    change: Change
    seen: Comparison
    replay_ns: float


async def try_endpoint(endpoint: Endpoint, rng: random.Random, ends: float) -> Tried:
    """Never raises what the user's own code raises. ``ends`` is a reading of ``time.perf_counter``."""
    try:
        bench = bench_for(endpoint)
        valid = await _valid(bench)
        return await _try(endpoint, bench, valid, rng, ends)
    except NoBench as reason:
        return untried(endpoint, str(reason))
    # Response classes, validators and serializers of the user's, given what they have not met before.
    except Exception as error:
        return untried(endpoint, f"replaying it raises {last_line(error)[:LONGEST_ERROR]}")


def untried(endpoint: Endpoint, reason: str) -> Tried:
    """What the tests' requests show without a replay."""
    return Tried(endpoint, list(fired(observe(endpoint))), reason=reason)


async def _valid(bench: Bench) -> list[Captured]:
    """The kept answers that a replay gives again, twice. Raises NoBench where there is none."""
    reason = "nothing was kept"
    valid = []
    for captured in bench.captures:
        problem = await _problem_of(bench.baseline(captured), captured)
        if problem is None:
            valid.append(captured)
        reason = problem or reason
    if not valid:
        raise NoBench(reason)
    return valid


async def _problem_of(replay: Replay, captured: Captured) -> str | None:
    live = captured.at_route
    for _ in range(2):
        try:
            answer = await replay.answer()
        except ReplayFailed as failure:
            return f"replaying its value fails: {str(failure)[:LONGEST_ERROR]}"
        if (answer.status, answer.body) != (live.status, live.body):
            return "a replay of its value gives other bytes than the test got"
    answered = next((value for name, value in answer.headers if name == b"content-type"), b"")
    if answered.decode("latin-1") != content_type(captured):
        return "a replay of its value gives another content type than the test got"
    return None


async def _try(
    endpoint: Endpoint, bench: Bench, valid: Sequence[Captured], rng: random.Random, ends: float
) -> Tried:
    captured = valid[0]
    baseline = bench.baseline(captured)
    baseline_ns = await _look(baseline)
    outside_ns = statistics.median(whole - path for whole, path in await baseline.watched_calls())
    rest_ns = rest_of_request_ns(endpoint.calls, len(captured.at_route.body), outside_ns)
    seen = bench.observe(valid, whole_ns=baseline_ns + rest_ns, path_ns=baseline_ns - outside_ns)
    tried = Tried(endpoint, list(fired(seen)), was_measured=True)
    floor_ns = await _look(floor_of(endpoint.found, captured))
    if not tried.findings or best_possible(baseline_ns, floor_ns, rest_ns) < SHOWN_FROM:
        return tried
    candidates = await _screen(bench, valid, _changes(tried.findings, seen), ends)
    if time.perf_counter() > ends:
        raise NoBench(NO_TIME)
    chosen = choose(candidates)
    if not chosen:
        tried.reason = "none of its remedies can be used here"
        return tried
    estimates = await _measure(bench, captured, chosen, baseline_ns, rest_ns, rng)
    remedies = [Remedy(each.change, each.seen, made) for each, made in zip(chosen, estimates, strict=True)]
    tried.remedies = [each for each in remedies if each.estimated.is_shown]
    return tried


def _changes(findings: Sequence[tuple[Rule, str]], seen: Observation) -> list[Change]:
    return [change for rule, _ in findings for change in rule.remedies(seen) if not change.is_advice_only]


async def _screen(
    bench: Bench, valid: Sequence[Captured], changes: Sequence[Change], ends: float
) -> list[_Candidate]:
    """Those that can be used, of as many as there is time for."""
    found: list[_Candidate] = []
    for change in changes:
        if time.perf_counter() > ends:
            break
        # A type that FastAPI or Pydantic refuses, a value that does not fit it.
        with contextlib.suppress(Exception):
            found.append(await _look_at(bench, valid, change))
    return found


async def _look_at(bench: Bench, valid: Sequence[Captured], change: Change) -> _Candidate:
    told = change.for_agent()
    seen = [await compare_replays(bench.baseline(each), bench.arm(each, told)) for each in valid]
    return _Candidate(change, worst_of(seen), await _look(bench.arm(valid[0], told)))


def choose(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The one to recommend among those that keep the bytes, and a much faster one that does not, if any."""
    same = [each for each in candidates if each.seen.fidelity == "identical"]
    others = [each for each in candidates if each.seen.fidelity != "identical"]
    chosen = []
    if same:
        limit = NEARLY_AS_FAST * min(each.replay_ns for each in same)
        chosen.append(min((each for each in same if each.replay_ns <= limit), key=_risk))
    fastest = min(others, key=lambda each: (each.seen.fidelity == "different", each.replay_ns), default=None)
    if fastest is not None and all(fastest.replay_ns * NEARLY_AS_FAST < each.replay_ns for each in chosen):
        chosen.append(fastest)
    return chosen


def _risk(candidate: _Candidate) -> tuple[Any, ...]:
    """What a change may do to answers that no test asked for; smaller is safer, then faster."""
    annotation = candidate.change.annotation
    if annotation is None:
        return (False, False, False, candidate.replay_ns)
    return (
        not annotation.by_type,
        bool(annotation.definitions),
        annotation.kind == "any",
        candidate.replay_ns,
    )


async def _measure(
    bench: Bench,
    captured: Captured,
    chosen: Sequence[_Candidate],
    baseline_ns: float,
    rest_ns: float,
    rng: random.Random,
) -> list[Estimated]:
    arms = [bench.baseline(captured), *(bench.arm(captured, each.change.for_agent()) for each in chosen)]
    contestants = [_contestant(each) for each in arms]
    slowest_ns = max(baseline_ns, *(each.replay_ns for each in chosen))
    measured = await run_blocks(contestants, schedule(len(arms), slowest_ns, rng))
    if any(measured["errors"]):
        raise NoBench("some of its replays failed while they were measured")
    return [estimate(measured["runs"], number, rest_ns) for number in range(1, len(arms))]


async def _look(replay: Replay) -> float:
    contestant = _contestant(replay)
    first = await run(contestant, 2, 1)
    length = max(2, min(LOOK_CALLS, int(LOOK_NS / max(1.0, first.median_ns))))
    looked = await run(contestant, length, 1)
    if contestant.errors:
        raise ReplayFailed("it fails when it is called again")
    return looked.median_ns


def _contestant(replay: Replay) -> Contestant:
    return Contestant(replay.app, replay.captured.scope, b"", replay.captured.at_route.status)
