"""Operations of round 0: what is there, what one request does, and where its time goes.

Nothing measured here is evidence for a verdict; it decides what is measured.
"""

from __future__ import annotations

import statistics
import time
from typing import Any, Dict, List, Mapping, Tuple

from . import facts
from .asgi import Request
from .examining import all_examined, examine, examining
from .inference import infer
from .layers import Spent, by_name
from .live import CallFailed, LiveCall, header
from .phases import phases_of
from .routes import describe, shorten
from .sampler import Sampler, hottest
from .seams import watching
from .session import Session
from .variants import namespace_of, route_facts
from .watch import watching_actions
from .workbench import Study, Workbench, bench_of, is_success, request_from

EXAMINED_CALLS = 3
MOST_KEPT_BYTES = 64_000_000
"""What calls leave in memory, answers and the values they were made from, is many times their bodies."""


async def routes(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """Every route, numbered; and how many the walk through the app could not reach."""
    bench = bench_of(session)
    bench.rediscover()
    described = [describe(found, number, str(session.folder)) for number, found in enumerate(bench.routes)]
    return {"routes": described, "unreachable": bench.discovery.unreachable_endpoints()}


async def probe(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """Call one request, then up to ``calls`` times for about ``seconds`` twice; answers ``Observation``.

    ``watch``: the request was not named by the user, so what acts is called only this once.
    """
    bench = bench_of(session)
    request = request_from(args["request"])
    session.doing(f"calling {request.name}")
    with watching_actions(session.loop) as watch:
        try:
            first = await bench.call(request, float(args["deadline_s"]))
        except CallFailed as failure:
            return {"actions": watch.actions, **_failed(failure)}
    report: Dict[str, Any] = {
        "failed": None,
        "actions": watch.actions,
        "status": first.answer.status,
        "body_bytes": len(first.answer.body),
        "content_type": header(first.answer.headers, b"content-type"),
        "first_ns": first.elapsed_ns,
    }
    if not is_success(first.answer.status) or (watch.actions and args["watch"]):
        return report
    try:
        calls, layers = await _watched_calls(bench, request, args)
        examined = await _examined_calls(bench, request, args)
    except CallFailed as failure:
        return {**report, **_failed(failure)}
    study = bench.study(request, calls, earlier=[first.answer, *(call.answer for call in examined)])
    bench.studies[args["key"]] = study
    return {**report, **_describe(study, layers), **_facts(bench, study, layers, examined)}


def _failed(failure: CallFailed) -> Dict[str, Any]:
    described = {"kind": failure.kind, "message": failure.message, "traceback": failure.traceback}
    return {"failed": described, "status": failure.status or None}


async def _watched_calls(
    bench: Workbench, request: Request, args: Mapping[str, Any]
) -> Tuple[List[LiveCall], List[Spent]]:
    calls: List[LiveCall] = []
    layers: List[Spent] = []
    ends = time.monotonic() + float(args["seconds"])
    with watching(), bench.layer_meter().installed() as meter:
        most = args["calls"] - _most_examined(args)
        while not calls or (len(calls) < most and time.monotonic() < ends and not _are_heavy(calls)):
            meter.take()
            calls.append(await bench.call(request, float(args["deadline_s"]), app=meter.app))
            layers.append(meter.take())
    return calls, layers


async def _examined_calls(bench: Workbench, request: Request, args: Mapping[str, Any]) -> List[LiveCall]:
    """A few more, looked at more closely, and a few again where the machine may have disturbed them.

    The last runs under a profiler, where a callable looks trivial.
    """
    calls: List[LiveCall] = []
    deadline_s = float(args["deadline_s"])
    ends = time.monotonic() + float(args["seconds"])
    most = _most_examined(args) - 1
    wanted = min(EXAMINED_CALLS, most)
    with examining():
        while not calls or (len(calls) < wanted and time.monotonic() < ends and not _are_heavy(calls)):
            calls.append(await examine(bench, request, deadline_s))
            if facts.looks_disturbed(all_examined(calls)[-1]):
                wanted = most
        if len(calls) <= most and any(facts.looks_trivial(each) for each in all_examined(calls)):
            calls.append(await examine(bench, request, deadline_s, profile=True))
    return calls


def _are_heavy(calls: List[LiveCall]) -> bool:
    return sum(len(call.answer.body) for call in calls) > MOST_KEPT_BYTES


def _most_examined(args: Mapping[str, Any]) -> int:
    """Half of the calls that may be made."""
    return max(1, int(args["calls"]) // 2)


def _facts(bench: Workbench, study: Study, layers: List[Spent], examined: List[LiveCall]) -> Dict[str, Any]:
    """What the rules about the app's code read."""
    places = facts.Places(str(bench.session.folder), bench.owns)
    report: Dict[str, Any] = {
        "works": facts.works(examined, places),
        "holds": facts.holds(examined),
        "layers": facts.layers(bench.placed_layers(), layers, places),
        "built": facts.built(examined, places),
        **facts.validation(examined),
    }
    found = study.found
    if found is not None and found.kind == "api":
        report.update(
            source=places.definition(found.endpoint),
            hand_built=facts.hand_built(examined, found),
            unions=facts.unions(found),
            same_every_time=facts.same_every_time(study.calls, found),
        )
    return report


def _describe(study: Study, layers: List[Spent]) -> Dict[str, Any]:
    record = study.last.ticket.record
    gc_ns = sum(call.gc_ns for call in study.calls)
    elapsed_ns = sum(call.elapsed_ns for call in study.calls)
    obstacle, found = study.obstacle(), study.found
    return {
        "statuses": [answer.status for answer in study.answers],
        "whole_ns": int(statistics.median(call.elapsed_ns for call in study.calls)),
        "response_path_ns": study.median_path_ns(),
        "gc_share": gc_ns / max(1, gc_ns + elapsed_ns),
        "unstable": study.masks.names(),
        "phases": phases_of(study.calls, [by_name(spent) for spent in layers]),
        "obstacle": obstacle,
        "fast_path": record.used_dump_json,
        "is_coroutine": record.is_coroutine,
        "value_type": type(record.value).__name__ if record.called else None,
        "route": None if found is None or found.kind != "api" else route_facts(found),
        "annotations": [] if obstacle is not None else _annotations(study),
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


async def profile(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """Sample live calls, at most ``calls`` and for about ``seconds``; name where the time goes."""
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
