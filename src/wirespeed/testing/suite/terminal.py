"""The section that pytest prints after the suite. Names and values are the app's: all of them are cleaned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from wirespeed.model.suite import SuiteAdvice, SuiteEndpoint, SuiteRemedy
from wirespeed.report.numbers import elapsed, from_to, size, speed
from wirespeed.report.text import abbreviated, clean, counted

SHOWN_UNMEASURED = 10
LONGEST_NAME = 100


class Line(NamedTuple):
    text: str
    is_strong: bool = False


def section(told: SuiteAdvice) -> Iterator[Line]:
    slow = _of(told, "remedy")
    yield Line(headline(told), is_strong=bool(slow))
    for endpoint in slow:
        yield from _in_full(endpoint)
    others = _of(told, "other bytes")
    if others:
        yield Line("")
        yield Line(
            f"{counted(len(others), 'endpoint')} more would be faster, with an answer that is not the same:"
        )
        for endpoint in others:
            yield from _in_full(endpoint)
    yield from _unmeasured(_of(told, "unmeasured"))
    yield Line("")
    yield Line(" · ".join(_counts(told)))
    yield from (Line(clean(note)) for note in told.notes)


def headline(told: SuiteAdvice) -> str:
    if not told.endpoints:
        return "no request reached a route of FastAPI"
    if told.estimates == "none":
        found = sum(bool(each.findings) for each in told.endpoints)
        return f"{counted(found, 'endpoint')} may answer slower than needed; nothing was measured"
    number = len(_of(told, "remedy"))
    verb = "answers slower than it needs" if number == 1 else "answer slower than they need"
    scope = f"estimates of one process, shown from {told.shown_from:g}× on"
    return f"{counted(number, 'endpoint')} {verb} to ({scope})"


def remedy_line(remedy: SuiteRemedy) -> str:
    """``-> list[User]  4.21× faster  6.31 → 0.34 ms on the response path  identical bytes``."""
    fidelity = {"identical": "identical bytes", "equal": "equal JSON", "different": "other values"}
    least = "at least " if remedy.code == "WS103" else ""
    return "   ".join(
        (
            abbreviated(clean(remedy.name), LONGEST_NAME),
            f"{least}{speed(remedy.whole.ratio)}",
            f"response path {from_to(remedy.before_ns, remedy.after_ns)}",
            fidelity[remedy.fidelity],
        )
    )


def endpoint_name(endpoint: SuiteEndpoint) -> str:
    return abbreviated(clean(f"{endpoint.method} {endpoint.path}"), LONGEST_NAME)


def _in_full(endpoint: SuiteEndpoint) -> Iterator[Line]:
    yield Line("")
    figures = [endpoint_name(endpoint), clean(endpoint.source or ""), size(endpoint.body_bytes)]
    tests = counted(endpoint.tests, "test") if endpoint.tests else counted(endpoint.requests, "request")
    yield Line("   ".join([*filter(None, figures), tests]), is_strong=True)
    for finding in endpoint.findings:
        yield Line(f"  {finding.code}  {clean(finding.problem)}")
    for remedy in endpoint.remedies:
        mark = "▸" if remedy.fidelity == "identical" else " "
        yield Line(f"  {mark} {remedy_line(remedy)}")
        if remedy.fidelity == "different":
            yield Line(f"      differs at {clean(', '.join(each.at for each in remedy.differences))}")


def _unmeasured(endpoints: Sequence[SuiteEndpoint]) -> Iterator[Line]:
    if not endpoints:
        return
    yield Line("")
    yield Line("found, but not measured:")
    for endpoint in endpoints[:SHOWN_UNMEASURED]:
        codes = " ".join(finding.code for finding in endpoint.findings)
        told = "   ".join(filter(None, (endpoint_name(endpoint), clean(endpoint.source or ""), codes)))
        yield Line(f"  {told}")
        yield Line(f"      {clean(endpoint.note or '')}")
    if len(endpoints) > SHOWN_UNMEASURED:
        yield Line(f"  and {len(endpoints) - SHOWN_UNMEASURED} more")


def _counts(told: SuiteAdvice) -> Iterable[str]:
    numbers = Counter(each.conclusion for each in told.endpoints)
    yield f"{counted(len(told.endpoints), 'endpoint')} called"
    if numbers["fast"]:
        yield f"{numbers['fast']} on the fast path"
    if numbers["small"]:
        yield f"{numbers['small']} with less to gain than one process can show"
    if numbers["nothing"]:
        yield f"{numbers['nothing']} with nothing that tests can show"
    if told.estimates != "none":
        yield f"measured for {elapsed(told.elapsed_s)}"


def _of(told: SuiteAdvice, conclusion: str) -> list[SuiteEndpoint]:
    return [each for each in told.endpoints if each.conclusion == conclusion]
