"""Round 0 of the remedies: can a request be replayed, and what does each change do to its bytes and its time?

Nothing measured here is evidence for a verdict; it decides what is measured.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .asgi import Request
from .direct import Contestant, run
from .fidelity import Answer, Comparison, Masks, compare
from .live import CallFailed
from .live_arms import Booth
from .live_screening import LONGEST_ERROR, Look, blank_outcome, screen_live, worst_of
from .replay import Captured, Replay, ReplayFailed, compare_replays, floor_of, replay_of
from .routes import FoundRoute
from .session import Session
from .ticket import Ticket
from .tracebacks import last_line
from .variants import UNCHANGED, build, is_live, openapi_of, variant_app
from .workbench import Study, Workbench, bench_of, blaming_the_endpoint

SCREEN_NS = 40_000_000
"""About how long one arm is timed."""

DISAGREEMENT = 0.5
DISAGREEMENT_NS = 100_000
"""Live, caches are colder: half as much again and a tenth of a millisecond is no longer that."""

SECOND_LOOKS = 6
SECOND_LOOK_AFTER_S = 0.05
LOOKS_THAT_AGREE = 2
"""A disagreement is looked at again, later, one live call beside a few replays; two looks must agree.

Where others share its cores, a machine may run at half its speed for seconds: calls of different times then
tell nothing of each other, and those beside each other mostly do.
"""


async def screen(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """Try ``changes`` on the probed request with this ``key``; answers ``observation.Screening``.

    Each that is replayed and keeps the JSON is called once through the whole app, within ``deadline_s``. The
    others are called as ``live`` allows (``live_screening.Look``), or not at all.
    """
    bench = bench_of(session)
    study: Study = bench.studies[args["key"]]
    session.doing(f"screening {study.request.name}")
    changes, deadline_s = args["changes"], float(args["deadline_s"])
    live = [change for change in changes if is_live(change)]
    replayed = [change for change in changes if not is_live(change)]
    with blaming_the_endpoint():
        report = await _screen_replayed(bench, study, replayed, deadline_s)
        if live:
            look = Look(args["live"]) if args.get("live") else None
            booth = Booth(bench, study.request, study.found, deadline_s)
            seen = await screen_live(booth, study, live, look)
            _tell_openapi(study.found, live, seen["variants"])
            return {**report, **seen, "variants": _in_order(changes, report["variants"], seen["variants"])}
    return report


def _in_order(
    changes: Sequence[Mapping[str, Any]], replayed: Sequence[Any], live: Sequence[Any]
) -> List[Dict[str, Any]]:
    waiting = {True: iter(live), False: iter(replayed)}
    return [next(waiting[is_live(change)]) for change in changes]


def _tell_openapi(
    found: Optional[FoundRoute], changes: Sequence[Mapping[str, Any]], outcomes: Sequence[Dict[str, Any]]
) -> None:
    if found is None or found.kind != "api":
        return
    effects = _OpenApi(found)
    for change, outcome in zip(changes, outcomes):
        if outcome["in_process"] and outcome["error"] is None:
            outcome["openapi"] = effects.of(change)


async def _screen_replayed(
    bench: Workbench, study: Study, changes: Sequence[Mapping[str, Any]], deadline_s: float
) -> Dict[str, Any]:
    reason = study.obstacle()
    if reason is None:
        assert study.found is not None
        captured = study.captured()
        baseline = replay_of(study.found, captured[0], UNCHANGED)
        reason = await why_not_replayable(bench, study, baseline, deadline_s)
    if reason is not None or study.found is None:
        variants = [{**blank_outcome(), "error": reason} for _ in changes]
        return {"invalid": reason, "baseline_ns": None, "floor_ns": None, "variants": variants}
    return await _try_all(bench, study, study.found, captured, baseline, changes, deadline_s)


async def _try_all(
    bench: Workbench,
    study: Study,
    found: FoundRoute,
    captured: List[Captured],
    baseline: Replay,
    changes: Sequence[Mapping[str, Any]],
    deadline_s: float,
) -> Dict[str, Any]:
    fidelity = _Fidelity(found, await _repeatable(found, captured))
    live = _Live(bench, study.request, found, study.last.answer, study.masks, deadline_s)
    return {
        "invalid": None,
        "baseline_ns": await _time(baseline),
        "floor_ns": await _time(floor_of(found, captured[0])),
        "variants": [await _try(change, found, captured[0], fidelity, live) for change in changes],
    }


async def why_not_replayable(
    bench: Workbench, study: Study, baseline: Replay, deadline_s: float
) -> Optional[str]:
    """Why replaying this request would not measure what clients get, or None. Raises CallFailed."""
    try:
        reference, again = await baseline.answer(), await baseline.answer()
    except ReplayFailed as failure:
        return f"replaying the captured value fails: {failure}"
    live = study.last.at_route
    if (reference.status, reference.body) != (live.status, live.body):
        return "a replay of the captured value gives other bytes than the live answer"
    if again.body != reference.body:
        return "replaying the captured value twice gives different bytes"
    # Of either the shortest: the machine's noise only adds, and work that is really done is done every time.
    live_ns = min(path for _, path in study.totals_and_paths())
    replayed_ns = await _shortest(baseline)
    if _agree(live_ns, replayed_ns):
        return None
    agreed = 0
    for _ in range(SECOND_LOOKS):
        await asyncio.sleep(SECOND_LOOK_AFTER_S)
        live_ns = (await bench.capture(study.request, 1, deadline_s)).median_path_ns()
        replayed_ns = await _shortest(baseline)
        agreed += _agree(live_ns, replayed_ns)
        if agreed == LOOKS_THAT_AGREE:
            return None
    return _disagreement(live_ns, replayed_ns)


async def _shortest(replay: Replay) -> int:
    return min(path for _, path in await replay.watched_calls())


def _agree(live_ns: int, replayed_ns: int) -> bool:
    return abs(live_ns - replayed_ns) <= DISAGREEMENT * max(live_ns, replayed_ns) + DISAGREEMENT_NS


def _disagreement(live_ns: int, replayed_ns: int) -> str:
    told = f"the response path takes {live_ns / 1e6:.2f} ms live and {replayed_ns / 1e6:.2f} ms replayed"
    if live_ns > replayed_ns:
        return f"{told}: it does work (loading lazily, calling out) that a replay does not repeat"
    return f"{told}: a replay does work that the live answer does not need"


async def _repeatable(found: FoundRoute, captured: List[Captured]) -> List[Replay]:
    """The unchanged route with every captured value that still gives what it gave.

    Later calls may have changed an earlier one's value, where the app hands out its own objects.
    """
    baselines: List[Replay] = []
    for each in captured:
        baseline = replay_of(found, each, UNCHANGED)
        with contextlib.suppress(ReplayFailed):
            if (await baseline.answer()).body == each.at_route.body:
                baselines.append(baseline)
    return baselines


async def _time(replay: Replay) -> int:
    """Median nanoseconds of a short run."""
    contestant = Contestant(replay.app, replay.captured.scope, b"", replay.captured.at_route.status)
    first = await run(contestant, 2, 1)
    length = max(3, min(25, int(SCREEN_NS / max(1.0, first.median_ns))))
    return int((await run(contestant, length, 2)).median_ns)


async def _try(
    change: Mapping[str, Any], found: FoundRoute, captured: Captured, fidelity: _Fidelity, live: _Live
) -> Dict[str, Any]:
    """One change, as ``observation.Screened``. What goes wrong with it is its own affair."""
    outcome = blank_outcome()
    try:
        seen = await fidelity.of(change)
        outcome.update(
            fidelity=seen.fidelity, differences=seen.differences, openapi=fidelity.openapi.of(change)
        )
        if not any(difference["at"] == "status" for difference in seen.differences):
            outcome["replay_ns"] = await _time(replay_of(found, captured, change))
        if seen.fidelity != "different":
            outcome["error"] = await live.problem_of(change)
    except CallFailed as failure:
        outcome["error"] = f"through the whole app it fails: {failure.message}"
    except ReplayFailed as failure:
        outcome["error"] = str(failure)[:LONGEST_ERROR]
    except Exception as error:
        outcome["error"] = last_line(error)[:LONGEST_ERROR]
    return outcome


class _Fidelity:
    """What clients would see of a change, in every answer that was captured."""

    def __init__(self, found: FoundRoute, baselines: List[Replay]) -> None:
        self._found = found
        self._baselines = baselines
        self.openapi = _OpenApi(found)

    async def of(self, change: Mapping[str, Any]) -> Comparison:
        """The worst of the comparisons, replay against replay."""
        seen = [
            await compare_replays(each, replay_of(self._found, each.captured, change))
            for each in self._baselines
        ]
        return worst_of(seen)


class _OpenApi:
    """What a change does to the schema that the app's pages show."""

    def __init__(self, found: FoundRoute) -> None:
        self._found = found
        self._unchanged = self._schemas(UNCHANGED)

    def of(self, change: Mapping[str, Any]) -> Optional[str]:
        schemas = self._schemas(change)
        if schemas is None:
            return "OpenAPI cannot describe it"
        if schemas == self._unchanged:
            return None
        if self._unchanged or not change["annotation"]:
            return "response schema changes"
        expression = change["annotation"]["expression"]
        return "response gains a title" if expression == "Any" else f"response gains the schema {expression}"

    def _schemas(self, change: Mapping[str, Any]) -> Optional[Tuple[Any, ...]]:
        try:
            return openapi_of(build(self._found, change))
        # Whatever Pydantic or the user's own types raise: the app's pages would show an error, too.
        except Exception:
            return None


class _Live:
    """One call of a change through the whole app: middleware may see what a replay at the route does not."""

    def __init__(
        self,
        bench: Workbench,
        request: Request,
        found: FoundRoute,
        reference: Answer,
        masks: Masks,
        deadline_s: float,
    ) -> None:
        self._bench = bench
        self._request = request
        self._found = found
        self._reference = reference
        self._masks = masks
        self._deadline_s = deadline_s

    async def problem_of(self, change: Mapping[str, Any]) -> Optional[str]:
        """What is wrong with the change, or None. Raises CallFailed."""
        ticket = Ticket(self._found.key, variant_app(self._found, change))
        call = await self._bench.call(self._request, self._deadline_s, ticket=ticket)
        if ticket.hits != 1:
            return "the request did not reach the changed route: it was answered above it"
        seen = compare(self._reference, call.answer, self._masks)
        if seen.fidelity == "different":
            places = ", ".join(difference["at"] for difference in seen.differences[:3])
            return f"through the whole app the answer differs: {places}"
        return None
