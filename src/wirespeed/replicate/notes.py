"""What the original method could not know, as sentences made from what was measured here. Pure.

The method that is repeated is the usual one: every arm once, one after the other. Its weakness shows when the
same is done again: the same arm gives another figure, and the same two arms another conclusion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .judging import ALPHA, estimate
from .results import ArmFigures, ExperimentResult, SingleRunsResult, SuiteResults
from .suite import Arm, SingleRuns, Suite

NO_DIFFERENCE = 0.05
"""What reports of single runs usually call no difference (share)."""


def method_notes(suite: Suite, results: SuiteResults) -> Iterator[str]:
    """All notes of a suite: the general ones, then its own."""
    for step in suite.steps:
        if isinstance(step, SingleRuns) and (repeated := results.single_runs(step.name)) is not None:
            yield from spread_notes(step, repeated)
            yield from conclusion_notes(step, repeated)
            yield from error_notes(step.name, [each for run in repeated.runs for each in run])
        if (measured := results.experiment(step.name)) is not None:
            yield from error_notes(step.name, measured.arms)
    yield from suite.notes(results)


def spread_notes(step: SingleRuns, repeated: SingleRunsResult) -> Iterator[str]:
    """How far identical arms fell apart."""
    for arm in step.arms:
        means = [each.mean_ns for each in repeated.of(arm.name) if each.mean_ns]
        if len(means) > 1:
            apart = max(means) / min(means) - 1
            yield (
                f"{step.name}: {arm.name} measured {len(means)} times in sequence "
                f"differed from itself by {_percent(apart)}"
            )


def conclusion_notes(step: SingleRuns, repeated: SingleRunsResult) -> Iterator[str]:
    """Whether the same two arms, measured the same way again, lead to another conclusion."""
    for number, one in enumerate(step.arms):
        for other in step.arms[number + 1 :]:
            ratios = [
                a.mean_ns / b.mean_ns
                for a, b in zip(repeated.of(one.name), repeated.of(other.name), strict=True)
                if a.mean_ns and b.mean_ns
            ]
            if len({_winner(ratio) for ratio in ratios}) > 1:
                told = ", then ".join(_conclusion(one.name, other.name, ratio) for ratio in ratios)
                yield f"{step.name}: {len(ratios)} runs of one comparison come to different ends: {told}"


def _winner(ratio: float) -> int:
    """Which of two a report of single runs would call faster: neither, the first, the second."""
    if max(ratio, 1 / ratio) - 1 < NO_DIFFERENCE:
        return 0
    return 1 if ratio < 1 else 2


def _conclusion(one: str, other: str, ratio: float) -> str:
    match _winner(ratio):
        case 0:
            return f"{one} and {other} less than {_percent(NO_DIFFERENCE)} apart"
        case 1:
            return f"{one} faster by {_percent(1 / ratio - 1)}"
        case _:
            return f"{other} faster by {_percent(ratio - 1)}"


def _percent(share: float) -> str:
    return f"{share * 100:.3g} %"


def error_notes(step: str, arms: tuple[ArmFigures, ...] | list[ArmFigures]) -> Iterator[str]:
    """Failures are part of what was measured: how many, of what kind, and what times do not show for it."""
    for arm in arms:
        if not arm.errors:
            continue
        failed = sum(arm.errors.values())
        kinds = ", ".join(f"{number} × {kind}" for kind, number in sorted(arm.errors.items()))
        note = f"{step}: {failed} of {arm.requests} requests of {arm.name} failed ({kinds})"
        if arm.censored_above_ns is not None:
            note += f"; times from {arm.censored_above_ns / 1e9:.2f} s on are lower bounds"
        yield note


def gain_notes(results: SuiteResults, step: str, pairs: Mapping[str, tuple[Arm, Arm]]) -> Iterator[str]:
    """A sentence for each named pair (slow, fast): how many times as fast the second is."""
    result = results.experiment(step)
    if result is None:
        yield f"{step}: {results.why_not(step)}"
        return
    for name, (slow, fast) in pairs.items():
        yield f"{name}: {_gain(result, slow.name, fast.name, ALPHA / len(pairs))}"


def _gain(result: ExperimentResult, slow: str, fast: str, alpha: float) -> str:
    seen = estimate(result, slow, fast, alpha)
    if seen is None:
        return "cannot be told"
    low, high = seen.interval
    return f"{seen.ratio:.2f} times as fast [{low:.2f}, {high:.2f}]"
