"""Findings that a baseline knows: marked in the document, and what became of the others. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirespeed.model.advice import Advice, Endpoint, Finding
from wirespeed.model.baseline import Baseline, KnownFinding

from .selecting import is_asked

NAMES_AT_MOST = 5
_UNDIAGNOSED = ("failed", "unsafe")


def baseline_of(advice: Advice) -> Baseline:
    """Everything that was found and no comment ignores; sorted, each once."""
    found = {
        (each.code, endpoint.method, endpoint.path, file_of(endpoint) or "")
        for endpoint in advice.endpoints
        for each in endpoint.findings
        if each.ignored is None
    }
    return Baseline(
        findings=tuple(
            KnownFinding(rule=rule, method=method, path=path, file=file or None)
            for rule, method, path, file in sorted(found)
        )
    )


def marked(
    advice: Advice, baseline: Baseline, *, rules: tuple[str, ...], ignored_rules: tuple[str, ...]
) -> Advice:
    """The document with its known findings marked, and a note on those of the baseline that are gone.

    ``rules`` and ``ignored_rules`` as in the plan: of rules that were not asked nothing is gone.
    """
    known = set(baseline.findings)
    endpoints = tuple(_marked(endpoint, known) for endpoint in advice.endpoints)
    gone = [
        each for each in _gone(advice, baseline) if is_asked(each.rule, select=rules, ignore=ignored_rules)
    ]
    notes = (*advice.notes, *_note(gone))
    return advice.model_copy(update={"endpoints": endpoints, "notes": notes})


def file_of(endpoint: Endpoint) -> str | None:
    return endpoint.source.rpartition(":")[0] if endpoint.source else None


def _key(endpoint: Endpoint, code: str) -> KnownFinding:
    return KnownFinding(rule=code, method=endpoint.method, path=endpoint.path, file=file_of(endpoint))


def _marked(endpoint: Endpoint, known: set[KnownFinding]) -> Endpoint:
    def mark(finding: Finding) -> Finding:
        is_known = finding.ignored is None and _key(endpoint, finding.code) in known
        return finding.model_copy(update={"known": True}) if is_known else finding

    return endpoint.model_copy(update={"findings": tuple(map(mark, endpoint.findings))})


def _gone(advice: Advice, baseline: Baseline) -> Iterator[KnownFinding]:
    """Of endpoints that were looked at, or are no more. An endpoint that failed may have it still."""
    found = {_key(endpoint, each.code) for endpoint in advice.endpoints for each in endpoint.findings}
    unseen = {(each.method, each.path) for each in advice.skipped}
    unseen |= {(each.method, each.path) for each in advice.endpoints if each.conclusion in _UNDIAGNOSED}
    for each in baseline.findings:
        if each not in found and (each.method, each.path) not in unseen:
            yield each


def _note(gone: Iterable[KnownFinding]) -> Iterator[str]:
    names = [each.name for each in gone]
    if not names:
        return
    more = f" and {len(names) - NAMES_AT_MOST} more" if len(names) > NAMES_AT_MOST else ""
    listed = ", ".join(names[:NAMES_AT_MOST])
    yield f"no longer found, though the baseline has it: {listed}{more}; --write-baseline writes it anew"
