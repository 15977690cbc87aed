"""How one endpoint reads, in full and on one line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wirespeed.model.advice import Arm, Endpoint, Finding, HotFrame, Phases
from wirespeed.model.verdict import Verdict

from .arms import arm_view, headline_ratio, in_reading_order, short_outcome
from .numbers import duration, from_to, share, size
from .text import Span, abbreviated, clean, counted, listed
from .tree import ArmView, EndpointView, FindingView

LEFT_OUT_SHOWN = 2
KNOWN = " (known: in the baseline)"
_LONG_NAME = 48
_NAME_WIDTH = 72
_NOTABLE_GC = 0.1

_PHASES = {
    "routing": "routing",
    "dependencies": "its dependencies",
    "endpoint": "the endpoint's own code",
    "validation": "validating the response",
    "serialization": "serializing the response",
    "rendering": "rendering the response",
}


def endpoint_name(endpoint: Endpoint) -> str:
    """The request as it was sent; where that is long, with the route's template in place of its path."""
    name = clean(endpoint.request)
    if len(name) > _LONG_NAME:
        _, separator, query = name.partition("?")
        name = clean(f"{endpoint.method} {endpoint.path}") + separator + query
    return abbreviated(name, _NAME_WIDTH)


def full_view(endpoint: Endpoint, margin: float, *, every_line: bool = False) -> EndpointView:
    return EndpointView(
        name=endpoint_name(endpoint),
        figures=tuple(_figures(endpoint)),
        source=_place(endpoint.source or "") if standing_findings(endpoint) or endpoint.arms else "",
        conclusion=_conclusion_of_full(endpoint),
        findings=tuple(_findings(endpoint, margin, every_line)),
        remarks=tuple(_remarks(endpoint, every_line)),
    )


def conclusion_line(endpoint: Endpoint) -> EndpointView:
    """One line: what was measured, and what it comes to."""
    return EndpointView(
        name=endpoint_name(endpoint),
        figures=tuple(_figures(endpoint)),
        conclusion=conclusion_span(endpoint),
    )


def gain_line(endpoint: Endpoint) -> EndpointView:
    """One line: the time before and after the recommended arm, else the fastest one."""
    best = in_reading_order(endpoint.arms)[0]
    told = Span(f"▸ {short_outcome(best)}", "good") if best.recommended else Span(short_outcome(best), "warn")
    before = endpoint.whole_ns
    time = [from_to(before, before * best.whole.ratio)] if before and best.whole else []
    return EndpointView(name=endpoint_name(endpoint), figures=tuple(time), conclusion=told)


def best_ratio(endpoint: Endpoint) -> float:
    return headline_ratio(in_reading_order(endpoint.arms)[0])


def has_untried_advice(endpoint: Endpoint) -> bool:
    """A finding without an arm was not refuted by measuring: it is for the reader to judge."""
    tried = {arm.code for arm in endpoint.arms}
    return any(finding.code not in tried for finding in standing_findings(endpoint))


def standing_findings(endpoint: Endpoint) -> list[Finding]:
    """All but those that a comment ignores."""
    return [finding for finding in endpoint.findings if finding.ignored is None]


def conclusion_span(endpoint: Endpoint) -> Span:
    """One sentence on what this endpoint's measurement comes to, with the note that explains it."""
    told, note = sentence(endpoint), clean(endpoint.note or "")
    if not note:
        return told
    separator = ": " if endpoint.conclusion in ("unsafe", "failed", "undecided") else "; "
    return Span(f"{told.text}{separator}{note}", told.role)


def sentence(endpoint: Endpoint) -> Span:
    """The conclusion without the note, so that endpoints alike read alike."""
    match endpoint.conclusion:
        case "fast":
            return Span(
                "on the fast path, nothing to gain" if endpoint.fast_path else "nothing to gain", "good"
            )
        case "unsafe":
            return Span("called once", "warn")
        case "failed":
            return Span(f"answered {endpoint.status}" if endpoint.status else "failed", "bad")
        case "undecided":
            return Span("undecided", "warn")
        case _:
            return Span(_what_was_tried(endpoint) + _where_the_time_is(endpoint))


def _what_was_tried(endpoint: Endpoint) -> str:
    if has_untried_advice(endpoint):
        return "no measured remedy"
    undecided = any(arm.verdict is Verdict.INCONCLUSIVE for arm in endpoint.arms)
    return "no remedy is proven to help" if undecided else "no remedy helps"


