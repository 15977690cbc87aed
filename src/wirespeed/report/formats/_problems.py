"""What a document objects to, one value for each: what SARIF, GitLab and annotations are made from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from wirespeed.model.advice import Advice, Endpoint
from wirespeed.report.checks import failing_arms
from wirespeed.report.endpoints import endpoint_name, full_view
from wirespeed.report.text import clean, listed
from wirespeed.report.tree import ArmView, FindingView

from ._format import Setting
from ._place import Place

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Problem:
    rule: str
    level: Level
    title: str
    """What it is about, in a few words: an endpoint, or the whole."""
    message: str
    """One line."""
    place: Place | None
    identity: str
    """What makes it the same problem tomorrow: the rule and the request, and never a line or a figure."""

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.identity.encode("utf-8", errors="replace")).hexdigest()


def identity_of(rule: str, request: str) -> str:
    """Cleaned, so that a document and its record, which hides secrets, have the same."""
    return f"{rule} {clean(request)}"


def advice_problems(advice: Advice, setting: Setting) -> Iterator[Problem]:
    """Every finding that no comment ignores, as ``endpoint_problems`` says."""
    for endpoint in advice.endpoints:
        yield from endpoint_problems(endpoint, advice.plan.margin, setting)


def endpoint_problems(endpoint: Endpoint, margin: float, setting: Setting) -> Iterator[Problem]:
    """A warning where a remedy is recommended, an error where that fails a check, a note elsewhere."""
    for code, findings in _by_code(endpoint, margin).items():
        yield Problem(
            rule=code,
            level=_level(endpoint, code, setting),
            title=endpoint_name(endpoint),
            message=_message(endpoint, findings),
            place=setting.checkout.place(endpoint.source),
            identity=identity_of(code, endpoint.request),
        )


def _by_code(endpoint: Endpoint, margin: float) -> dict[str, list[FindingView]]:
    grouped: dict[str, list[FindingView]] = {}
    for finding in full_view(endpoint, margin, every_line=True).findings:
        grouped.setdefault(finding.code, []).append(finding)
    return grouped


def _level(endpoint: Endpoint, code: str, setting: Setting) -> Level:
    """What the baseline knows is a note, whatever would cure it."""
    if setting.failing and any(clean(arm.code) == code for arm in failing_arms(endpoint, setting.failing)):
        return "error"
    known = any(finding.known for finding in endpoint.findings if clean(finding.code) == code)
    recommended = any(arm.recommended for arm in endpoint.arms if clean(arm.code) == code)
    return "warning" if recommended and not known else "note"


def _message(endpoint: Endpoint, findings: Sequence[FindingView]) -> str:
    """``GET /users: no response type …; -> list[User]: 339 µs, 18.6× faster, identical bytes``."""
    parts: list[str] = []
    for finding in findings:
        by_hand = f"by hand: {finding.advice}" if finding.advice else ""
        parts += [finding.problem, finding.evidence, by_hand]
        parts += [_told(arm) for arm in finding.arms if arm.recommended]
    return f"{endpoint_name(endpoint)}: {'; '.join(filter(None, parts)) or 'see the report'}"


def _told(arm: ArmView) -> str:
    gain = " ".join(filter(None, [arm.outcome.text, arm.interval]))
    parts = [arm.time, gain, *(remark.text for remark in arm.remarks)]
    return f"{arm.name}: {listed(filter(None, parts))}"
