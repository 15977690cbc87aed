"""What the rounds decide of every arm, and which arms are recommended for it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.experiment.stopping import ConfirmPlan, clears_margin, decide_candidates, estimate_of
from wirespeed.model.verdict import Decision, Estimate, Verdict

from .round_figures import Confirmed
from .selection import NEARLY_AS_FAST, Candidate, exclude_each_other, risk


@dataclass(frozen=True)
class Judged:
    """The decisions on one arm: alone and, where it was measured so, in parallel."""

    whole: Decision
    parallel: Decision | None = None
    response_path: Estimate | None = None

    @property
    def verdict(self) -> Verdict:
        """Of both metrics: where one is faster and the other slower, the larger of the two effects."""
        verdicts = {each.verdict for each in self.metrics}
        if {Verdict.FASTER, Verdict.SLOWER} <= verdicts:
            return Verdict.SLOWER if self.worst_ratio * self.best_ratio > 1 else Verdict.FASTER
        for verdict in (Verdict.INVALID, Verdict.SLOWER, Verdict.FASTER):
            if verdict in verdicts:
                return verdict
        return Verdict.EQUIVALENT if verdicts == {Verdict.EQUIVALENT} else Verdict.INCONCLUSIVE

    @property
    def metrics(self) -> list[Decision]:
        return [self.whole] if self.parallel is None else [self.whole, self.parallel]

    @property
    def estimates(self) -> list[Estimate]:
        return [each.estimate for each in self.metrics if each.estimate is not None]

    @property
    def best_ratio(self) -> float:
        return min((each.ratio for each in self.estimates), default=1.0)

    @property
    def note(self) -> str | None:
        return next((each.note for each in self.metrics if each.note is not None), None)

    @property
    def rounds_needed(self) -> int | None:
        needed = [each.rounds_needed for each in self.metrics if each.rounds_needed is not None]
        return max(needed, default=None)

    @property
    def worst_ratio(self) -> float:
        return max((each.ratio for each in self.estimates), default=1.0)

    def is_proven(self, margin: float) -> bool:
        """Whether a metric gets better beyond the margin, and none gets worse beyond it."""
        return (
            any(clears_margin(estimate, margin) for estimate in self.estimates) and self.harm(margin) is None
        )

    def harm(self, margin: float) -> Estimate | None:
        """The metric that gets worse beyond the margin: proven so, or so by its estimate while it leaves more
        harm open than the other metric gains.
        """
        return next((each for each in self.estimates if self._is_harm(each, margin)), None)

    def _is_harm(self, estimate: Estimate, margin: float) -> bool:
        if estimate.ratio <= 1 + margin:
            return False
        low, high = estimate.interval
        return low > 1 + margin or high * self.best_ratio > 1


def judge_all(confirmed: Sequence[Confirmed], plan: ConfirmPlan) -> list[Judged]:
    """Verdicts on all arms of the table. Each metric of each arm is a comparison of one family."""
    usable = [each if each.invalid is None else Confirmed((), invalid=each.invalid) for each in confirmed]
    in_parallel = [number for number, each in enumerate(usable) if each.parallel]
    family = [each.whole for each in usable] + [usable[number].parallel for number in in_parallel]
    decisions = decide_candidates(family, plan)
    parallel = dict(zip(in_parallel, decisions[len(usable) :], strict=True))
    return [
        Judged(
            decisions[number],
            parallel.get(number),
            estimate_of(each.response_path, plan, len(family)) if each.response_path else None,
        )
        if each.invalid is None
        else invalid(each.invalid)
        for number, each in enumerate(usable)
    ]


def invalid(reason: str) -> Judged:
    return Judged(Decision(verdict=Verdict.INVALID, estimate=None, note=reason))


def recommended(
    candidates: Sequence[Candidate], judged: Sequence[Judged], margin: float, *, allow_equal: bool = False
) -> list[int]:
    """Which arms to recommend: proven faster beyond the margin, with the bytes kept; no two alternatives.

    Among alternatives nearly as fast as the fastest: one whose type fixes the bytes, then one that filters
    nothing.
    """
    able = [
        number
        for number, (candidate, each) in enumerate(zip(candidates, judged, strict=True))
        if may_be_recommended(candidate, allow_equal=allow_equal) and _is_proven(candidate, each, margin)
    ]
    able.sort(key=lambda number: judged[number].best_ratio)
    chosen: list[int] = []
    while able:
        limit = judged[able[0]].best_ratio * NEARLY_AS_FAST
        close = [n for n in able if judged[n].best_ratio <= limit and _are_rivals(candidates, able[0], n)]
        best = min(close, key=lambda n: (*risk(candidates[n]), judged[n].best_ratio))
        chosen.append(best)
        able = [n for n in able if not _are_rivals(candidates, best, n)]
    return chosen


def _are_rivals(candidates: Sequence[Candidate], one: int, other: int) -> bool:
    return one == other or exclude_each_other(candidates[one].change, candidates[other].change)


def may_be_recommended(candidate: Candidate, *, allow_equal: bool = False) -> bool:
    """Whether anything but its figures stands against it."""
    if candidate.is_only_shown:
        return False
    return candidate.keeps_bytes or (allow_equal and candidate.screened.fidelity == "equal")


def _is_proven(candidate: Candidate, judged: Judged, margin: float) -> bool:
    if candidate.change.in_parallel and judged.parallel is None:
        return False
    return judged.is_proven(margin)
