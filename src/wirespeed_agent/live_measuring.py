"""A confirming round of live arms: an answer of each to compare, then blocks alone and in parallel."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

from .fidelity import Answer, Masks, compare, unstable
from .live import CallFailed
from .live_arms import Blocks, Booth, LiveArm, Reasons
from .tracebacks import last_line
from .watchdog import GaveUp
from .workbench import Study, Workbench


async def measure_live(bench: Workbench, study: Study, args: Mapping[str, Any]) -> Dict[str, Any]:
    """Arm 0 is the unchanged route, the others are ``live_changes``; ``live_answers`` are of those alone.

    ``live_schedule`` and ``parallel_schedule`` (with ``parallel`` in flight) are each measured where given;
    no arm is called more than ``most_calls`` times. Raises CallFailed where the unchanged route fails.
    """
    changes = args["live_changes"]
    booth = Booth(bench, study.request, study.found, float(args["deadline_s"]), args.get("most_calls"))
    with booth.opened(changes):
        arms, reasons = _made(booth, changes)
        baseline = (await arms[0].call()).answer
        masks = unstable([*study.answers, baseline])
        seen = [await _seen(baseline, arms, number, masks, reasons) for number in range(1, len(arms))]
        report: Dict[str, Any] = {"live_answers": seen}
        for arm in arms:
            arm.status = baseline.status
        blocks = Blocks(arms, booth.watchdog, reasons)
        if args.get("live_schedule"):
            report.update(_named("live", await blocks.alone(args["live_schedule"])))
        if args.get("parallel_schedule"):
            in_parallel = await blocks.parallel(args["parallel_schedule"], args["parallel"])
            report.update(_named("parallel", in_parallel))
        return report


def _made(booth: Booth, changes: Sequence[Mapping[str, Any]]) -> Tuple[List[LiveArm], Reasons]:
    """An arm that cannot be made in this process, although it was in another, has given up already."""
    arms: List[LiveArm] = [booth.arm()]
    reasons: Reasons = [None]
    for change in changes:
        try:
            arms.append(booth.arm(change))
            reasons.append(None)
        # Whatever FastAPI, Pydantic or the user's own types raise; it is told as the reason.
        except Exception as error:
            arms.append(booth.arm())
            reasons.append(last_line(error))
    return arms, reasons


async def _seen(
    baseline: Answer, arms: Sequence[LiveArm], number: int, masks: Masks, reasons: Reasons
) -> Dict[str, Any]:
    arm, problem = arms[number], reasons[number]
    try:
        if problem is None:
            call = await arm.call()
            if arm.reached(call.ticket):
                seen = compare(baseline, call.answer, masks)
                return {"fidelity": seen.fidelity, "differences": seen.differences}
            problem = "the request was answered above what is changed"
    except (CallFailed, GaveUp) as failure:
        problem = str(failure)
    reasons[number] = problem
    return {
        "fidelity": "different",
        "differences": [{"at": "status", "baseline": baseline.status, "arm": problem}],
    }


def _named(prefix: str, report: Mapping[str, Any]) -> Dict[str, Any]:
    return {f"{prefix}_{name}": value for name, value in report.items()}
