"""How one arm reads: what it gains, whether clients would notice, and the edit that makes it permanent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from wirespeed.model.advice import Arm, Difference, Endpoint, ThroughServer
from wirespeed.model.verdict import Verdict

from .numbers import Interval, duration, from_to, share, speed, speed_interval, spread
from .text import Role, Span, abbreviated, clean, clean_lines, counted
from .tree import ArmView

DIFFERENCES_SHOWN = 3
EDIT_LINES_SHOWN = 16
_NOT_MEASURED = "not measured"
_VALUE_WIDTH = 40
_NOTABLY_APART = 1.05
_MOSTLY_RESPONSE_PATH = 0.8
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(?P<line>\d+)(?:,\d+)? @@")

_READING_ORDER = (
    Verdict.FASTER,
    Verdict.INCONCLUSIVE,
    Verdict.EQUIVALENT,
    Verdict.SLOWER,
    Verdict.INVALID,
)


def in_reading_order(arms: tuple[Arm, ...]) -> list[Arm]:
    """Recommended ones first, then the faster the earlier, then what did not help."""
    return sorted(
        arms, key=lambda arm: (not arm.recommended, _READING_ORDER.index(arm.verdict), headline_ratio(arm))
    )


def headline_ratio(arm: Arm) -> float:
    """The ratio that the verdict speaks of; 1 where nothing was measured."""
    measured = _headline(arm)
    return measured[0] if measured else 1.0


def arm_view(arm: Arm, endpoint: Endpoint, margin: float, *, every_line: bool = False) -> ArmView:
    """``every_line`` shows whole edits and all differing paths."""
    outcome, interval = _outcome(arm, endpoint, margin)
    return ArmView(
        recommended=arm.recommended,
        name=clean(arm.name),
        time=_time(arm, endpoint),
        outcome=outcome,
        interval=interval,
        remarks=tuple(_remarks(arm, endpoint)),
        served=None if arm.served is None else _served(arm.served),
        differences=_differences(arm, every_line) if _is_of_interest(arm) else (),
        edit=edit_lines(arm, every_line) if arm.recommended and arm.edit != arm.name else (),
    )


def is_diff(edit: str | None) -> bool:
    """A unified diff says where it applies; other edits are source to be written at the endpoint."""
    return edit is not None and edit.startswith("--- ")


def short_outcome(arm: Arm) -> str:
    """One arm in a few words, for lists: ``-> list[User]: 18.6× faster, identical bytes``."""
    return f"{clean(arm.name)}: {speed(headline_ratio(arm))}, {_bytes(arm)}"


def bytes_span(arm: Arm) -> Span:
    """What clients would see."""
    return Span(_bytes(arm), "good" if arm.fidelity == "identical" else "warn")


def edit_lines(arm: Arm, every_line: bool = False) -> tuple[Span, ...]:
    """A unified diff with each hunk under its place, ``users.py:31``; other text as code."""
    lines = _without_blank_edges(list(_coloured_diff(clean_lines(arm.edit or ""))))
    if every_line or len(lines) <= EDIT_LINES_SHOWN:
        return tuple(lines)
    hidden = len(lines) - EDIT_LINES_SHOWN + 1
    return (*lines[: EDIT_LINES_SHOWN - 1], Span(f"… {counted(hidden, 'more line')}", "muted"))


def diff_lines(diff: str) -> tuple[Span, ...]:
    """A whole patch, coloured, with every line that ``git apply`` needs."""
    roles: dict[str, Role] = {"+": "good", "-": "bad", "@": "muted"}
    return tuple(Span(line, roles.get(line[:1], "code")) for line in clean_lines(diff))


def _headline(arm: Arm) -> tuple[float, Interval, int | None] | None:
    """Ratio, interval and, where it was the parallel metric that decided, how many at once."""
    whole, parallel, verdict = arm.whole, arm.parallel, arm.verdict
    if whole is None:
        return None
    if parallel and _decides(verdict, parallel.interval) and not _decides(verdict, whole.interval):
        return parallel.ratio, parallel.interval, parallel.n
    return whole.ratio, whole.interval, None


def _decides(verdict: Verdict, interval: Interval) -> bool:
    low, high = interval
    return (verdict is Verdict.FASTER and high < 1) or (verdict is Verdict.SLOWER and low > 1)


def _is_of_interest(arm: Arm) -> bool:
    """Whether a reader asks what clients would see: of what is faster, and of what was not even tried."""
    return arm.verdict is Verdict.FASTER or arm.whole is None


def _outcome(arm: Arm, endpoint: Endpoint, margin: float) -> tuple[Span, str]:
    measured = _headline(arm)
    if measured is None or arm.verdict is Verdict.INVALID:
        return _without_figures(arm), ""
    ratio, interval, at_once = measured
    if arm.verdict is Verdict.EQUIVALENT:
        return Span(f"no difference beyond {share(margin)}", "muted"), ""
    if arm.verdict is Verdict.INCONCLUSIVE:
        return Span(f"inconclusive: {spread(interval)}", "muted"), ""
    suffix = f" with {at_once} at once" if at_once else ""
    if arm.verdict is Verdict.SLOWER and endpoint.whole_ns and not at_once:
        return Span(f"slower: {from_to(endpoint.whole_ns, endpoint.whole_ns * ratio)}", "bad"), ""
    return Span(speed(ratio) + suffix, _role(arm)), speed_interval(ratio, interval)


def _without_figures(arm: Arm) -> Span:
    """The reason is all there is to say; that of an arm left out already opens with "not measured"."""
    reason = clean(arm.reason or "")
    if reason.startswith(_NOT_MEASURED):
        return Span(reason, "muted")
    if arm.verdict is Verdict.INVALID:
        return Span(_explained("invalid", reason), "bad")
    return Span(_explained(_NOT_MEASURED, reason), "muted")


def _role(arm: Arm) -> Role:
    if arm.verdict is Verdict.SLOWER:
        return "bad"
    return "good" if arm.recommended else "warn"


def _time(arm: Arm, endpoint: Endpoint) -> str:
    measured = _headline(arm)
    if arm.verdict is not Verdict.FASTER or not measured or measured[2] or not endpoint.whole_ns:
        return ""
    return duration(endpoint.whole_ns * measured[0])


def _remarks(arm: Arm, endpoint: Endpoint) -> Iterator[Span]:
    if arm.verdict is Verdict.FASTER:
        yield bytes_span(arm)
        if arm.openapi:
            yield Span(f"OpenAPI: {clean(arm.openapi)}", "muted")
        yield from _response_path(arm, endpoint)
        if arm.confirmed_by == "variant" and arm.edit is None:
            yield Span("measured as a variant of the route: no edit could be made", "muted")
    yield from _other_metric(arm)
    if arm.reason and not _is_said(arm):
        yield Span(clean(arm.reason), "muted")


def _is_said(arm: Arm) -> bool:
    """The outcome gives the reason of what has no figures, and ``_bytes`` that of other bytes."""
    no_figures = arm.whole is None or arm.verdict is Verdict.INVALID
    return no_figures or (arm.verdict is Verdict.FASTER and arm.fidelity != "identical")


def _bytes(arm: Arm) -> str:
    if arm.fidelity == "identical":
        return "identical bytes (in the answers captured)" if arm.safe_by == "values" else "identical bytes"
    reason = clean(arm.reason or "")
    if arm.fidelity == "equal":
        return reason if reason.startswith("equal JSON") else _explained("equal JSON, other bytes", reason)
    return _explained("different bytes", reason)


def _explained(what: str, reason: str) -> str:
    return f"{what}: {reason}" if reason else what


def _response_path(arm: Arm, endpoint: Endpoint) -> Iterator[Span]:
    """Shown only where the endpoint's own code hides how much the response path gained."""
    part, whole = endpoint.response_path_ns, endpoint.whole_ns
    if arm.response_path and part and whole and part < whole * _MOSTLY_RESPONSE_PATH:
        yield Span(f"response path {from_to(part, part * arm.response_path.ratio)}", "muted")


