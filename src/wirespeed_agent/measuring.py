"""The operation of a confirming round: live calls of the unchanged app, then blocks of replays.

The figures go back as they are; the conductor turns them into the round's numbers.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence

from .asgi import Request
from .direct import Contestant, run_blocks
from .live_measuring import measure_live
from .parallel import run_parallel_blocks
from .replay import Replay, ReplayFailed, compare_replays, replay_of
from .session import Session
from .variants import UNCHANGED
from .workbench import Study, Workbench, bench_of, blaming_the_endpoint, request_from


async def measure(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """One round of one request: arm 0 is the unchanged route, the others are ``changes`` in their order.

    Returns ``live`` and ``replayed`` as (whole, response path) nanoseconds of single calls, ``runs`` and
    ``errors`` an arm, ``answers`` with the fidelity of each change's answer, and ``invalid`` with the reason
    where this round's answer cannot be replayed. Where there are ``live_changes``, also what
    ``live_measuring`` says of them. Raises OperationError("endpoint") where a call fails.
    """
    bench = bench_of(session)
    request = request_from(args["request"])
    session.doing(f"measuring {request.name}")
    with blaming_the_endpoint():
        study = await bench.capture(request, args["live_calls"], float(args["deadline_s"]))
    report: Dict[str, Any] = {
        "invalid": study.obstacle() if args["changes"] else None,
        "live": study.totals_and_paths(),
        "live_gc_ns": [call.gc_ns for call in study.calls],
    }
    if args["changes"] and report["invalid"] is None:
        report.update(await _replays(study, args["changes"], args["schedule"]))
    if args.get("live_changes"):
        with blaming_the_endpoint():
            report.update(await measure_live(bench, study, args))
    return report


async def _replays(
    study: Study, changes: Sequence[Mapping[str, Any]], schedule: Mapping[str, Any]
) -> Dict[str, Any]:
    assert study.found is not None
    captured = study.captured()[0]
    arms = [replay_of(study.found, captured, change) for change in (UNCHANGED, *changes)]
    try:
        reference = await arms[0].answer()
    except ReplayFailed as failure:
        return {"invalid": f"replaying the captured value fails: {failure}"}
    if reference.body != captured.at_route.body:
        return {"invalid": "a replay of the captured value gives other bytes than the live answer"}
    return {
        "answers": [await _seen(arms[0], arm) for arm in arms[1:]],
        "replayed": await arms[0].watched_calls(),
        **await run_blocks([_replayed(arm) for arm in arms], schedule),
    }


async def _seen(baseline: Replay, arm: Replay) -> Dict[str, Any]:
    """This round's value may be one that the change was not screened with."""
    try:
        seen = await compare_replays(baseline, arm)
    except ReplayFailed as failure:
        status = baseline.captured.at_route.status
        raised: List[Any] = [{"at": "status", "baseline": status, "arm": str(failure)[:200]}]
        return {"fidelity": "different", "differences": raised}
    return {"fidelity": seen.fidelity, "differences": seen.differences}


def _replayed(arm: Replay) -> Contestant:
    return Contestant(arm.app, arm.captured.scope, b"", arm.captured.at_route.status)


async def contest(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """One round of live arms: whole requests, through the whole app, unwatched. ``requests`` are the arms.

    With ``parallel`` in the arguments, that many of an arm's requests are in flight at once. Answers with
    another status than ``statuses`` say, or else than the first one of each arm, are errors. With
    ``settle_ns``, the arms were called in this process before and need no warm-up; ``statuses`` are then
    those of all of them.
    """
    bench = bench_of(session)
    deadline_s = float(args["deadline_s"])
    requests = [request_from(data) for data in args["requests"]]
    if args.get("settle_ns") is not None:
        known = [_contestant(bench, *each) for each in zip(requests, args["statuses"])]
        return await run_blocks(known, args["schedule"], float(args["settle_ns"]))
    contestants = [await _live(bench, request, deadline_s) for request in requests]
    for contestant, status in zip(contestants, args.get("statuses", ())):
        contestant.status = status
    if args.get("parallel"):
        return await run_parallel_blocks(contestants, args["schedule"], args["parallel"])
    return await run_blocks(contestants, args["schedule"])


async def _live(bench: Workbench, request: Request, deadline_s: float) -> Contestant:
    with blaming_the_endpoint():
        first = await bench.call(request, deadline_s)
    return _contestant(bench, request, first.answer.status)


def _contestant(bench: Workbench, request: Request, status: int) -> Contestant:
    state = bench.session.state
    return Contestant(bench.session.app, lambda: request.scope(state), request.body, status)
