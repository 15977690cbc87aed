"""Operations of round 0: what is there, what one request does, and which changes are worth an arm.

Nothing measured here is evidence for a verdict; it decides what is measured.
"""

from __future__ import annotations

import asyncio
import statistics
import time
import traceback
from typing import Any, Dict, List, Mapping, Optional

from .asgi import AnswerTooLong
from .direct import Contestant, run
from .fidelity import Answer, compare, unstable
from .inference import infer
from .live import LiveCall, header
from .phases import phases_of
from .replay import Captured, Replay, floor_of, replay_of
from .routes import FoundRoute, describe, shorten
from .sampler import Sampler, hottest
from .seams import watching
from .session import Session
from .ticket import Ticket
from .variants import UNCHANGED, build, byte_dumper, namespace_of, openapi_of, rebuild, route_facts, wrap_call
from .watch import watching_actions
from .workbench import Study, Workbench, bench_of, request_from

SCREEN_NS = 40_000_000
"""About how long one arm is timed for screening."""


async def routes(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """Every route, numbered; and how many the walk through the app could not reach."""
    bench = bench_of(session)
    bench.rediscover()
    described = [describe(found, number, str(session.folder)) for number, found in enumerate(bench.routes)]
    return {"routes": described, "unreachable": bench.discovery.unreachable_endpoints()}


# -- probe
# ----------------------------------------------------------------------------------------------------


async def probe(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """Call one request up to ``calls`` times within ``seconds`` and report what was seen.

    ``watch``: the request was not named by the user, so what acts is called only this once.
    """
    bench = bench_of(session)
    request = request_from(args["request"])
    session.doing(f"calling {request.name}")
    deadline_s = float(args["deadline_s"])
    try:
        first, actions = await _first_call(bench, request, deadline_s)
    except Exception as error:
        return {"failed": _failure(error), "actions": []}
    report: Dict[str, Any] = {
        "failed": None,
        "actions": actions,
        "status": first.answer.status,
        "body_bytes": len(first.answer.body),
        "content_type": header(first.answer.headers, b"content-type"),
        "first_ns": first.elapsed_ns,
    }
    if first.answer.status >= 300 or (actions and args["watch"]):
        return report
    try:
        study, layers = await _watched_calls(bench, request, args)
    except Exception as error:
        return {**report, "failed": _failure(error)}
    bench.studies[args["key"]] = study
    report.update(_describe_study(study, layers))
    return report


async def _first_call(bench: Workbench, request: Any, deadline_s: float) -> Any:
    with watching_actions() as watch:
        first = await bench.call(request, deadline_s)
    return first, list(watch.actions)


async def _watched_calls(bench: Workbench, request: Any, args: Mapping[str, Any]) -> Any:
    calls: List[LiveCall] = []
    layers: List[Dict[str, int]] = []
    ends = time.monotonic() + float(args["seconds"])
    with watching(), bench.layer_meter().installed() as meter:
        while len(calls) < args["calls"] and (len(calls) < 2 or time.monotonic() < ends):
            meter.own_ns()
            calls.append(await bench.call(request, float(args["deadline_s"])))
            layers.append(meter.own_ns())
    return bench.study(request, calls), layers


def _describe_study(study: Study, layers: List[Dict[str, int]]) -> Dict[str, Any]:
    answers = [call.answer for call in study.calls]
    record = study.last.ticket.record
    gc_ns = sum(call.gc_ns for call in study.calls)
    elapsed_ns = sum(call.elapsed_ns for call in study.calls)
    found = study.found
    return {
        "statuses": [answer.status for answer in answers],
        "whole_ns": int(statistics.median(call.elapsed_ns for call in study.calls)),
        "response_path_ns": study.median_path_ns(),
        "gc_share": gc_ns / max(1, gc_ns + elapsed_ns),
        "unstable": unstable(answers).names(),
        "phases": phases_of(study.calls, layers),
        "obstacle": study.obstacle(),
        "fast_path": record.used_dump_json,
        "is_coroutine": record.is_coroutine,
        "value_type": type(record.value).__name__ if record.called else None,
        "route": None if found is None or found.kind != "api" else route_facts(found),
        "annotations": _annotations(study) if study.obstacle() is None else [],
    }


def _annotations(study: Study) -> List[Dict[str, Any]]:
    found = study.found
    assert found is not None
    if getattr(found.effective, "response_field", None) is not None:
        # An existing response model is a filter and a promise; it is never loosened, so nothing is inferred.
        return []
    values = [call.ticket.record.value for call in study.calls if call.ticket.record.called]
    name = getattr(found.endpoint, "__name__", "Answer")
    return [
        found_type.to_json() for found_type in infer(values, namespace_of(found.endpoint), name_hint=name)
    ]


def _failure(error: BaseException) -> Dict[str, Any]:
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)):
        return {"kind": "deadline", "message": "no answer before the deadline", "traceback": None}
    if isinstance(error, AnswerTooLong):
        return {"kind": "endless", "message": str(error), "traceback": None}
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return {"kind": "raised", "message": f"{type(error).__name__}: {error}"[:500], "traceback": text[-4000:]}


# -- screen
# ---------------------------------------------------------------------------------------------------


