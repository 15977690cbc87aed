"""A comment for a pull request: what matters in a table, the rest folded, and never longer than GitHub takes.

Lives here: which part of a view goes where. Nothing is worded or rounded here, and every text of a view goes
through ``_markup``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wirespeed.model.advice import Advice
from wirespeed.model.comparison import Comparison
from wirespeed.model.guard import Guard, GuardDecision
from wirespeed.report.comparison_view import comparison_view
from wirespeed.report.guard_view import ALL_TOGETHER, ChangeView, JudgedView, guard_view
from wirespeed.report.text import Span, abbreviated, clean
from wirespeed.report.tree import (
    AdviceView,
    ArmView,
    ComparisonView,
    EndpointView,
    FindingView,
    FoldView,
    VerdictView,
)
from wirespeed.report.view import advice_view

from ._fitting import Section, fitted
from ._format import Format, Setting
from ._markup import code, fenced, item, marker, prose, row, table_head

_SEPARATOR = " · "
_TITLE_WIDTH = 72
_VERDICT_WIDTH = 600
ELSEWHERE = "`wirespeed report` shows all of a record."


def folded(title: str, noun: str, pieces: Sequence[str]) -> Section:
    """A section that a reader opens; ``title`` is our own text, as HTML."""
    return Section(noun, tuple(pieces), f"<details><summary>{title}</summary>\n", "</details>")


def table(noun: str, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Section:
    return Section(noun, tuple(map(row, rows)), table_head(titles))


def items(noun: str, texts: Sequence[str]) -> Section:
    return Section(noun, tuple(map(item, texts)))


def named(text: str) -> str:
    """An app, as a title can hold it."""
    return code(abbreviated(clean(text), _TITLE_WIDTH))


def separated(texts: Sequence[str]) -> str:
    return _SEPARATOR.join(filter(None, texts))


# Advice


def advice_markdown(advice: Advice, setting: Setting) -> str:
    view = advice_view(advice)
    everything = advice_view(advice, everything=True)
    head = f"{marker('advice', clean(advice.subject.app))}\n### wirespeed: {named(advice.subject.app)}"
    sections = [
        items("warning", [prose(warning.text) for warning in view.warnings]),
        table(
            "recommendation",
            ("endpoint", "now", "remedy", "gain", "clients see"),
            list(_remedy_rows(everything)),
        ),
        folded("All endpoints", "endpoint", [_entry(entry) for entry in view.entries]),
        folded("Not called", "group", [_fold(fold) for fold in view.skipped]),
        folded("Notes", "note", [item(prose(note)) for note in view.notes]),
    ]
    return fitted(f"{head}\n\n{_totals(view)}", sections, _small(view), ELSEWHERE)


def _totals(view: AdviceView) -> str:
    return separated([prose(total.text) for total in view.totals])


def _small(view: AdviceView) -> str:
    return small([*view.facts], view.legend)


def small(facts: Sequence[str], legend: Sequence[str]) -> str:
    lines = [separated([prose(abbreviated(fact, _TITLE_WIDTH)) for fact in facts]), *map(prose, legend)]
    return f"<sub>{'<br>'.join(filter(None, lines))}</sub>"


def _remedy_rows(view: AdviceView) -> Iterator[Sequence[str]]:
    for entry in view.entries:
        if isinstance(entry, EndpointView):
            arms = [arm for finding in entry.findings for arm in finding.arms if arm.recommended]
            yield from (_remedy_row(entry, arm) for arm in arms)


def _remedy_row(endpoint: EndpointView, arm: ArmView) -> Sequence[str]:
    where = f"{code(endpoint.name)}<br>{code(endpoint.source)}" if endpoint.source else code(endpoint.name)
    gain = " ".join(filter(None, [arm.time, arm.outcome.text, arm.interval]))
    now = _SEPARATOR.join(endpoint.figures)
    return where, prose(now), code(arm.name), prose(gain), _spans(arm.remarks)


def _spans(spans: Sequence[Span]) -> str:
    return separated([prose(span.text) for span in spans])


def _entry(entry: EndpointView | FoldView) -> str:
    if isinstance(entry, FoldView):
        return _fold(entry)
    conclusion = prose(entry.conclusion.text) if entry.conclusion else ""
    figures = [prose(figure) for figure in entry.figures]
    head = separated([code(entry.name), *figures, conclusion, code(entry.source)])
    remarks = [item(prose(remark.text)) for remark in entry.remarks]
    return item(head, *map(_finding, entry.findings), *remarks)


def _finding(finding: FindingView) -> str:
    by_hand = f"by hand: {prose(finding.advice)}" if finding.advice else ""
    head = separated([code(finding.code), prose(finding.problem), prose(finding.evidence), by_hand])
    return item(head, *map(_arm, finding.arms))


def _arm(arm: ArmView) -> str:
    mark = "▸ " if arm.recommended else ""
    measured = " ".join(filter(None, [arm.time, arm.outcome.text, arm.interval]))
    head = separated([f"{mark}{code(arm.name)}", prose(measured), _spans(arm.remarks)])
    served = [item(prose(arm.served.text))] if arm.served else []
    differences = [item(code(difference)) for difference in arm.differences]
    edit = [fenced([line.text for line in arm.edit], "diff")] if arm.edit else []
    return item(head, *served, *differences, *edit)


def _fold(fold: FoldView) -> str:
    more = [f"and {fold.more} more"] if fold.more else []
    names = separated([*map(code, fold.names), *more])
    hint = [code(fold.hint)] if fold.hint else []
    return item(prose(fold.headline.text), *map(item, [names, *hint]))


# Guards


def guard_markdown(guard: Guard, setting: Setting) -> str:
    view = guard_view(guard)
    title = f"{marker('guard', view.title)}\n### wirespeed guard: {named(view.title)}"
    head = f"{title}\n\n**{prose(abbreviated(view.verdict.text, _VERDICT_WIDTH))}**"
    telling = [
        row for row in view.rows if row.decision.text != GuardDecision.PASS or row.name == ALL_TOGETHER
    ]
    passing = [row for row in view.rows if row not in telling]
    beside = [text for text in (view.certificate.text, view.explanation) if text]
    sections = [
        Section("change", tuple(map(_changed, view.changes))),
        table("endpoint", _JUDGED, [_judged(row) for row in telling]),
        items("remark", [prose(text) for text in beside]),
        _folded_table("Endpoints that pass", "endpoint", _JUDGED, [_judged(row) for row in passing]),
        folded("Notes", "note", [item(prose(note)) for note in filter(None, [*view.notes, view.folded])]),
    ]
    return fitted(head, sections, small(view.facts, view.legend), ELSEWHERE)


_JUDGED = ("endpoint", "base → head", "difference", "decision", "")


def _judged(judged: JudgedView) -> Sequence[str]:
    remarks = separated([prose(remark) for remark in judged.remarks])
    name = prose(judged.name) if judged.name == ALL_TOGETHER else code(judged.name)
    return name, prose(judged.times), prose(judged.outcome.text), prose(judged.decision.text), remarks


def _changed(change: ChangeView) -> str:
    return item(prose(change.headline.text), *(item(code(difference)) for difference in change.differences))


def _folded_table(title: str, noun: str, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Section:
    inner = table(noun, titles, rows)
    frame = folded(title, noun, inner.pieces)
    return replace(frame, opening=f"{frame.opening}\n{inner.opening}")


# Comparisons


def comparison_markdown(comparison: Comparison, setting: Setting) -> str:
    view = comparison_view(comparison)
    title = prose(abbreviated(view.title, 2 * _TITLE_WIDTH))
    sections = [
        items("reason", [f"**invalid**: {prose(reason)}" for reason in view.reasons]),
        items("warning", [prose(warning.text) for warning in view.warnings]),
        Section("verdict", tuple(map(_verdict, view.verdicts))),
        _figures(view),
        folded("Notes", "note", [item(prose(note)) for note in view.notes]),
    ]
    foot = small(view.facts, view.legend)
    return fitted(f"{marker('comparison')}\n### wirespeed: {title}", sections, foot, ELSEWHERE)


def _verdict(verdict: VerdictView) -> str:
    outcome = prose("".join(piece.text for piece in verdict.outcome))
    beside = [prose(part) for part in verdict.beside]
    others = [item(prose(other)) for other in verdict.others]
    differences = [item(code(difference)) for difference in verdict.differences]
    return item(separated([code(verdict.arm), f"**{outcome}**", *beside]), *others, *differences)


def _figures(view: ComparisonView) -> Section:
    rows = [(code(line.name), *map(prose, line.cells)) for line in view.rows]
    return table("arm", ("arm", *view.columns), rows)


FORMAT = Format(
    name="markdown",
    describes="Markdown for a comment of at most 65,536 characters, with a hidden marker to find it again",
    views={Advice: advice_markdown, Guard: guard_markdown, Comparison: comparison_markdown},
)