def _served(through: ThroughServer) -> Span:
    where = f"through {clean(through.server)}" + f" with {through.workers} workers" * (through.workers > 1)
    if through.alone is None or through.loaded is None:
        return Span(f"{where}: not measured: {clean(through.reason or '')}", "muted")
    alone = _with_interval(through.alone.ratio, through.alone.interval)
    loaded = _with_interval(through.loaded.ratio, through.loaded.interval)
    role: Role = "bad" if through.contradicts else "plain"
    return Span(f"{where}: alone {alone}, {through.loaded.n} connections {loaded}", role)


def _with_interval(ratio: float, interval: Interval) -> str:
    low, high = interval
    return spread(interval) if low <= 1 <= high else f"{speed(ratio)} {speed_interval(ratio, interval)}"


def _other_metric(arm: Arm) -> Iterator[Span]:
    """The metric that did not make the headline, where it tells something else."""
    if not arm.parallel or not arm.whole or arm.verdict is Verdict.INVALID:
        return
    measured = _headline(arm)
    if measured and measured[2]:
        yield Span(f"alone: {_speed_or_spread(arm.whole.ratio, arm.whole.interval)}", "muted")
    elif _apart(arm.whole.interval, arm.parallel.interval):
        told = _speed_or_spread(arm.parallel.ratio, arm.parallel.interval)
        harmful = arm.parallel.interval[0] > 1
        yield Span(f"with {arm.parallel.n} at once: {told}", "bad" if harmful else "muted")


def _speed_or_spread(ratio: float, interval: Interval) -> str:
    return spread(interval) if interval[0] <= 1 <= interval[1] else speed(ratio)


def _apart(one: Interval, other: Interval) -> bool:
    lower, upper = sorted((one, other))
    return upper[0] > lower[1] * _NOTABLY_APART


def _differences(arm: Arm, every_line: bool) -> tuple[str, ...]:
    lines = [_difference(difference) for difference in arm.differences]
    shown = len(lines) if every_line else DIFFERENCES_SHOWN
    if len(lines) > shown:
        lines[shown:] = [f"… {counted(len(lines) - shown, 'more path')}"]
    return tuple(lines)


def _difference(difference: Difference) -> str:
    at = abbreviated(clean(difference.at), 60)
    return f"{at}: {_value(difference.baseline)} → {_value(difference.arm)}"


def _value(value: object) -> str:
    spelled = json.dumps(value, ensure_ascii=False, default=repr)
    return abbreviated(clean(spelled), _VALUE_WIDTH)


def _without_blank_edges(lines: list[Span]) -> list[Span]:
    """Drops blank context around hunks, which only costs height."""
    edge = Span("", "muted")
    return [
        line
        for before, line, after in zip([edge, *lines], lines, [*lines[1:], edge], strict=False)
        if line.text.strip() or "muted" not in (before.role, after.role)
    ]


def _coloured_diff(lines: list[str]) -> Iterator[Span]:
    roles: dict[str, Role] = {"+": "good", "-": "bad"}
    file, is_diff = "", False
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        if line.startswith("--- ") and following.startswith("+++ "):
            file, is_diff = "", True
        elif is_diff and not file:
            file = line.removeprefix("+++ ").removeprefix("b/").split("\t")[0]
        elif is_diff and (hunk := _HUNK.match(line)):
            yield Span(f"{file}:{hunk['line']}", "muted")
        else:
            yield Span(line, roles.get(line[:1], "code") if is_diff else "code")
