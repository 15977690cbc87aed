"""The ``bisection`` document in words: which release it was, or what is known instead, and what was tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from wirespeed.model.bisection import Bisection, Outcome, Step, Tried

from .layout import flow, padded, styled, widest, words
from .numbers import duration, elapsed, share, speed, speed_interval, spread
from .terminal import WIDEST, print_lines
from .text import Role, clean, counted, listed

_GAP, _SEPARATOR = "  ", " · "
_NAME_LIMIT = 40
_MOST_STEPS, _MOST_NAMES = 5, 6
_TITLE_LIMIT = 60


def print_bisection(bisection: Bisection, console: Console) -> None:
    print_lines(bisection_lines(bisection, min(console.width, WIDEST)), console)


def bisection_lines(bisection: Bisection, width: int) -> Iterator[Text]:
    """The report, line by line, for a terminal of so many cells."""
    facts = [styled(fact, "muted") for fact in _facts(bisection)]
    start = styled(f"{clean(bisection.subject.app)} {clean(bisection.subject.request)}", "strong") + _GAP
    yield from flow(facts, width, start=start, hanging=2, separator=_SEPARATOR)
    for reason in bisection.validity.reasons:
        yield from flow(words(clean(reason)), width, start=styled("invalid: ", "bad"), hanging=2)
    if not bisection.complete:
        yield styled("Stopped early: this is what is known by then.", "warn")
    yield Text()
    yield from flow(words(_headline(bisection), _role(bisection)), width, hanging=2)
    yield from _beside(bisection, width)
    if bisection.tried:
        yield Text()
        yield from _table(bisection.tried)
    yield from _remarks(bisection, width)


def _facts(bisection: Bisection) -> Iterator[str]:
    asked, noun = bisection.range, "release" if bisection.range.kind == "package" else "commit"
    ends = f"{clean(asked.first)}..{clean(asked.last)}"
    yield f"{clean(asked.name)} {ends}" if asked.kind == "package" else ends
    yield counted(asked.releases, noun)
    yield "in the app's own process" if bisection.plan.lens == "direct" else "one request at a time"
    yield counted(len(bisection.comparisons), "comparison")
    yield counted(sum(each.rounds for each in bisection.comparisons), "round")
    yield elapsed(bisection.elapsed_s)
    yield f"margin {share(bisection.plan.margin)}"
    yield f"seed {bisection.plan.seed}"


_ROLES: dict[Outcome, Role] = {
    Outcome.NONE: "strong",
    Outcome.RELEASE: "good",
    Outcome.SEVERAL: "good",
    Outcome.GRADUAL: "good",
    Outcome.INCONCLUSIVE: "warn",
    Outcome.INVALID: "bad",
}


def _role(bisection: Bisection) -> Role:
    return _ROLES[bisection.outcome]


def _headline(bisection: Bisection) -> str:
    change, margin = bisection.change, share(bisection.plan.margin)
    ends = f"{clean(bisection.range.first)} and {clean(bisection.range.last)}"
    match bisection.outcome:
        case Outcome.NONE:
            return f"no change between {ends} beyond {margin}: {_overall(bisection)}"
        case Outcome.RELEASE if change is not None:
            return f"{_culprit(change)} changed it: {_told(change)}"
        case Outcome.SEVERAL if change is not None:
            return (
                f"it changed in more than one step; the largest found is {_culprit(change)}: {_told(change)}"
            )
        case Outcome.GRADUAL:
            return "it changed gradually: no step found carries more than half of the whole change"
        case Outcome.INVALID:
            return "no verdict"
    if change is not None:
        return f"cannot tell which release it was; {_narrowed(change)}"
    if bisection.overall is None:
        return f"cannot tell whether {ends} differ: too few rounds"
    told = spread(bisection.overall.interval)
    return f"cannot tell whether {ends} differ by more than {margin}: the last is {told}"


def _overall(bisection: Bisection) -> str:
    found = bisection.overall
    return "" if found is None else f"{speed(found.ratio)} {speed_interval(found.ratio, found.interval)}"


def _culprit(step: Step) -> str:
    name = clean(step.at) + (f" ({_title(step.title)})" if step.title else "")
    return f"{name} or the skipped {_some(step.skipped)}" if step.skipped else name


def _told(step: Step) -> str:
    part = "" if step.share == (1.0, 1.0) else f", {_share(step)} of the whole change"
    return f"{_speed(step)} than {clean(step.after)}{part}"


def _narrowed(step: Step) -> str:
    between = step.untried + len(step.skipped)
    more = f", with {counted(between, 'release')} between them" if between else ""
    larger = "the change" if step.share[0] > 0.5 else "the larger part of the change"
    return f"{larger} came after {clean(step.after)} and by {clean(step.at)}{more}: {_speed(step)}"


def _speed(step: Step) -> str:
    return f"{speed(step.ratio)} {speed_interval(step.ratio, step.interval)}"


def _share(step: Step) -> str:
    low, high = (min(1.0, each) for each in step.share)
    if share(low) == share(high):
        return share(low)
    return f"{share(low).removesuffix(' %')} to {share(high)}"


def _beside(bisection: Bisection, width: int) -> Iterator[Text]:
    """What belongs to the headline: the whole change, its other steps, and what else may be the cause."""
    ends = f"{clean(bisection.range.first)} → {clean(bisection.range.last)}"
    if bisection.overall is not None and bisection.outcome is not Outcome.NONE:
        yield Text(f"  {ends}: {_overall(bisection)}")
    if bisection.outcome in (Outcome.SEVERAL, Outcome.GRADUAL):
        for step in bisection.steps[:_MOST_STEPS]:
            yield from flow(words(_step(step)), width, start=Text("    "), hanging=6)
    if bisection.change is not None and bisection.change.packages:
        changes = [
            f"{clean(each.name)} {clean(each.before or 'none')} → {clean(each.after or 'none')}"
            for each in bisection.change.packages
        ]
        told = f"installed differently as well, and so a possible cause: {listed(changes)}"
        yield from flow(words(told, "warn"), width, start=Text("  "), hanging=4)


def _step(step: Step) -> str:
    between = step.untried + len(step.skipped)
    more = f", {counted(between, 'release')} between" if between else ""
    return f"{clean(step.after)} → {clean(step.at)}: {_speed(step)}, {_share(step)} of it{more}"


def _table(tried: Sequence[Tried]) -> Iterator[Text]:
    names = [clean(each.name) for each in tried]
    times = ["" if each.latency_ns is None else duration(each.latency_ns) for each in tried]
    left, right = widest(names, _NAME_LIMIT), max(map(len, [*times, "median"]))
    yield Text(" " * left + _GAP + "median".rjust(right) + _GAP + f"against {names[0]}")
    for name, time, each in zip(names, times, tried, strict=True):
        line = (
            padded(Text(name), left)
            + _GAP
            + time.rjust(right)
            + _GAP
            + _level(each, is_first=each is tried[0])
        )
        yield line + (styled(f"{_GAP}{_title(each.title)}", "muted") if each.title else "")


def _level(tried: Tried, *, is_first: bool) -> str:
    if is_first:
        return "first"
    if tried.ratio is None or tried.interval is None:
        return "not measured"
    return f"{speed(tried.ratio)} {speed_interval(tried.ratio, tried.interval)}"


def _remarks(bisection: Bisection, width: int) -> Iterator[Text]:
    for skipped in bisection.skipped:
        start = styled(f"skipped {clean(skipped.name)}: ", "warn")
        yield from flow(words(clean(skipped.reason)), width, start=start, hanging=4)
    for tried in bisection.tried:
        if tried.differences and bisection.plan.allow_different:
            first, *others = tried.differences
            more = f" and {len(others)} more" if others else ""
            told = f"{clean(first.at)} is {clean(repr(first.arm))}, not {clean(repr(first.baseline))}{more}"
            start = styled(f"{clean(tried.name)} answers differently: ", "warn")
            yield from flow(words(told), width, start=start, hanging=4)
    notes = [*map(clean, bisection.notes)]
    if bisection.unstable:
        places = listed(map(clean, bisection.unstable))
        notes.append(f"changes from call to call, not compared: {places}")
    for note in notes:
        yield from flow(words(note), width, start=styled("note: ", "muted"), hanging=6)
    if bisection.comparisons:
        yield from flow(words(_legend(bisection), "muted"), width, hanging=2)


def _legend(bisection: Bisection) -> str:
    sure = share(1 - bisection.plan.alpha)
    most = counted(bisection.plan.comparisons, "comparison")
    return f"[low, high]: intervals; those of {most} at most hold together in {sure} of searches"


def _title(title: str) -> str:
    cleaned = clean(title)
    return cleaned if len(cleaned) <= _TITLE_LIMIT else f"{cleaned[: _TITLE_LIMIT - 1]}…"


def _some(names: Sequence[str]) -> str:
    shown = listed(map(clean, names[:_MOST_NAMES]))
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"
