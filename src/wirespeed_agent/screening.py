"""Round 0 of the remedies: can a request be replayed, and what does each change do to its bytes and its time?

Nothing measured here is evidence for a verdict; it decides what is measured.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .asgi import Request
from .direct import Contestant, run
from .fidelity import Answer, Comparison, Masks, compare
from .live import CallFailed
from .replay import Captured, Replay, ReplayFailed, compare_replays, floor_of, replay_of
from .routes import FoundRoute
from .session import Session
from .ticket import Ticket
from .tracebacks import last_line
from .variants import UNCHANGED, build, byte_dumper, openapi_of, rebuild, wrap_call
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

LONGEST_ERROR = 300
SEVERITY = ("identical", "equal", "different")


async def screen(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """Try ``changes`` on the probed request with this ``key``; answers ``observation.Screening``.

    Each that keeps the JSON is called once through the whole app, within ``deadline_s``.
    """
    bench = bench_of(session)
    study: Study = bench.studies[args["key"]]
    session.doing(f"screening {study.request.name}")
    found = study.found
    assert found is not None
    captured = study.captured()
    baseline = replay_of(found, captured[0], UNCHANGED)
    with blaming_the_endpoint():
        reason = await why_not_replayable(bench, study, baseline, float(args["deadline_s"]))
    if reason is not None:
        return {"invalid": reason, "baseline_ns": None, "floor_ns": None, "variants": []}
    fidelity = _Fidelity(found, await _repeatable(found, captured))
    live = _Live(bench, study.request, found, study.last.answer, study.masks, float(args["deadline_s"]))
    return {
        "invalid": None,
        "baseline_ns": await _time(baseline),
        "floor_ns": await _time(floor_of(found, captured[0])),
        "variants": [await _try(change, found, captured[0], fidelity, live) for change in args["changes"]],
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
    outcome: Dict[str, Any] = {"error": None, "replay_ns": None, "fidelity": None, "differences": []}
    try:
        seen = await fidelity.of(change)
        outcome.update(
            fidelity=seen.fidelity, differences=seen.differences, openapi=fidelity.openapi_effect(change)
        )
        if not any(difference["at"] == "status" for difference in seen.differences):
            outcome["replay_ns"] = await _time(replay_of(found, captured, change))
        if seen.fidelity != "different":
            outcome["error"] = await live.problem_of(change, captured.is_coroutine)
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
        self._openapi = self._schemas(UNCHANGED)

    async def of(self, change: Mapping[str, Any]) -> Comparison:
        """The worst of the comparisons, replay against replay."""
        seen = [
            await compare_replays(each, replay_of(self._found, each.captured, change))
            for each in self._baselines
        ]
        return max(seen, key=lambda each: SEVERITY.index(each.fidelity))

    def openapi_effect(self, change: Mapping[str, Any]) -> Optional[str]:
        schemas = self._schemas(change)
        if schemas is None:
            return "OpenAPI cannot describe it"
        if schemas == self._openapi:
            return None
        if self._openapi or not change["annotation"]:
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

    async def problem_of(self, change: Mapping[str, Any], is_coroutine: bool) -> Optional[str]:
        """What is wrong with the change, or None. Raises CallFailed."""
        clone = build(self._found, change)
        dumper = byte_dumper(self._found, clone, change)
        if dumper is not None:
            wrap_call(clone, lambda call: dumper.around(call, is_coroutine))
        ticket = Ticket(self._found.key, rebuild(clone))
        call = await self._bench.call(self._request, self._deadline_s, ticket=ticket)
        if ticket.hits != 1:
            return "the request did not reach the changed route: it was answered above it"
        seen = compare(self._reference, call.answer, self._masks)
        if seen.fidelity == "different":
            places = ", ".join(difference["at"] for difference in seen.differences[:3])
            return f"through the whole app the answer differs: {places}"
        return None
