"""The ``wirespeed/audit/1`` document: what the output of other load tools says, and what it supports."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import AwareDatetime

from ._base import Document

FORMAT: Final = "wirespeed/audit/1"

Severity = Literal["misleading", "doubtful", "note"]
"""Misleading: who quotes the headline says something that the output itself contradicts. Doubtful: a figure
that cannot carry a conclusion. Note: sound, if read rightly."""


class Asked(Document):
    """What the tool was told to do; null where neither its output nor its command says."""

    requests: int | None = None
    connections: int | None = None
    rate_per_s: float | None = None
    timeout_s: float | None = None
    ignored: tuple[str, ...] = ()
    """Words of the command that the tool did not read, because they stand after the URL."""


class Percentile(Document):
    share: float
    """Fraction of the times that are at most ``value_s``."""
    value_s: float


class LatencyFigures(Document):
    """Times of answers as the tool reports them, in seconds; null where it does not."""

    min_s: float | None = None
    mean_s: float | None = None
    max_s: float | None = None
    percentiles: tuple[Percentile, ...] = ()
    samples: int | None = None
    """How many times the figures are made of."""
    resolution_s: float = 0.0
    """The step that ``mean_s`` is rounded or cut to."""
    of: Literal["answers", "2xx answers", "all requests"] | None = None
    """What is timed: ``all requests`` includes those that failed."""


class ToolRun(Document):
    """One run of a load tool, in one vocabulary for all tools. Null is: the output does not say."""

    tool: str
    layout: str
    """Which of the tool's outputs this is."""
    version: str | None = None
    target: str | None = None
    asked: Asked = Asked()
    threads: int | None = None
    connections: int | None = None
    """How many requests can be under way at once."""
    open_loop: bool | None = None
    """True where requests are sent by a schedule, false where each connection waits for its answer."""
    duration_s: float | None = None
    requests_per_s: float | None = None
    """The rate that the tool puts forward."""
    answered: int | None = None
    """Whole answers, of whatever status."""
    sent: int | None = None
    statuses: dict[str, int] | None = None
    refused: int | None = None
    """Answers that say no: status 400 and above where the statuses are told, else what the tool counts."""
    unanswered: dict[str, int] | None = None
    """Requests that got no whole answer, by kind, in the tool's words."""
    in_flight: int | None = None
    """Requests that were under way when the run ended."""
    timeouts: int | None = None
    """Of the unanswered, those that ran into the tool's time-out."""
    late: int | None = None
    """Answers after the tool's time-out: counted as answers, without a time."""
    failed: int | None = None
    """Requests that failed, where the tool does not tell refusals from missing answers."""
    overdue: int | None = None
    """How often a connection was found waiting for longer than the time-out; answers may have come later."""
    dropped: int | None = None
    """Requests that fell due and were never sent."""
    odd_lengths: int | None = None
    """Answers whose length differs from the first one's, where the tool calls that a failure."""
    timeout_s: float | None = None
    """The tool's time-out: what it was told, else its default."""
    per_thread_per_s: float | None = None
    per_request_s: float | None = None
    """One divided by the rate, where the tool prints that as a time of its own."""
    latency: LatencyFigures = LatencyFigures()


class Finding(Document):
    check: str
    """Name of the check; ``wirespeed audit --explain CHECK`` prints its page."""
    severity: Severity
    problem: str
    """What is wrong, with its figures, in one or two sentences."""
    figures: dict[str, float | None]
    """The figures it rests on, unrounded."""
    advice: str
    """What to do about it."""


class CannotTell(Document):
    """A check that the output does not allow."""

    check: str
    missing: str
    """What the output does not say."""


class AuditedFile(Document):
    name: str
    group: str
    """Files of one group are repeats of each other."""
    run: ToolRun
    findings: tuple[Finding, ...]
    cannot_tell: tuple[CannotTell, ...]
    passed: tuple[str, ...]
    """Checks that apply and found nothing."""


class Repeats(Document):
    """The headline rates of the files of one group."""

    group: str
    tool: str
    rates_per_s: tuple[float, ...]
    mean_per_s: float
    spread: float | None
    """(highest - lowest) / mean, as a fraction; null for a single file and for copies of one."""


class Difference(Document):
    """The rate of a group in relation to that of the first group of the same tool."""

    group: str
    baseline: str
    gain: float
    """Ratio of the mean rates less one, as a fraction."""
    interval: tuple[float, float] | None
    """Of ``gain``; all of them hold at once in 95 % of such audits. Null where a group has a single file."""
    verdict: Literal["exceeds the spread", "within the spread", "cannot tell"]


class Audit(Document):
    format: Literal["wirespeed/audit/1"] = FORMAT
    created: AwareDatetime
    wirespeed: str
    files: tuple[AuditedFile, ...]
    groups: tuple[Repeats, ...] = ()
    """Only where there are several files."""
    differences: tuple[Difference, ...] = ()
    findings: tuple[Finding, ...] = ()
    """About the files together."""
