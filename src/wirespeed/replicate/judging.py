"""From what was measured to what becomes of a claim: ``holds``, ``does not hold``, ``cannot tell``. Pure.

A ratio is judged at the looks of its experiment, by the same bounds that ``compare`` stops by, so its
interval holds at whichever look decides. The very function that gives the verdict also says when measuring
may end: an experiment goes on until its claims are decided. All ratios of a suite share α (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wirespeed.experiment.stopping import SequentialPlan
from wirespeed.model.replication import ClaimVerdict
from wirespeed.stats import FloatArray, Interval, Look, mean_interval, pair_rounds

from .results import ExperimentResult, SuiteResults
from .suite import Bounds, Claim, Evidence, Fact, Ratio, SameBytes, Suite

ALPHA = 0.05
"""How often any verdict of a suite may be wrong."""
_ABSENT = object()
HOLDS, DOES_NOT_HOLD, CANNOT_TELL = ClaimVerdict


class Finding(NamedTuple):
    """What one piece of evidence says, or all of a claim's together."""

    verdict: ClaimVerdict
    reason: str
    step: str
    ours: float | None = None
    interval: tuple[float, float] | None = None


class Estimate(NamedTuple):
    ratio: float
    interval: tuple[float, float]
    rounds: int


def alpha_of(suite: Suite) -> float:
    """The share of α that each ratio of a suite gets."""
    return ALPHA / max(1, sum(1 for _ in ratios_of(suite)))


def ratios_of(suite: Suite, step: str | None = None) -> Iterator[Ratio]:
    """The ratios that claims are judged by: all, or those of one step."""
    for claim in suite.claims:
        for each in claim.evidence:
            if isinstance(each, Ratio) and step in (None, each.step):
                yield each


def judge(claim: Claim, results: SuiteResults, alpha: float) -> Finding:
    """One piece of evidence against it is enough; for it, all must speak.

    ``alpha`` is what each ratio may be wrong, see ``alpha_of``.
    """
    found = [weigh(each, results, alpha) for each in claim.evidence]
    for verdict in (CANNOT_TELL, DOES_NOT_HOLD) if _are_facts(claim) else (DOES_NOT_HOLD, CANNOT_TELL):
        if against := next((each for each in found if each.verdict is verdict), None):
            return against._replace(reason=_reasons(found)) if _are_facts(claim) else against
    return found[0]._replace(reason=_reasons(found))


def _are_facts(claim: Claim) -> bool:
    """Facts make sense together: that something was made by hand, and that a test did not notice."""
    return all(isinstance(each, Fact) for each in claim.evidence)


def _reasons(found: Sequence[Finding]) -> str:
    return "; ".join(dict.fromkeys(each.reason for each in found))


def weigh(evidence: Evidence, results: SuiteResults, alpha: float) -> Finding:
    match evidence:
        case Ratio():
            return _weigh_ratio(evidence, results, alpha)
        case SameBytes():
            return _weigh_bytes(evidence, results)
        case Fact():
            return _weigh_fact(evidence, results)


def is_settled(suite: Suite, result: ExperimentResult) -> bool:
    """Whether no further round of this experiment could change a verdict."""
    so_far, alpha = SuiteResults(steps=(result,)), alpha_of(suite)
    return all(
        weigh(each, so_far, alpha).verdict is not CANNOT_TELL for each in ratios_of(suite, result.step)
    )


def estimate(result: ExperimentResult, slow: str, fast: str, alpha: float) -> Estimate | None:
    """time(slow) / time(fast) at the latest look; None before the first, or without an arm's times."""
    values = _log_ratios(result, slow, fast, "time")
    if values is None:
        return None
    at_looks = list(_at_looks(values, result, alpha))
    return at_looks[-1] if at_looks else None


def _weigh_ratio(ratio: Ratio, results: SuiteResults, alpha: float) -> Finding:
    result = results.experiment(ratio.step)
    if result is None:
        return Finding(CANNOT_TELL, results.why_not(ratio.step), ratio.step)
    troubles = [each for arm in ("", ratio.slow, ratio.fast) for each in result.troubles.get(arm, ())]
    if troubles:
        return Finding(CANNOT_TELL, "; ".join(dict.fromkeys(troubles)), ratio.step)
    values = _log_ratios(result, ratio.slow, ratio.fast, ratio.metric)
    if values is None:
        return Finding(CANNOT_TELL, f"the rounds do not support {ratio.metric}", ratio.step)
    latest: Finding | None = None
    for seen in _at_looks(values, result, alpha):
        verdict, reason = _place(seen, ratio.bounds)
        latest = Finding(verdict, reason, ratio.step, seen.ratio, seen.interval)
        if verdict is not CANNOT_TELL:
            return latest
    return latest or Finding(CANNOT_TELL, _too_few(result), ratio.step)


