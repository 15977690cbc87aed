"""From what was measured to the document that is printed and kept. Pure but for facts about the machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from statistics import median

import wirespeed
from wirespeed.http.event_loop import event_loop
from wirespeed.model import comparison
from wirespeed.model.comparison import Metric, MetricEstimate
from wirespeed.model.comparison_plan import ComparisonPlan, HostedApp
from wirespeed.model.load import Validity
from wirespeed.model.subject import BaseUrl
from wirespeed.model.verdict import Verdict
from wirespeed.stats import LOOKS
from wirespeed.subject.machine import CpuTicks, environment

from .figures import (
    PERCENTILES,
    ArmRound,
    cpu_s_per_request,
    log_ratio,
    log_ratios,
    memory_bytes,
    metrics_of,
    percentile_ns,
    pooled_latencies,
    requests_per_s,
)
from .rehearsal import Rehearsal, Seen
from .rounds import MOST_STOLEN, Rounds, procedure
from .stopping import decide_without_more, estimate_beside
from .subjects import Cast
from .validity import counts_of, error_reasons, generator_reasons


def comparison_document(
    plan: ComparisonPlan,
    cast: Cast,
    rehearsal: Rehearsal,
    rounds: Rounds,
    since: CpuTicks | None,
    elapsed_s: float,
) -> comparison.Comparison:
    """The document; steal is counted from the reading ``since``."""
    numbers = range(len(plan.arms))
    arms = tuple(_arm(plan, cast, number, rehearsal.arms[number], rounds.of(number)) for number in numbers)
    reasons = (*rehearsal.reasons, *rounds.reasons, *_reasons(plan, rounds))
    event_loop_name = event_loop()[1] if plan.lens != "direct" else None
    machine = environment(event_loop_name, since)
    return comparison.Comparison(
        created=datetime.now(UTC),
        wirespeed=wirespeed.__version__,
        lens=comparison.Lens(name=plan.lens, connections=plan.connections),
        plan=_plan(plan, rehearsal),
        arms=arms,
        estimates=tuple(
            estimate
            for number in numbers[1:]
            for estimate in _estimates(plan, rehearsal, rounds, number, is_valid=not reasons)
        ),
        rounds=tuple(_rounds(plan, rounds)),
        environment=comparison.Environment(**machine.model_dump()),
        validity=Validity(valid=not reasons, reasons=reasons),
        elapsed_s=elapsed_s,
        complete=not rounds.interrupted,
        unstable=rehearsal.unstable,
        notes=tuple(_notes(plan, cast, rehearsal, rounds, machine.cores)),
    )


def _plan(plan: ComparisonPlan, rehearsal: Rehearsal) -> comparison.Plan:
    return comparison.Plan(
        procedure="sequential",
        margin=plan.margin,
        alpha=plan.alpha,
        looks=() if rehearsal.course is None else rehearsal.course.looks,
        seed=plan.seed,
        metric=plan.metric,
        budget_s=plan.budget_s,
        max_errors=plan.max_errors,
        allow_different=plan.allow_different,
        pairings=plan.pairings,
    )


def _arm(
    plan: ComparisonPlan, cast: Cast, number: int, seen: Seen, rounds: Sequence[ArmRound]
) -> comparison.Arm:
    arm, counts = plan.arms[number], counts_of(rounds)
    return comparison.Arm(
        name=arm.name,
        baseline=number == 0,
        requests=counts.sent,
        errors=dict(sorted(counts.errors.items())),
        latency_ns=_latencies(rounds),
        requests_per_s=requests_per_s(rounds),
        cpu_s_per_request=cpu_s_per_request(rounds),
        memory_bytes=memory_bytes(rounds),
        request=arm.request.name,
        subject=_subject(cast.subject_of(number), plan),
        status=seen.answer.status,
        body_bytes=len(seen.answer.body),
        differences=seen.differences,
    )


def _latencies(rounds: Sequence[ArmRound]) -> comparison.ArmLatencies:
    pooled = pooled_latencies(rounds)
    medians = [sample.time_ns for each in rounds for sample in each.samples if sample.time_ns is not None]
    if not pooled.size:
        # Seen from inside its process, an arm shows only the medians of its runs.
        p50 = round(median(medians)) if medians else None
        return comparison.ArmLatencies(mean=None, p50=p50, p95=None, p99=None)
    return comparison.ArmLatencies(
        mean=round(float(pooled.mean())),
        p50=percentile_ns(pooled, 0.5),
        p95=percentile_ns(pooled, 0.95),
        p99=percentile_ns(pooled, 0.99),
    )


def _subject(subject: HostedApp | BaseUrl, plan: ComparisonPlan) -> comparison.ArmSubject:
    if isinstance(subject, BaseUrl):
        return comparison.ArmSubject(url=subject.url)
    is_served = plan.lens != "direct"
    return comparison.ArmSubject(
        app=subject.app.app,
        python=str(subject.app.python),
        server=subject.server.name if is_served else None,
        workers=subject.server.workers if is_served else None,
        requirements=subject.requirements,
        revision=subject.revision,
    )


def _reasons(plan: ComparisonPlan, rounds: Rounds) -> Iterator[str]:
    for number, arm in enumerate(plan.arms):
        measured = rounds.of(number)
        yield from error_reasons(arm.name, counts_of(measured), plan.max_errors)
        yield from generator_reasons(arm.name, measured, percentile_ns(pooled_latencies(measured), 0.5))


def _estimates(
    plan: ComparisonPlan, rehearsal: Rehearsal, rounds: Rounds, number: int, *, is_valid: bool
) -> Iterator[MetricEstimate]:
    """The verdict, then the other metrics; without any figures where the comparison is invalid."""
    arm, baseline = plan.arms[number].name, plan.arms[0].name
    yield _verdict(plan, rehearsal, rounds, number, is_valid=is_valid)
    if not is_valid or rehearsal.course is None:
        return
    sequential = procedure(plan, rehearsal.course.looks)
    for metric in metrics_of(plan.lens):
        if metric == plan.metric:
            continue
        values = log_ratios(rounds.kept, number, metric)
        estimate = None if values is None else estimate_beside(values, sequential)
        yield MetricEstimate(
            arm=arm,
            baseline=baseline,
            metric=metric,
            ratio=None if estimate is None else estimate.ratio,
            interval=None if estimate is None else estimate.interval,
            verdict=None,
            note=_why_unknown(metric, rounds, number) if values is None else None,
            rounds_needed=None,
        )


def _verdict(
    plan: ComparisonPlan, rehearsal: Rehearsal, rounds: Rounds, number: int, *, is_valid: bool
) -> MetricEstimate:
    decision = rounds.decisions.get(number)
    if is_valid and decision is None and rehearsal.course is not None:
        values = log_ratios(rounds.kept, number, plan.metric) or []
        decision = decide_without_more(values, procedure(plan, rehearsal.course.looks))
    known = decision if is_valid else None
    estimate = None if known is None else known.estimate
    return MetricEstimate(
        arm=plan.arms[number].name,
        baseline=plan.arms[0].name,
        metric=plan.metric,
        ratio=None if estimate is None else estimate.ratio,
        interval=None if estimate is None else estimate.interval,
        verdict=Verdict.INVALID if known is None else known.verdict,
        note=None if known is None else known.note,
        rounds_needed=None if known is None else known.rounds_needed,
    )


def _why_unknown(metric: Metric, rounds: Rounds, number: int) -> str:
    if metric in PERCENTILES:
        needed = round(10 / (1 - PERCENTILES[metric]))
        there = min(pooled_latencies(rounds.of(arm)).size for arm in (0, number))
        return f"needs {needed} answers of each arm, and there are {there}"
    if metric == "peak_memory":
        return "not known: arms share a process, or the server was running already"
    return "not known for servers that were running already"


def _rounds(plan: ComparisonPlan, rounds: Rounds) -> Iterator[comparison.Round]:
    for index, measured in enumerate(rounds.measured):
        ratios = {
            plan.arms[arm].name: log_ratio(measured.arms, arm, plan.metric) for arm in measured.arms if arm
        }
        known = {name: ratio for name, ratio in ratios.items() if ratio is not None}
        yield comparison.Round(index=index, log_ratios=known, kept=measured.kept)


def _notes(
    plan: ComparisonPlan, cast: Cast, rehearsal: Rehearsal, rounds: Rounds, cores: int
) -> Iterator[str]:
    """What a reader should know besides the figures."""
    if all(isinstance(subject, BaseUrl) for subject in cast.subjects):
        yield (
            "the servers were not restarted between rounds: this holds for their processes as they run now, "
            "and another start may be a per cent or two faster or slower"
        )
    if cast.processes > cores:
        yield (
            f"{cast.processes} server processes share {cores} cores with the load generator; only one arm "
            "is driven at a time, but what the others do meanwhile is in its times"
        )
    if cast.uncommitted:
        first, *others = cast.uncommitted
        more = f" and {len(others)} more" if others else ""
        yield f"{first}{more}: changed and not committed, so no revision has the changes, HEAD neither"
    for arm, seen in zip(plan.arms, rehearsal.arms, strict=True):
        yield from _notes_on(arm.name, seen, rehearsal)
    dropped = len(rounds.measured) - len(rounds.kept)
    if dropped:
        yield (
            f"{dropped} of {len(rounds.measured)} rounds do not count: other guests of this host took more "
            f"than {MOST_STOLEN:.0%} of the CPU time"
        )
    course = rehearsal.course
    if course is not None and course.looks[-1] < LOOKS[-1]:
        yield (
            f"a round takes {course.round_s:.1f} s, so the budget allows {course.looks[-1]} "
            f"of {LOOKS[-1]} rounds; --until-decided goes on"
        )
    if plan.pairings:
        yield "rounds on this machine depend on each other, so they were averaged in groups before judging"


def _notes_on(name: str, seen: Seen, rehearsal: Rehearsal) -> Iterator[str]:
    status, baseline = seen.answer.status, rehearsal.arms[0].answer
    if status in range(300, 400):
        yield f"{name} answers {status}, a redirect: name the place it leads to if that is what you mean"
    if not seen.differences and not rehearsal.unstable and seen.answer.body != baseline.body:
        yield f"{name} answers with the same JSON as the baseline, in other bytes"
