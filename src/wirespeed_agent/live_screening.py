"""Round 0 of the changes that are called live: what clients would see of each, and a first look at its time.

The unchanged route is called as often as each of them, for what changes from call to call is told from what a
change does by calling both. All are called in turn, and their fastest calls are compared: where others share
the machine, it has half its speed for some milliseconds, again and again, and whoever is called as a whole in
such a time looks twice as slow.
"""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

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
    """An arm, and what its calls showed until one failed."""

    def __init__(self, arm: LiveArm) -> None:
        self.arm = arm
        self.answers: List[Answer] = []
        self.elapsed_ns: List[int] = []
        self.parallel_ns: Optional[int] = None
        self.failure: Optional[CallFailed] = None

    @property
    def live_ns(self) -> Optional[int]:
        """The first call finds cold caches."""
        return min(self.elapsed_ns[1:], default=None)

    def may_be_called(self, look: Look) -> bool:
        calls = len(self.answers)
        return calls < look.calls and (calls < 2 or sum(self.elapsed_ns) < look.seconds * 1e9)

    async def call(self) -> None:
        """Raises CallFailed, also where an answer did not come from what the arm changes."""
        call = await self.arm.call()
        status = call.answer.status
        if not self.arm.reached(call.ticket):
            raise CallFailed("missed", "the request was answered above what is changed", status)
        if not is_success(status):
            raise CallFailed("status", f"it answers {status}", status)
        self.arm.status = status
        self.answers.append(call.answer)
        self.elapsed_ns.append(call.elapsed_ns)


async def screen_live(
    booth: Booth, study: Study, changes: Sequence[Change], look: Optional[Look]
) -> Dict[str, Any]:
    """``baseline_live_ns``, ``baseline_parallel_ns``, and ``variants`` as ``observation.Screened``.

    Without ``look`` nothing is called; each change is only made. Raises CallFailed where the unchanged route
    fails.
    """
    with booth.opened(changes):
        made = [_made(booth, change) for change in changes]
        if look is None:
            return {"variants": [outcome for outcome, _ in made]}
        baseline = _Seen(booth.arm())
        looks = [None if arm is None else _Seen(arm) for _, arm in made]
        await _look_at(booth, [baseline, *filter(None, looks)], look)
        if baseline.failure is not None:
            raise baseline.failure
        reference = [*study.answers, *baseline.answers]
        return {
            "baseline_live_ns": baseline.live_ns,
            "baseline_parallel_ns": baseline.parallel_ns,
            "variants": [
                outcome if seen is None else _told(outcome, seen, reference)
                for (outcome, _), seen in zip(made, looks)
            ],
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


async def _look_at(booth: Booth, arms: Sequence[_Seen], look: Look) -> None:
    """All in turn, then each in parallel. What goes wrong with one is its own affair, but for the first."""
    for _ in range(look.calls):
        for seen in arms:
            if seen.failure is None and seen.may_be_called(look):
                with _noting_failure(seen):
                    await seen.call()
        if arms[0].failure is not None:
            return
    for seen in arms if look.parallel_calls else ():
        if seen.failure is None:
            with _noting_failure(seen):
                seen.parallel_ns = await _look_in_parallel(booth, seen.arm, look)


@contextlib.contextmanager
def _noting_failure(seen: _Seen) -> Iterator[None]:
    try:
        yield
    except CallFailed as failure:
        seen.failure = failure


def _told(outcome: Outcome, seen: _Seen, reference: Sequence[Answer]) -> Outcome:
    if seen.failure is not None:
        error = f"through the whole app it fails: {seen.failure.message}"
        return {**outcome, "error": error[:LONGEST_ERROR]}
    masks = unstable(reference)
    worst = worst_of([compare(reference[-1], answer, masks) for answer in seen.answers])
    return {
        **outcome,
        "fidelity": worst.fidelity,
        "differences": worst.differences,
        "live_ns": seen.live_ns,
        "parallel_ns": seen.parallel_ns,
    }


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
