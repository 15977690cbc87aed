"""The view of an ``Advice`` document: pure, from evidence to display values. Renderers take it from here."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.model.advice import Advice

from .numbers import elapsed, share
from .order import Standing, entries, standing
from .shared import remedies_of
from .skipped import skipped_views
from .text import Span, clean, counted
from .tree import AdviceView, FoldView

NOTES_SHOWN = 8
_NOTABLE_STEAL = 0.02
_PACKAGES = {"fastapi": "FastAPI", "pydantic": "Pydantic"}


def advice_view(
    advice: Advice, *, everything: bool = False, option_for_everything: str | None = None
) -> AdviceView:
    """What a report says, in reading order; ``everything`` folds and shortens nothing.

    ``option_for_everything`` is how the caller's users ask for that; reports that fold something name it.
    """
    told, skipped = (
        entries(advice, everything=everything),
        skipped_views(advice.skipped, everything=everything),
    )
    folds = [entry for entry in (*told, *skipped) if isinstance(entry, FoldView)]
    legend = list(_legend(advice))
    if option_for_everything and any(fold.more for fold in folds):
        legend.append(f"{option_for_everything}: names every endpoint and route that is only counted here")
    return AdviceView(
        title=clean(advice.subject.app),
        facts=tuple(_facts(advice)),
        warnings=tuple(_warnings(advice)),
        entries=told,
        skipped=skipped,
        notes=_notes(advice, everything),
        totals=tuple(_totals(advice)),
        legend=tuple(legend),
    )


def _facts(advice: Advice) -> Iterator[str]:
    for package, name in _PACKAGES.items():
        if version := advice.subject.packages.get(package):
            yield f"{name} {clean(version)}"
    yield f"Python {clean(advice.subject.python)}"
    yield counted(advice.plan.rounds, "round")
    if advice.elapsed_s is not None:
        yield elapsed(advice.elapsed_s)
    if advice.noise.smallest_effect is not None:
        yield f"this machine shows changes from {share(advice.noise.smallest_effect)} on"


def _warnings(advice: Advice) -> Iterator[Span]:
    if not advice.complete:
        yield Span("Stopped early: this is what was measured until then.", "warn")
    if advice.environment.steal is not None and advice.environment.steal >= _NOTABLE_STEAL:
        stolen = share(advice.environment.steal)
        yield Span(
            f"Other guests of this host took {stolen} of the CPU time, which makes numbers noisier.", "warn"
        )
    if not advice.endpoints:
        yield Span(
            "Nothing was measured: every route found was left alone."
            if advice.skipped
            else "No API routes were found.",
            "warn",
        )


def _notes(advice: Advice, everything: bool) -> tuple[str, ...]:
    notes = [clean(note) for note in advice.notes]
    if everything or len(notes) <= NOTES_SHOWN:
        return tuple(notes)
    return (*notes[: NOTES_SHOWN - 1], f"… {counted(len(notes) - NOTES_SHOWN + 1, 'more note')}")


def _totals(advice: Advice) -> Iterator[Span]:
    standings = [standing(endpoint) for endpoint in advice.endpoints]
    remedies = remedies_of(advice.endpoints)
    yield Span(counted(len(advice.endpoints), "endpoint"))
    yield Span(counted(remedies, "remedy", "remedies"), "good") if remedies else Span("no remedy")
    for kind, word in ((Standing.UNDECIDED, "undecided"), (Standing.FAILED, "failed")):
        if number := standings.count(kind):
            yield Span(f"{number} {word}")
    if advice.skipped:
        yield Span(f"{counted(len(advice.skipped), 'route')} not called")
    yield from _settled(advice)
    if advice.diff is not None:
        yield Span(f"`wirespeed fix {clean(advice.subject.app)}` shows the diff", "code")


def _settled(advice: Advice) -> Iterator[Span]:
    """Findings that nobody need look at again."""
    findings = [finding for endpoint in advice.endpoints for finding in endpoint.findings]
    if ignored := sum(finding.ignored is not None for finding in findings):
        yield Span(f"{counted(ignored, 'finding')} ignored by comments", "muted")
    if known := sum(finding.known for finding in findings):
        yield Span(f"{counted(known, 'finding')} known", "muted")


def _legend(advice: Advice) -> Iterator[str]:
    """What a newcomer cannot know, as far as this report uses it."""
    if any(endpoint.floor_ns is not None for endpoint in advice.endpoints):
        yield "floor: the same answer with its bytes ready, which no remedy of the response path beats"
    if any(arm.verdict == "faster" for endpoint in advice.endpoints for arm in endpoint.arms):
        sure = share(1 - advice.plan.alpha)
        yield f"[low, high]: interval of the estimate; all of them hold at once in {sure} of such reports"
    if any(endpoint.conclusion == "unsafe" for endpoint in advice.endpoints):
        yield "called once: name it with --get to have it measured all the same"
