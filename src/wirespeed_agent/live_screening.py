"""Round 0 of the changes that are called live: what clients would see of each, and a first look at its time.

The unchanged route is called as often as each of them, for what changes from call to call is told from what a
change does by calling both.
"""

from __future__ import annotations

import statistics
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .fidelity import Answer, Comparison, compare, unstable
from .live import CallFailed
from .live_arms import Booth, LiveArm
from .parallel import run_parallel
from .source_changes import NotInProcess
from .tracebacks import last_line
from .watchdog import GaveUp
from .workbench import Study, is_success

LONGEST_ERROR = 300
SEVERITY = ("identical", "equal", "different")

Change = Mapping[str, Any]
Outcome = Dict[str, Any]


class Look:
    """How often each arm may be called: ``calls`` alone, within about ``seconds``, and ``parallel_calls``."""

    def __init__(self, allowed: Mapping[str, Any]) -> None:
        self.calls = int(allowed["calls"])
        self.seconds = float(allowed["seconds"])
        self.parallel = int(allowed.get("parallel") or 0)
        self.parallel_calls = int(allowed.get("parallel_calls") or 0) if self.parallel else 0


class _Seen:
    """What an arm's calls showed."""

    def __init__(self) -> None:
        self.answers: List[Answer] = []
        self.elapsed_ns: List[int] = []
        self.parallel_ns: Optional[int] = None

    @property
    def live_ns(self) -> Optional[int]:
        """The first call finds cold caches."""
        return int(statistics.median(self.elapsed_ns[1:])) if len(self.elapsed_ns) > 1 else None


async def screen_live(
    booth: Booth, study: Study, changes: Sequence[Change], look: Optional[Look]
) -> Dict[str, Any]:
    """``baseline_live_ns``, ``baseline_parallel_ns``, and ``variants`` as ``observation.Screened``.

    Without ``look`` nothing is called; each change is only made. Raises CallFailed where the unchanged route
    fails.
    """
    with booth.opened(changes):
        if look is None:
            return {"variants": [_made(booth, change)[0] for change in changes]}
        baseline = await _look_at(booth, booth.arm(), look)
        reference = [*study.answers, *baseline.answers]
        return {
            "baseline_live_ns": baseline.live_ns,
            "baseline_parallel_ns": baseline.parallel_ns,
            "variants": [await _tried(booth, change, reference, look) for change in changes],
        }


def _made(booth: Booth, change: Change) -> Tuple[Outcome, Optional[LiveArm]]:
    """The arm, or what is said where there is none."""
    outcome = blank_outcome()
    try:
        return outcome, booth.arm(change)
    except NotInProcess as reason:
        return {**outcome, "in_process": False, "why_not": str(reason)}, None
    # Whatever FastAPI, Pydantic or the user's own types raise.
    except Exception as error:
        return {**outcome, "error": last_line(error)[:LONGEST_ERROR]}, None


async def _tried(booth: Booth, change: Change, reference: Sequence[Answer], look: Look) -> Outcome:
    """What goes wrong with a change is its own affair."""
    outcome, arm = _made(booth, change)
    if arm is None:
        return outcome
    try:
        seen = await _look_at(booth, arm, look)
    except CallFailed as failure:
        return {**outcome, "error": f"through the whole app it fails: {failure.message}"[:LONGEST_ERROR]}
    masks = unstable(reference)
    worst = worst_of([compare(reference[-1], answer, masks) for answer in seen.answers])
    return {
        **outcome,
        "fidelity": worst.fidelity,
        "differences": worst.differences,
        "live_ns": seen.live_ns,
        "parallel_ns": seen.parallel_ns,
    }


async def _look_at(booth: Booth, arm: LiveArm, look: Look) -> _Seen:
    """Raises CallFailed, also where an answer did not come from what the arm changes."""
    seen = _Seen()
    ends = time.monotonic() + look.seconds
    while len(seen.answers) < look.calls and (len(seen.answers) < 2 or time.monotonic() < ends):
        call = await arm.call()
        status = call.answer.status
        if not arm.reached(call.ticket):
            raise CallFailed("missed", "the request was answered above what is changed", status)
        if not is_success(status):
            raise CallFailed("status", f"it answers {status}", status)
        arm.status = status
        seen.answers.append(call.answer)
        seen.elapsed_ns.append(call.elapsed_ns)
    if look.parallel_calls:
        seen.parallel_ns = await _look_in_parallel(booth, arm, look)
    return seen


async def _look_in_parallel(booth: Booth, arm: LiveArm, look: Look) -> int:
    dropped = look.parallel if look.parallel_calls >= 2 * look.parallel else 0
    length = look.parallel_calls - dropped
    try:
        run = await booth.watchdog.guard(run_parallel(arm, length, dropped, look.parallel))
    except GaveUp as reason:
        raise CallFailed("deadline", f"with {look.parallel} at once: {reason}", 0) from reason
    if arm.errors:
        raise CallFailed("status", f"with {look.parallel} at once {arm.errors} answers are no good", 0)
    return int(run.median_ns)


def worst_of(seen: Sequence[Comparison]) -> Comparison:
    return max(seen, key=lambda each: SEVERITY.index(each.fidelity))


def blank_outcome() -> Outcome:
    """``observation.Screened`` of a change that nothing is known of yet."""
    return {
        "error": None,
        "replay_ns": None,
        "fidelity": None,
        "differences": [],
        "in_process": True,
        "why_not": None,
        "live_ns": None,
        "parallel_ns": None,
    }
