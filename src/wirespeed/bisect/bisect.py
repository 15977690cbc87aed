"""``bisect``: from two ends to the release between them that changed the speed. An outline."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from wirespeed.errors import WirespeedError
from wirespeed.experiment.events import Noted
from wirespeed.model.bisection import Bisection, Kind, Likeness, PackageChange, Place
from wirespeed.model.bisection_plan import BisectionPlan, PackageRange
from wirespeed.subject.machine import cpu_ticks
from wirespeed.subject.uv import Uv, name_of

from .behaviour import narrowed
from .changes import Standard
from .conclusion import conclude
from .document import bisection_document, evidence_of
from .measuring import measure
from .releases import Workshop, releases_of
from .search import Compare, Compared, Search, TryOut
from .story import StepStarted, Story, Told, Watcher
from .trial import Refusal, different, first_line, refusal_of, try_out


@dataclass(frozen=True)
class Outcome:
    """The document, and the raw numbers behind it."""

    document: Bisection
    evidence: dict[str, Any]


def _unwatched(told: Told) -> None:
    """The watcher of those who do not watch."""


def bisect(plan: BisectionPlan, watcher: Watcher = _unwatched) -> Outcome:
    """Find the release that changed the speed. Ctrl-C keeps what is known by then.

    Raises ``UsageError`` where there is no such range, and ``SubjectError`` where the app does not answer at
    an end of it.
    """
    began, ticks = time.monotonic(), cpu_ticks()
    watcher(Noted("Asking which releases there are."))
    releases = releases_of(plan)
    standard = Standard(len(releases), plan.alpha, plan.margin, plan.pairings)
    story = Story(plan, releases, Search.of(standard))
    with ExitStack() as stack:
        workshop = Workshop(plan, releases, stack, watcher)
        try:
            _follow(story, workshop, began + plan.budget_s, watcher)
            story.packages = _other_packages(story, workshop)
        except KeyboardInterrupt:
            story.interrupted = True
    document = bisection_document(story, ticks, time.monotonic() - began)
    return Outcome(document, evidence_of(story))


def _follow(story: Story, workshop: Workshop, ends_at: float, watcher: Watcher) -> None:
    """Do what the search asks for until it asks for nothing more."""
    while (task := story.next_task) is not None:
        match task:
            case TryOut(release):
                _tell(story, watcher, f"trying {story.name(release)}")
                _try_out(story, workshop, release, watcher)
            case Compare():
                _tell(story, watcher, f"comparing {', '.join(story.names(sorted(task.arms)))}")
                left_s = max(0.0, ends_at - time.monotonic())
                _compare(story, workshop, task, left_s / story.search.comparisons_left, watcher)


def _tell(story: Story, watcher: Watcher, doing: str) -> None:
    watcher(StepStarted(doing, len(story.search.compared), story.search.comparisons_left))


def _try_out(story: Story, workshop: Workshop, number: int, watcher: Watcher) -> None:
    is_end = number in (0, story.last)
    try:
        trial = try_out(workshop, number, story.trials.get(0))
    except WirespeedError as error:
        if is_end:
            _say_where(error, story.name(number))
            raise
        _leave_out(story, number, Refusal(first_line(error.message)), watcher)
        return
    story.trials[number] = trial
    refusal = refusal_of(trial, story.name(0), allow_different=story.plan.allow_different)
    if refusal is not None and is_end:
        reason = f"{story.name(number)}: {refusal.reason}"
        if number == story.last and not trial.is_error:
            reason = _change_of_behaviour(story, workshop, watcher)
        story.reasons.append(reason)
    elif refusal is not None:
        _leave_out(story, number, refusal, watcher)
    else:
        story.search = story.search.after_trying(number, works=True)


def _leave_out(story: Story, number: int, refusal: Refusal, watcher: Watcher) -> None:
    story.refusals[number] = refusal
    story.search = story.search.after_trying(number, works=False)
    watcher(Noted(f"{story.name(number)} is skipped: {refusal.reason}"))


def _change_of_behaviour(story: Story, workshop: Workshop, watcher: Watcher) -> str:
    """Between ends that answer differently: which release changed the answer, and how."""

    def answers_as_first(number: int) -> bool | None:
        watcher(StepStarted(f"looking where the answer changed: {story.name(number)}", 0, 0))
        try:
            story.trials[number] = try_out(workshop, number, story.trials[0])
        except WirespeedError as error:
            _leave_out(story, number, Refusal(first_line(error.message)), watcher)
            return None
        return not story.trials[number].differences

    same, changed = narrowed(story.last, answers_as_first)
    where = f"at {story.name(changed)}"
    if changed - same > 1:
        where = f"after {story.name(same)}, {where} or before"
    found = different(story.trials[changed].differences, story.name(0), where)
    return f"{found}; --allow-different compares them all the same"


def _say_where(error: WirespeedError, release: str) -> None:
    error.message = f"at {release}: {error.message}"
    error.args = (error.message,)


def _compare(story: Story, workshop: Workshop, task: Compare, budget_s: float, watcher: Watcher) -> None:
    trials = [story.trials[number] for number in task.arms]
    with workshop.staged(task.arms) as (lens, plan):
        measured = measure(lens, plan, task, trials, budget_s, watcher)
    story.measured.append(measured)
    story.interrupted = measured.interrupted
    story.reasons += measured.reasons
    if not measured.reasons:
        story.search = story.search.after(measured.compared)
        watcher(Noted(_finding(story, measured.compared)))


def _finding(story: Story, compared: Compared) -> str:
    names = story.names(sorted(compared.task.arms))
    if compared.task.kind is not Kind.MIDDLE:
        told = {Likeness.SAME: "is as fast as", Likeness.DIFFERENT: "differs from"}
        verb = told[compared.likeness] if compared.likeness else "is not proven to differ from"
        return f"{names[1]} {verb} {names[0]}."
    left, middle, right = names
    match compared.ruling.place:
        case Place.EARLIER:
            return f"{middle} is as fast as {left}."
        case Place.LATER:
            return f"{middle} is as fast as {right}."
        case Place.NEITHER:
            return f"{middle} is neither as fast as {left} nor as {right}."
        case None:
            return f"{middle}: not proven as which end it is fast."


def _other_packages(story: Story, workshop: Workshop) -> tuple[PackageChange, ...]:
    """What else is installed on one side of the change that was found, but not on the other."""
    found, wanted = conclude(story.search).found, story.plan.range
    if found is None or not isinstance(wanted, PackageRange):
        return ()
    uv = Uv()
    before, after = (uv.versions(workshop.ready(each).app.python) for each in (found.earlier, found.later))
    names = sorted({*before, *after} - {name_of(wanted.package)})
    changes = (PackageChange(name=each, before=before.get(each), after=after.get(each)) for each in names)
    return tuple(change for change in changes if change.before != change.after)
