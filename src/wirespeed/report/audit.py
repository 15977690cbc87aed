"""The ``audit`` document in words: each file's headline, what is wrong with it, and what it does not say."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from wirespeed.model.audit import Audit, AuditedFile, Difference, Finding, Repeats, Severity, ToolRun

from .layout import flow, padded, styled, words
from .load import grouped, rate
from .numbers import duration, elapsed, share
from .terminal import WIDEST, print_lines
from .text import Role, abbreviated, clean, counted, listed

_ROLES: dict[Severity, Role] = {"misleading": "bad", "doubtful": "warn", "note": "muted"}
_LONGEST_NAME, _LONGEST_PROBLEM = 100, 600
_SEPARATOR = " · "
_HANGING = 6


def print_audit(document: Audit, console: Console) -> None:
    print_lines(audit_lines(document, min(console.width, WIDEST)), console)


def audit_lines(document: Audit, width: int = WIDEST) -> Iterator[Text]:
    for file in document.files:
        yield from _file_lines(file, width)
        yield Text()
    if document.groups:
        yield from _group_lines(document, width)
        yield Text()
    yield _totals(document)


def _file_lines(file: AuditedFile, width: int) -> Iterator[Text]:
    facts = [styled(fact, "muted") for fact in _facts(file.run)]
    yield from flow(facts, width, start=_name(file.name) + "  ", hanging=2, separator=_SEPARATOR)
    headline = [Text(figure) for figure in _headline(file.run)]
    if headline:
        yield from flow(headline, width, start=Text("  "), hanging=2, separator=_SEPARATOR)
    for finding in file.findings:
        yield from _finding_lines(finding, width)
    missing: dict[str, list[str]] = {}
    for unknown in file.cannot_tell:
        missing.setdefault(unknown.missing, []).append(unknown.check)
    for what, checks in missing.items():
        told = words(f"the output does not say {clean(what)} ({listed(checks)})", "muted")
        yield from flow(told, width, start=styled("  cannot tell: ", "muted"), hanging=_HANGING)
    if file.passed:
        yield from flow(
            words(listed(file.passed), "muted"), width, start=styled("  fine: ", "good"), hanging=_HANGING
        )


def _name(text: str) -> Text:
    return styled(abbreviated(clean(text), _LONGEST_NAME), "strong")


def _facts(run: ToolRun) -> Iterator[str]:
    yield f"{clean(run.layout)}{f' {clean(run.version)}' if run.version else ''}"
    if run.target:
        yield abbreviated(clean(run.target), _LONGEST_NAME)
    if run.connections:
        yield counted(run.connections, "connection")
    if run.duration_s:
        yield elapsed(run.duration_s) if run.duration_s >= 1 else duration(run.duration_s * 1e9)


def _headline(run: ToolRun) -> Iterator[str]:
    """What somebody would quote."""
    requests = run.sent if run.answered is None else run.answered
    if requests is not None:
        noun = "request" if run.answered is None else "answer"
        yield f"{grouped(requests)} {noun}{'' if requests == 1 else 's'}"
    if run.requests_per_s is not None:
        yield f"{rate(run.requests_per_s)}/s"
    for name, value_s in (("mean", run.latency.mean_s), ("max", run.latency.max_s)):
        if value_s is not None:
            yield f"{name} {duration(value_s * 1e9)}"


def _finding_lines(finding: Finding, width: int) -> Iterator[Text]:
    start = Text("  ") + styled(f"{finding.severity}: ", _ROLES[finding.severity])
    told = abbreviated(clean(finding.problem), _LONGEST_PROBLEM)
    yield from flow(
        [*words(told), styled(f"({clean(finding.check)})", "code")], width, start=start, hanging=_HANGING
    )
    yield from flow(
        words(clean(finding.advice), "muted"), width, start=Text(" " * _HANGING), hanging=_HANGING
    )


def _group_lines(document: Audit, width: int) -> Iterator[Text]:
    yield styled("Repeats, requests/s:", "muted")
    column = max(len(_short(group.group)) for group in document.groups)
    differences = {difference.group: difference for difference in document.differences}
    for group in document.groups:
        told = [Text(piece) for piece in _group_facts(group, differences.get(group.group))]
        start = Text("  ") + padded(styled(_short(group.group), "strong"), column) + "  "
        yield from flow(told, width, start=start, hanging=_HANGING, separator=_SEPARATOR)
    for finding in document.findings:
        yield from _finding_lines(finding, width)


def _short(text: str) -> str:
    return abbreviated(clean(text), _LONGEST_NAME)


def _group_facts(group: Repeats, difference: Difference | None) -> Iterator[str]:
    yield counted(len(group.rates_per_s), "run")
    yield rate(group.mean_per_s)
    if group.spread is not None:
        yield f"spread {share(group.spread)}"
    if difference is not None:
        yield f"{_signed(difference.gain)}{_interval(difference)}: {difference.verdict}"


def _interval(difference: Difference) -> str:
    if difference.interval is None:
        return ""
    low, high = difference.interval
    return f" [{_signed(low)}, {_signed(high)}]"


def _signed(gain: float) -> str:
    return f"{'+' if gain >= 0 else '-'}{abs(gain) * 100:.1f} %"


def _totals(document: Audit) -> Text:
    findings = [*document.findings, *(finding for file in document.files for finding in file.findings)]
    counts = {severity: sum(finding.severity == severity for finding in findings) for severity in _ROLES}
    nouns = {"note": "notes"}
    found = [
        f"{number} {nouns.get(severity, severity) if number > 1 else severity}"
        for severity, number in counts.items()
        if number
    ]
    files = counted(len(document.files), "file")
    if not found:
        return Text(f"{files} · ") + styled("nothing to object to", "good")
    worst = min(findings, key=lambda finding: list(_ROLES).index(finding.severity))
    hint = f"wirespeed audit --explain {worst.check}"
    return Text(f"{files} · {', '.join(found)} · ") + styled(hint, "code")
