"""JUnit's XML, as CI systems show it: one test case an endpoint, or an arm.

What was not decided is skipped, never passed; what could not be measured is an error where that means that
nothing can be said, and skipped where the endpoint was left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from xml.etree import ElementTree

from wirespeed.model.advice import Advice, Endpoint
from wirespeed.model.comparison import Comparison
from wirespeed.model.guard import BehaviourChange, Guard, GuardDecision, GuardedEndpoint
from wirespeed.model.verdict import Verdict
from wirespeed.report.checks import failing_arms
from wirespeed.report.comparison_view import comparison_view
from wirespeed.report.endpoints import conclusion_line
from wirespeed.report.guard_view import ALL_TOGETHER, guard_view, judged_view
from wirespeed.report.text import clean
from wirespeed.report.tree import VerdictView

from ._format import Format, Setting
from ._guard import change_text, is_slower, is_slower_overall, judged_text
from ._place import Place
from ._problems import endpoint_problems

Outcome = Literal["passed", "failure", "error", "skipped"]

_FORBIDDEN = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, not even escaped."""


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    outcome: Outcome
    message: str = ""
    """Why it did not pass."""
    kind: str = ""
    """Of a failure or error."""
    text: str = ""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    name: str
    cases: tuple[Case, ...]
    created: datetime
    elapsed_s: float | None
    properties: dict[str, str]


def junit(suite: Suite) -> str:
    root = ElementTree.Element("testsuites", {"name": "wirespeed", **_counts(suite)})
    root.append(_suite(suite))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(suite: Suite) -> ElementTree.Element:
    created = f"{suite.created.astimezone(UTC):%Y-%m-%dT%H:%M:%S}"
    attributes = {"name": suite.name, "timestamp": created, **_counts(suite)}
    element = ElementTree.Element("testsuite", _allowed(attributes))
    properties = ElementTree.SubElement(element, "properties")
    for name, value in suite.properties.items():
        ElementTree.SubElement(properties, "property", _allowed({"name": name, "value": value}))
    element.extend(_case(case, suite.name) for case in suite.cases)
    return element


def _case(case: Case, suite: str) -> ElementTree.Element:
    where = {} if case.place is None else {"file": str(case.place.file), "line": str(case.place.line)}
    element = ElementTree.Element("testcase", _allowed({"classname": suite, "name": case.name, **where}))
    if case.outcome == "passed":
        _with_text(element, "system-out", {}, case.text)
    else:
        attributes = {"message": case.message} | ({"type": case.kind} if case.kind else {})
        _with_text(element, case.outcome, attributes, case.text)
    return element


def _with_text(parent: ElementTree.Element, tag: str, attributes: dict[str, str], text: str) -> None:
    if attributes or text:
        ElementTree.SubElement(parent, tag, _allowed(attributes)).text = _FORBIDDEN.sub("\ufffd", text)


def _allowed(attributes: dict[str, str]) -> dict[str, str]:
    return {name: _FORBIDDEN.sub("\ufffd", value) for name, value in attributes.items()}


def _counts(suite: Suite) -> dict[str, str]:
    outcomes = [case.outcome for case in suite.cases]
    elapsed = {} if suite.elapsed_s is None else {"time": str(suite.elapsed_s)}
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count("failure")),
        "errors": str(outcomes.count("error")),
        "skipped": str(outcomes.count("skipped")),
        **elapsed,
    }


# Advice


def _of_advice(advice: Advice, setting: Setting) -> str:
    margin = advice.plan.margin
    cases = [_endpoint_case(endpoint, margin, setting) for endpoint in advice.endpoints]
    packages = {name: clean(version) for name, version in advice.subject.packages.items()}
    return junit(
        Suite(
            name=f"wirespeed advise {clean(advice.subject.app)}",
            cases=tuple(cases),
            created=advice.created,
            elapsed_s=advice.elapsed_s,
            properties={"python": clean(advice.subject.python), **packages},
        )
    )