async def screen(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """For a probed request: can it be replayed, what is its floor, and what does each change do to bytes and
    time.
    """
    bench = bench_of(session)
    study: Study = bench.studies[args["key"]]
    session.doing(f"screening {study.request.name}")
    found, captured = study.found, study.captured()
    assert found is not None
    screening = _Screening(bench, study, found, captured)
    baseline = replay_of(found, captured, UNCHANGED)
    reference = await baseline.answer()
    reason = await _why_invalid(study, baseline, reference)
    report: Dict[str, Any] = {"invalid": reason, "baseline_ns": None, "floor_ns": None, "variants": []}
    if reason is not None:
        return report
    report["baseline_ns"] = await screening.time(baseline)
    report["floor_ns"] = await screening.time(floor_of(found, captured))
    for change in args["changes"]:
        report["variants"].append(await screening.try_change(change, reference, bool(args["live"])))
    return report


async def _why_invalid(study: Study, baseline: Replay, reference: Answer) -> Optional[str]:
    """Why replaying this request would not measure what clients get, or None."""
    again = await baseline.answer()
    if reference.status != study.last.at_route.status or reference.body != study.last.at_route.body:
        return "a replay of the captured value gives other bytes than the live answer"
    if again.body != reference.body:
        return "replaying the captured value twice gives different bytes"
    # Of either the shortest: the machine's noise only adds, and work that is really done is done every time.
    live_ns = min(path for _, path in study.totals_and_paths())
    replayed_ns = min(path for _, path in await baseline.watched_calls())
    # Live, caches are colder; half as much again and a tenth of a millisecond is no longer that.
    if abs(live_ns - replayed_ns) > 0.5 * max(live_ns, replayed_ns) + 100_000:
        return (
            f"the response path takes {live_ns / 1e6:.2f} ms live and {replayed_ns / 1e6:.2f} ms replayed: "
            "it does work (loading lazily, calling out) that a replay does not repeat"
        )
    return None


class _Screening:
    def __init__(self, bench: Workbench, study: Study, found: FoundRoute, captured: Captured) -> None:
        self._bench = bench
        self._study = study
        self._found = found
        self._captured = captured
        self._masks = unstable([call.answer for call in study.calls])
        self._openapi = openapi_of(build(found, UNCHANGED))

    async def time(self, replay: Replay) -> int:
        """Median nanoseconds of a short run."""
        contestant = Contestant(replay.app, self._captured.scope, b"", self._captured.at_route.status)
        first = await run(contestant, 2, 1)
        length = max(3, min(25, int(SCREEN_NS / max(1.0, first.median_ns))))
        return int((await run(contestant, length, 2)).median_ns)

    async def try_change(self, change: Mapping[str, Any], reference: Answer, live: bool) -> Dict[str, Any]:
        outcome: Dict[str, Any] = {"error": None, "replay_ns": None, "fidelity": None, "differences": []}
        try:
            replay = replay_of(self._found, self._captured, change)
            answer = await replay.answer()
        except Exception as error:
            return {**outcome, "error": f"{type(error).__name__}: {str(error)[:300]}"}
        seen = compare(reference, answer)
        outcome.update(
            fidelity=seen.fidelity, differences=seen.differences, openapi=self._openapi_effect(change)
        )
        if answer.status == reference.status:
            outcome["replay_ns"] = await self.time(replay)
        if live and seen.fidelity != "different":
            outcome["error"] = await self._try_live(change, seen.fidelity)
        return outcome

    def _openapi_effect(self, change: Mapping[str, Any]) -> Optional[str]:
        try:
            schemas = openapi_of(build(self._found, change))
        except Exception as error:
            return f"OpenAPI cannot describe it: {type(error).__name__}"
        if schemas == self._openapi:
            return None
        if self._openapi:
            return "response schema changes"
        annotation = change["annotation"]
        if annotation is not None and annotation["kind"] != "any":
            return f"response gains the schema {annotation['expression']}"
        return "response gains a title"

    async def _try_live(self, change: Mapping[str, Any], fidelity: str) -> Optional[str]:
        """One call through the whole app; returns what is wrong with it, or None."""
        clone = build(self._found, change)
        dumper = byte_dumper(self._found, clone, change)
        if dumper is not None:
            wrap_call(clone, lambda call: dumper.around(call, self._captured.is_coroutine))
        ticket = Ticket(self._found.key, rebuild(clone))
        call = await self._bench.call(self._study.request, 10.0, ticket)
        if ticket.hits != 1:
            return "the request did not reach the changed route: it was answered above it"
        seen = compare(self._study.last.answer, call.answer, self._masks)
        if seen.fidelity == "different" and fidelity != "different":
            return "through the whole app the answer differs: " + ", ".join(
                d["at"] for d in seen.differences[:3]
            )
        return None


# -- profile
# --------------------------------------------------------------------------------------------------


async def profile(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """Sample a few live calls, at most ``calls`` and about ``seconds`` long; name the function where the time
    goes.
    """
    bench = bench_of(session)
    request = request_from(args["request"])
    session.doing(f"profiling {request.name}")
    ends = time.monotonic() + float(args["seconds"])
    with Sampler() as sampler:
        for _ in range(args["calls"]):
            await bench.call(request, float(args["deadline_s"]))
            if time.monotonic() > ends:
                break
    hot = hottest(sampler.stacks, bench.owns)
    if hot is None:
        return {"share": None, "where": None, "samples": 0}
    place = hot.place
    where = f"{shorten(place.filename, str(session.folder))}:{place.line} {place.name}"
    return {"share": hot.share, "where": where, "samples": len(sampler.stacks)}
