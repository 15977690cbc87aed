"""What a guard objects to. Only what is proven stands at a line of the code; what is open is said once."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.model.guard import BehaviourChange, Guard, GuardDecision, GuardedEndpoint
from wirespeed.report.guard_view import ALL_TOGETHER, change_view, guard_view, judged_view
from wirespeed.report.text import clean

from ._format import Setting
from ._problems import Problem, identity_of

SLOWER, BEHAVIOUR, UNDECIDED = "guard/slower", "guard/behaviour", "guard/inconclusive"


def guard_problems(document: Guard, setting: Setting) -> Iterator[Problem]:
    for change in document.behaviour:
        if not change.allowed:
            yield _changed(document, change, setting)
    slower = [each for each in document.endpoints if is_slower(document, each)]
    for endpoint in slower:
        yield _slower(endpoint, setting)
    if not slower and is_slower_overall(document):
        told = judged_view(ALL_TOGETHER, document.overall).outcome.text
        message = f"{ALL_TOGETHER}: {told}"
        yield Problem(SLOWER, "error", ALL_TOGETHER, message, None, identity_of(SLOWER, ALL_TOGETHER))
    view, title = guard_view(document), "the whole guard"
    identity = identity_of(UNDECIDED, "")
    if not document.certificate.fit:
        yield Problem(UNDECIDED, "warning", title, view.certificate.text, None, identity)
    elif document.decision is GuardDecision.INCONCLUSIVE:
        yield Problem(UNDECIDED, "warning", title, view.verdict.text, None, identity)


def is_slower(document: Guard, endpoint: GuardedEndpoint) -> bool:
    """On a machine on which base differs from itself, nobody is blamed."""
    return document.certificate.fit and endpoint.decision is GuardDecision.FAIL


def is_slower_overall(document: Guard) -> bool:
    return document.certificate.fit and document.overall.decision is GuardDecision.FAIL


def change_text(change: BehaviourChange) -> str:
    view = change_view(change)
    return "; ".join([view.headline.text, *view.differences])


def judged_text(endpoint: GuardedEndpoint) -> str:
    view = judged_view(endpoint.request, endpoint)
    return ", ".join(filter(None, [view.times, view.outcome.text, *view.remarks]))


def _changed(document: Guard, change: BehaviourChange, setting: Setting) -> Problem:
    source = next((each.source for each in document.endpoints if each.request == change.request), None)
    return Problem(
        rule=BEHAVIOUR,
        level="error",
        title=clean(change.request),
        message=change_text(change),
        place=setting.checkout.place(source),
        identity=identity_of(BEHAVIOUR, f"{change.request} {change.change}"),
    )


def _slower(endpoint: GuardedEndpoint, setting: Setting) -> Problem:
    name = clean(endpoint.request)
    return Problem(
        rule=SLOWER,
        level="error",
        title=name,
        message=f"{name}: {judged_text(endpoint)}",
        place=setting.checkout.place(endpoint.source),
        identity=identity_of(SLOWER, endpoint.request),
    )
