"""From the results of suites to the document: claims judged, pairs compared, conclusions drawn.

Pure but for facts about the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations

from wirespeed import __version__
from wirespeed.http.event_loop import event_loop
from wirespeed.model import replication
from wirespeed.subject.machine import CpuTicks, environment

from .experiments import Effort
from .fingerprint import packages_of
from .judging import ALPHA, alpha_of, estimate, judge
from .notes import method_notes
from .results import ArmFigures, ExperimentResult, NotMeasured, SingleRunsResult, SuiteResults
from .suite import MATTERS, Claim, Suite


@dataclass(frozen=True)
class Circumstances:
    """Of the run as a whole; steal is counted from the reading ``since``."""

    effort: Effort
    since: CpuTicks | None
    elapsed_s: float
    complete: bool


def replication_document(
    suites: Sequence[tuple[Suite, SuiteResults]], circumstances: Circumstances
) -> replication.Replication:
    return replication.Replication(
        created=datetime.now(UTC),
        suites=tuple(suite_document(suite, results) for suite, results in suites),
        environment=environment(event_loop()[1], circumstances.since),
        wirespeed=__version__,
        quick=circumstances.effort.quick,
        seed=circumstances.effort.seed,
        alpha=ALPHA,
        elapsed_s=circumstances.elapsed_s,
        complete=circumstances.complete,
    )


def suite_document(suite: Suite, results: SuiteResults) -> replication.Suite:
    experiments = [each for each in results.steps if isinstance(each, ExperimentResult)]
    return replication.Suite(
        name=suite.name,
        source=replication.Source(
            title=suite.source.title,
            published=suite.source.published,
            versions=dict(suite.source.versions),
        ),
        arms=tuple(_arms(suite, results)),
        claims=tuple(_claim(suite, claim, results) for claim in suite.claims),
        method_notes=(*_failures(results), *method_notes(suite, results)),
        pairs=tuple(pair for each in experiments for pair in pairs_of(each)),
        conclusions=tuple(conclusion_of(each) for each in experiments if each.rounds),
        packages=packages_of(suite),
        rounds={each.step: each.rounds for each in experiments},
    )


def _claim(suite: Suite, claim: Claim, results: SuiteResults) -> replication.Claim:
    finding = judge(claim, results, alpha_of(suite))
    return replication.Claim(
        statement=claim.statement,
        original=claim.original,
        ours=finding.ours,
        interval=finding.interval,
        verdict=finding.verdict,
        reason=finding.reason,
        source=claim.source,
        step=finding.step,
    )


def _failures(results: SuiteResults) -> Iterator[str]:
    steps: dict[str, list[str]] = {}
    for each in results.steps:
        if isinstance(each, NotMeasured):
            steps.setdefault(each.reason, []).append(each.step)
    for reason, names in steps.items():
        yield f"not measured: {'; '.join(names)}: {reason}"


def _arms(suite: Suite, results: SuiteResults) -> Iterator[replication.Arm]:
    """Of experiments, all rounds together; of single runs, each run in its turn."""
    for each in results.steps:
        match each:
            case ExperimentResult():
                for arm in each.arms:
                    yield _arm(suite, each.step, each.connections, arm)
            case SingleRunsResult():
                for number, run in enumerate(each.runs, 1):
                    for arm in run:
                        yield _arm(suite, f"{each.step}, run {number}", each.connections, arm)


def _arm(suite: Suite, step: str, connections: int, arm: ArmFigures) -> replication.Arm:
    return replication.Arm(
        name=arm.name,
        mean_ns=_rounded(arm.mean_ns),
        median_ns=_rounded(arm.median_ns),
        requests_per_s=arm.requests_per_s,
        stdev_ns=_rounded(arm.stdev_ns),
        step=step,
        connections=connections,
        requests=arm.requests,
        errors=arm.errors,
        original=dict(suite.original_table.get(step, {}).get(arm.name, {})),
    )


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)


def pairs_of(result: ExperimentResult) -> Iterator[replication.Pair]:
    """Every two arms; all intervals of an experiment hold together."""
    pairs = list(combinations([arm.name for arm in result.arms], 2))
    for baseline, arm in pairs:
        seen = estimate(result, arm, baseline, ALPHA / len(pairs))
        if seen is not None and not result.troubles:
            yield replication.Pair(
                step=result.step, arm=arm, baseline=baseline, ratio=seen.ratio, interval=seen.interval
            )


def conclusion_of(result: ExperimentResult) -> replication.Conclusion:
    """The fastest are those that no other arm is shown to beat by what matters."""
    if result.troubles:
        return replication.Conclusion(
            step=result.step, fastest=(), text="nothing can be concluded: the measurement is invalid"
        )
    beaten = {loser for pair in pairs_of(result) if (loser := _loser(pair)) is not None}
    fastest = tuple(arm.name for arm in result.arms if arm.name not in beaten)
    return replication.Conclusion(step=result.step, fastest=fastest, text=_told(fastest, beaten))


def _loser(pair: replication.Pair) -> str | None:
    low, high = pair.interval
    if low > 1 + MATTERS:
        return pair.arm
    return pair.baseline if high < 1 / (1 + MATTERS) else None


def _told(fastest: Sequence[str], beaten: set[str]) -> str:
    if not beaten:
        return f"no difference beyond {MATTERS:.0%} is shown between {_listed(fastest)}"
    if len(fastest) == 1:
        return f"{fastest[0]} is the fastest"
    return f"{_listed(fastest)} are the fastest; which of them is not decided"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