def _where_the_time_is(endpoint: Endpoint) -> str:
    if endpoint.hot_frame:
        return f": {share(endpoint.hot_frame.share)} is in {_frame(endpoint.hot_frame)}"
    if endpoint.phases_ns:
        name, fraction = _largest_phase(endpoint.phases_ns)
        return f": {share(fraction)} is {name}"
    return ""


def _frame(frame: HotFrame) -> str:
    """``prices.py:40 load_prices`` is easier to read the other way round."""
    place, _, function = clean(frame.where).rpartition(" ")
    return f"{function} ({_place(place)})" if place else function


def _place(source: str) -> str:
    """Installed packages are known by their names, not by where an environment keeps them."""
    return clean(source).rpartition("site-packages/")[2]


def _largest_phase(phases: Phases) -> tuple[str, float]:
    by_name = {spelled: getattr(phases, name) for name, spelled in _PHASES.items()}
    by_name |= {f"the middleware {clean(layer)}": ns for layer, ns in phases.layers.items()}
    name = max(by_name, key=by_name.__getitem__)
    return name, by_name[name] / (sum(by_name.values()) or 1)


def _figures(endpoint: Endpoint) -> Iterator[str]:
    if endpoint.whole_ns is not None:
        yield duration(endpoint.whole_ns)
    if endpoint.body_bytes is not None and endpoint.conclusion != "failed":
        yield size(endpoint.body_bytes)
    if endpoint.status not in (None, 200) and endpoint.conclusion != "failed":
        yield f"status {endpoint.status}"
    if endpoint.floor_ns is not None:
        yield f"floor {duration(endpoint.floor_ns)}"
    if endpoint.gc_share is not None and endpoint.gc_share >= _NOTABLE_GC:
        yield f"GC {share(endpoint.gc_share)}"


def _conclusion_of_full(endpoint: Endpoint) -> Span | None:
    """Arms that are faster speak for themselves; every other conclusion is said."""
    if any(arm.recommended or arm.verdict is Verdict.FASTER for arm in endpoint.arms):
        return None
    return conclusion_span(endpoint)


def _remarks(endpoint: Endpoint, every_line: bool) -> Iterator[Span]:
    if hidden := len(endpoint.arms) - len(_arms_shown(endpoint, every_line)):
        yield Span(f"{counted(hidden, 'more change')} not measured", "muted")
    if endpoint.unstable:
        paths = listed(clean(path) for path in endpoint.unstable[:5])
        more = ", …" if len(endpoint.unstable) > 5 else ""
        yield Span(f"differs from call to call and is not compared: {paths}{more}", "muted")
    if endpoint.note and _conclusion_of_full(endpoint) is None:
        yield Span(clean(endpoint.note), "muted")


def _arms_shown(endpoint: Endpoint, every_line: bool) -> list[Arm]:
    """All that were measured, but only some of those that were not: a first look leaves out many."""
    arms = in_reading_order(endpoint.arms)
    measured = [arm for arm in arms if arm.whole is not None]
    left_out = [arm for arm in arms if arm.whole is None]
    shown = len(left_out) if every_line or len(left_out) == LEFT_OUT_SHOWN + 1 else LEFT_OUT_SHOWN
    return measured + left_out[:shown]


def _findings(endpoint: Endpoint, margin: float, every_line: bool) -> Iterator[FindingView]:
    """Each finding with its arms, in the order of the arms; those that only advise come last."""
    arms = _arms_shown(endpoint, every_line)
    standing = standing_findings(endpoint)
    codes = dict.fromkeys([arm.code for arm in arms] + [finding.code for finding in standing])
    for code in codes:
        findings = [finding for finding in standing if finding.code == code]
        views = [arm_view(a, endpoint, margin, every_line=every_line) for a in arms if a.code == code]
        yield from _told_together(code, findings, views)


def _told_together(code: str, findings: list[Finding], arms: list[ArmView]) -> Iterator[FindingView]:
    """Arms know only the code of what they cure, so they stand below the last finding that bears it."""
    spelled = [
        FindingView(
            clean(code),
            clean(finding.problem) + (KNOWN if finding.known else ""),
            evidence="" if arms else clean(finding.evidence),
            advice=clean(finding.advice or ""),
        )
        for finding in findings
    ] or [FindingView(clean(code), problem="")]
    yield from spelled[:-1]
    yield replace(spelled[-1], arms=tuple(arms))