def _too_few(result: ExperimentResult) -> str:
    cause = "" if result.complete else ", it was interrupted"
    return f"{result.rounds} rounds, and the first look is at {result.looks[0]}{cause}"


def _place(seen: Estimate, bounds: Bounds) -> tuple[ClaimVerdict, str]:
    low, high = seen.interval
    if low > bounds.high:
        return DOES_NOT_HOLD, f"interval above {_told(bounds.high)}"
    if high < bounds.low:
        return DOES_NOT_HOLD, f"interval below {_told(bounds.low)}"
    if low >= bounds.low and high <= bounds.high:
        return HOLDS, _inside(bounds)
    edges = " and ".join(_told(edge) for edge in bounds if low <= edge <= high)
    return CANNOT_TELL, f"after {seen.rounds} rounds the interval contains {edges}"


def _inside(bounds: Bounds) -> str:
    if math.isinf(bounds.high):
        return f"interval above {_told(bounds.low)}"
    if bounds.low == 0:
        return f"interval below {_told(bounds.high)}"
    return f"interval between {_told(bounds.low)} and {_told(bounds.high)}"


def _told(edge: float) -> str:
    return f"{edge:.3g}"


def _log_ratios(result: ExperimentResult, slow: str, fast: str, metric: str) -> FloatArray | None:
    """ln(slow / fast), one number a round."""
    known = result.log_ratios.get(metric, {})
    if slow not in known or fast not in known:
        return None
    difference: FloatArray = np.array(known[slow]) - np.array(known[fast])
    return difference


def _at_looks(values: FloatArray, result: ExperimentResult, alpha: float) -> Iterator[Estimate]:
    observations = pair_rounds(values, result.pairings)
    for look in _looks(result, alpha):
        if look.rounds <= observations.size and math.isfinite(look.t):
            interval = mean_interval(observations[: look.rounds], look.t)
            yield Estimate(*_factors(interval), look.rounds << result.pairings)


def _looks(result: ExperimentResult, alpha: float) -> Sequence[Look]:
    return SequentialPlan(alpha=alpha, pairings=result.pairings, looks=result.looks).bounds


def _factors(interval: Interval) -> tuple[float, tuple[float, float]]:
    low, mean, high = (math.exp(min(float(end), 700.0)) for end in interval)
    return mean, (low, high)


def _weigh_bytes(same: SameBytes, results: SuiteResults) -> Finding:
    bodies = _bodies(same.step, results)
    if bodies is None:
        return Finding(CANNOT_TELL, results.why_not(same.step), same.step)
    missing = [arm for arm in same.arms if bodies.get(arm) is None]
    if missing:
        changing = ", ".join(missing)
        return Finding(CANNOT_TELL, f"the answer of {changing} changes from call to call", same.step)
    if len({bodies[arm] for arm in same.arms}) == 1:
        return Finding(HOLDS, "the bodies are byte for byte the same", same.step)
    return Finding(DOES_NOT_HOLD, "the bodies differ", same.step)


def _bodies(step: str, results: SuiteResults) -> Mapping[str, str | None] | None:
    if (measured := results.experiment(step)) is not None:
        return measured.bodies
    if (inspected := results.inspection(step)) is not None:
        return {each.name: each.body_sha256 for each in inspected.arms}
    return None


def _weigh_fact(fact: Fact, results: SuiteResults) -> Finding:
    inspected = results.inspection(fact.step)
    if inspected is None:
        return Finding(CANNOT_TELL, results.why_not(fact.step), fact.step)
    found = _looked_up(inspected.of(fact.arm).model_dump(), fact.key)
    if found is _ABSENT:
        return Finding(CANNOT_TELL, f"{fact.arm} does not answer {fact.key}", fact.step)
    verdict = HOLDS if found == fact.expected else DOES_NOT_HOLD
    return Finding(verdict, f"{fact.arm}: {_worded(fact.key)} is {_spelled(found)}", fact.step)


def _looked_up(fields: Mapping[str, Any], key: str) -> object:
    found: Any = fields
    for name in key.replace("json.", "json_value.", 1).split("."):
        if not isinstance(found, Mapping) or name not in found:
            return _ABSENT
        found = found[name]
    return found


def _worded(key: str) -> str:
    return key.removeprefix("json.").replace("_", " ")


def _spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
