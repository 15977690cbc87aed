"""The operation of a confirming round: live calls of the unchanged app, then blocks of replays.

The figures go back as they are; the conductor turns them into the round's numbers.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping

from .asgi import Request
from .direct import Contestant, run_blocks
from .replay import Replay, replay_of
from .session import Session
from .variants import UNCHANGED
from .workbench import Workbench, bench_of, request_from


async def measure(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """One round of one request: arm 0 is the unchanged route, the others are ``changes`` in their order.

    Returns ``live`` and ``replayed`` as (whole, response path) nanoseconds of single calls, ``runs`` and
    ``errors`` an arm, and ``invalid`` with the reason where this round's answer cannot be replayed.
    """
    bench = bench_of(session)
    request = request_from(args["request"])
    session.doing(f"measuring {request.name}")
    study = await bench.capture(request, args["live_calls"], float(args["deadline_s"]))
    report: Dict[str, Any] = {
        "invalid": study.obstacle(),
        "statuses": [call.answer.status for call in study.calls],
        "live": study.totals_and_paths(),
        "live_gc_ns": [call.gc_ns for call in study.calls],
    }
    if report["invalid"] is not None or study.found is None:
        return report
    captured = study.captured()
    arms = [replay_of(study.found, captured, change) for change in (UNCHANGED, *args["changes"])]
    if (await arms[0].answer()).body != captured.at_route.body:
        return {**report, "invalid": "a replay of the captured value gives other bytes than the live answer"}
    report["replayed"] = await arms[0].watched_calls()
    report.update(await run_blocks([_replayed(arm) for arm in arms], args["schedule"]))
    return report


def _replayed(arm: Replay) -> Contestant:
    return Contestant(arm.app, arm.captured.scope, b"", arm.captured.at_route.status)


async def contest(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """One round of live arms: whole requests, through the whole app, unwatched. ``requests`` are the arms."""
    bench = bench_of(session)
    deadline_s = float(args["deadline_s"])
    requests = [request_from(data) for data in args["requests"]]
    return await run_blocks([await _live(bench, each, deadline_s) for each in requests], args["schedule"])


async def _live(bench: Workbench, request: Request, deadline_s: float) -> Contestant:
    first = await bench.call(request, deadline_s)
    state = bench.session.state
    return Contestant(bench.session.app, lambda: request.scope(state), request.body, first.answer.status)