def _endpoint_case(endpoint: Endpoint, margin: float, setting: Setting) -> Case:
    """Only what ``--fail-on`` names can fail; every other finding is told, and passes."""
    view, place = conclusion_line(endpoint), setting.checkout.place(endpoint.source)
    conclusion = view.conclusion.text if view.conclusion else ""
    messages = [f"{each.rule} {each.message}" for each in endpoint_problems(endpoint, margin, setting)]
    text = "\n".join([" · ".join(filter(None, [*view.figures, conclusion])), *messages])
    failing = failing_arms(endpoint, setting.failing)
    if failing:
        codes = ", ".join(dict.fromkeys(clean(arm.code) for arm in failing))
        message = f"{clean(failing[0].name)} would make it faster"
        return Case(view.name, "failure", message, codes, text, place)
    if endpoint.whole_ns is None:
        return Case(view.name, "skipped", conclusion, place=place)
    return Case(view.name, "passed", text=text, place=place)


# Guards


def _of_guard(guard: Guard, setting: Setting) -> str:
    view = guard_view(guard)
    known = {each.request for each in guard.endpoints}
    cases = [_guarded_case(guard, endpoint, setting) for endpoint in guard.endpoints]
    lost = [each for each in guard.behaviour if each.request not in known and not each.allowed]
    cases += [Case(clean(each.request), "failure", change_text(each), "behaviour") for each in lost]
    return junit(
        Suite(
            name=f"wirespeed guard {view.title}",
            cases=(*cases, _overall_case(guard)),
            created=guard.created,
            elapsed_s=guard.elapsed_s,
            properties={"setting": " · ".join(view.facts), "certificate": view.certificate.text},
        )
    )


def _guarded_case(guard: Guard, endpoint: GuardedEndpoint, setting: Setting) -> Case:
    """Behaviour first, so that a fast error never passes."""
    name, place = clean(endpoint.request), setting.checkout.place(endpoint.source)
    told, changes = judged_text(endpoint), _changes(guard, endpoint)
    if changes or endpoint.behaviour == "changed":
        message = changes[0] if changes else "clients would see another answer"
        return Case(name, "failure", message, "behaviour", "\n".join([*changes, told]), place)
    if is_slower(guard, endpoint):
        return Case(name, "failure", told, "slower", place=place)
    if endpoint.decision is GuardDecision.PASS:
        return Case(name, "passed", text=told, place=place)
    return Case(name, "skipped", told if guard.certificate.fit else _unfit(guard), place=place)


def _changes(guard: Guard, endpoint: GuardedEndpoint) -> list[str]:
    own: list[BehaviourChange] = [each for each in guard.behaviour if each.request == endpoint.request]
    return [change_text(each) for each in own if not each.allowed]


def _overall_case(guard: Guard) -> Case:
    told = judged_view(ALL_TOGETHER, guard.overall).outcome.text
    if is_slower_overall(guard):
        return Case(ALL_TOGETHER, "failure", told, "slower")
    if guard.overall.decision is GuardDecision.PASS:
        return Case(ALL_TOGETHER, "passed", text=told)
    return Case(ALL_TOGETHER, "skipped", told if guard.certificate.fit else _unfit(guard))


def _unfit(guard: Guard) -> str:
    return guard_view(guard).certificate.text


# Comparisons


def _of_comparison(comparison: Comparison, setting: Setting) -> str:
    view = comparison_view(comparison)
    verdicts = {each.arm: each.verdict for each in comparison.estimates if each.verdict is not None}
    cases = [
        _arm_case(verdict_view, verdicts.get(arm.name), view.reasons, setting)
        for arm, verdict_view in zip(comparison.arms[1:], view.verdicts, strict=True)
    ]
    return junit(
        Suite(
            name=f"wirespeed compare {view.title}",
            cases=tuple(cases),
            created=comparison.created,
            elapsed_s=comparison.elapsed_s,
            properties={"setting": " · ".join(view.facts)},
        )
    )


def _arm_case(view: VerdictView, verdict: Verdict | None, reasons: Sequence[str], setting: Setting) -> Case:
    told = " · ".join(["".join(piece.text for piece in view.outcome), *view.beside])
    text = "\n".join([told, *view.others, *view.differences])
    if verdict is None or verdict is Verdict.INVALID:
        return Case(view.arm, "error", "; ".join(reasons) or told, "invalid", text)
    if verdict in setting.failing:
        return Case(view.arm, "failure", told, str(verdict), text)
    if verdict is Verdict.INCONCLUSIVE:
        return Case(view.arm, "skipped", told, text=text)
    return Case(view.arm, "passed", text=text)


FORMAT = Format(
    name="junit",
    describes="JUnit XML: one test case an endpoint, or an arm; what is undecided is skipped",
    views={Advice: _of_advice, Guard: _of_guard, Comparison: _of_comparison},
)
