"""From the story of a bisection to the document that is printed and kept. Pure but for the machine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import median
from typing import Any

import wirespeed
from wirespeed.experiment.rounds import MOST_STOLEN
from wirespeed.http.event_loop import event_loop
from wirespeed.model import bisection, comparison
from wirespeed.model.bisection_plan import PackageRange
from wirespeed.model.load import Validity
from wirespeed.model.verdict import Estimate
from wirespeed.stats import LOOKS
from wirespeed.subject.machine import CpuTicks, environment

from .changes import Change
from .conclusion import Conclusion, Step, conclude
from .measuring import Measured
from .search import Compared
from .story import Story


def bisection_document(story: Story, since: CpuTicks | None, elapsed_s: float) -> bisection.Bisection:
    """Steal is counted from the reading ``since``."""
    plan, conclusion = story.plan, conclude(story.search)
    machine = environment(event_loop()[1] if plan.lens == "service" else None, since)
    return bisection.Bisection(
        created=datetime.now(UTC),
        wirespeed=wirespeed.__version__,
        subject=bisection.Subject(
            app=plan.app.app,
            request=plan.request.name,
            python=str(plan.app.python),
            requirements=plan.requirements,
        ),
        range=_range(story),
        plan=_plan(story),
        outcome=bisection.Outcome.INVALID if story.reasons else conclusion.outcome,
        overall=None if conclusion.whole is None else _estimate(conclusion.whole),
        change=None if conclusion.found is None else _step(story, conclusion.found, story.packages),
        steps=tuple(_step(story, each) for each in conclusion.steps),
        tried=tuple(_tried(story, conclusion)),
        skipped=tuple(_skipped(story)),
        comparisons=tuple(
            _comparison(story, *pair) for pair in zip(story.search.compared, story.measured, strict=False)
        ),
        environment=comparison.Environment(**machine.model_dump()),
        validity=Validity(valid=not story.reasons, reasons=tuple(story.reasons)),
        elapsed_s=elapsed_s,
        complete=not story.interrupted,
        unstable=_unstable(story),
        notes=tuple(_notes(story, conclusion)),
    )


def evidence_of(story: Story) -> dict[str, Any]:
    """The raw numbers: for each comparison its rounds, and in each the time of every block by release."""
    return {"comparisons": [_evidence(story, each) for each in story.measured]}


def _range(story: Story) -> bisection.Range:
    wanted = story.plan.range
    is_package = isinstance(wanted, PackageRange)
    return bisection.Range(
        kind="package" if is_package else "revision",
        name=wanted.package if isinstance(wanted, PackageRange) else str(story.plan.app.folder),
        first=story.name(0),
        last=story.name(story.last),
        releases=len(story.releases),
    )


def _plan(story: Story) -> bisection.Plan:
    plan, standard = story.plan, story.search.standard
    return bisection.Plan(
        margin=plan.margin,
        alpha=plan.alpha,
        comparisons=standard.comparisons,
        budget_s=plan.budget_s,
        lens=plan.lens,
        allow_different=plan.allow_different,
        max_errors=plan.max_errors,
        seed=plan.seed,
        pairings=plan.pairings,
    )


def _estimate(change: Change) -> Estimate:
    return Estimate(ratio=math.exp(change.mean), interval=_interval(change))


def _interval(change: Change) -> tuple[float, float]:
    return math.exp(change.low), math.exp(change.high)


def _step(story: Story, step: Step, packages: tuple[bisection.PackageChange, ...] = ()) -> bisection.Step:
    between = range(step.earlier + 1, step.later)
    skipped = [number for number in between if number in story.refusals]
    return bisection.Step(
        after=story.name(step.earlier),
        at=story.name(step.later),
        title=story.releases[step.later].title,
        ratio=math.exp(step.change.mean),
        interval=_interval(step.change),
        share=(step.share.low, step.share.high),
        skipped=story.names(skipped),
        untried=len(between) - len(skipped),
        packages=packages,
    )


def _tried(story: Story, conclusion: Conclusion) -> Iterator[bisection.Tried]:
    levels = dict(conclusion.levels)
    for number, trial in sorted(story.trials.items()):
        if number in story.refusals:
            continue
        level = levels.get(number)
        yield bisection.Tried(
            name=story.name(number),
            title=story.releases[number].title,
            ratio=None if level is None else math.exp(level.mean),
            interval=None if level is None else _interval(level),
            latency_ns=_latency_ns(story, number),
            status=trial.answer.status,
            body_bytes=len(trial.answer.body),
            differences=trial.differences,
        )


def _latency_ns(story: Story, number: int) -> int | None:
    samples = [
        sample.time_ns
        for measured in story.measured
        if number in measured.task.arms
        for each in measured.of(measured.task.arms.index(number))
        for sample in each.samples
    ]
    known = [time_ns for time_ns in samples if time_ns is not None]
    return round(median(known)) if known else None


def _skipped(story: Story) -> Iterator[bisection.Skipped]:
    for number, refusal in sorted(story.refusals.items()):
        yield bisection.Skipped(
            name=story.name(number), reason=refusal.reason, differences=refusal.differences
        )


def _comparison(story: Story, compared: Compared, measured: Measured) -> bisection.Comparison:
    is_middle = compared.task.kind is bisection.Kind.MIDDLE
    verdict = compared.ruling.place if is_middle else compared.likeness
    side = compared.side if is_middle else None
    return bisection.Comparison(
        kind=compared.task.kind,
        releases=story.names(sorted(compared.task.arms)),
        estimates=tuple(map(_estimate, compared.changes or ())),
        verdict=verdict,
        followed=side,
        rounds=compared.rounds,
        looks=measured.course.looks,
    )


def _unstable(story: Story) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place for trial in story.trials.values() for place in trial.unstable))


def _notes(story: Story, conclusion: Conclusion) -> Iterator[str]:
    """What a reader should know besides the figures."""
    rounds = sum(len(each.rounds) for each in story.measured)
    kept = sum(each.kept for each in story.measured)
    if kept < rounds:
        yield (
            f"{rounds - kept} of {rounds} rounds do not count: other guests of this host took more than "
            f"{MOST_STOLEN:.0%} of the CPU time"
        )
    if story.plan.pairings:
        yield "rounds on this machine depend on each other, so they were averaged in groups before judging"
    if (
        conclusion.outcome is bisection.Outcome.INCONCLUSIVE
        and not story.interrupted
        and _is_cut_short(story)
    ):
        yield "the budget allowed fewer rounds than there may be; a longer --budget may prove more"


def _is_cut_short(story: Story) -> bool:
    return any(each.course.looks[-1] < LOOKS[-1] for each in story.measured)


def _evidence(story: Story, measured: Measured) -> dict[str, Any]:
    names = story.names(measured.task.arms)
    return {
        "kind": measured.task.kind.value,
        "releases": list(names),
        "rhythm": repr(measured.course.rhythm),
        "round_s": measured.course.round_s,
        "rounds": [
            {
                "kept": each.kept,
                "troubles": list(each.troubles),
                "times_ns": {
                    name: [sample.time_ns for sample in each.arms[arm].samples]
                    for arm, name in enumerate(names)
                },
            }
            for each in measured.rounds
        ],
    }
