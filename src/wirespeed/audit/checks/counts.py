"""Counts that must agree: asked and done, statuses and answers, rate times duration and answers."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.audit.wording import grouped, rate, seconds
from wirespeed.model.audit import Finding, ToolRun

from ._check import Check, Examined, Missing, finder

NAME = "counts"
PAGE = """\
# counts: counts that do not add up

**Formulas**, each where the output has its parts:

- requests asked for = answers + requests without an answer. hey rounds the number down to a multiple of its
  connections.
- sum of the statuses = answers.
- headline rate × duration = answers, or answers and failures where the tool's rate counts those. Tolerated:
  3 %.
- requests sent = answers + requests without an answer + at most one for each connection that was under way.

**Severity**: misleading where more than 1 % is missing, doubtful below; of rate and duration, doubtful.

**What to do**: trust the counts rather than the rate, and look for what the tool did with the rest: options
that it did not read, a limit on what it keeps (hey stops keeping answers at a million), requests dropped at
the end.
"""
RATE_TOLERANCE = 0.03
MATTERS_FROM = 0.01
_found = finder(NAME)


def examine(run: ToolRun) -> Examined:
    attempts = _attempts(run)
    if attempts is None:
        return Missing("how many requests were answered")
    return [*_asked(run, attempts), *_statuses(run), *_rate(run, attempts), *_sent(run, attempts)]


def _attempts(run: ToolRun) -> int | None:
    """Answers and failures; None where the tool does not count answers."""
    return run.sent if run.answered is None else run.answered + sum((run.unanswered or {}).values())


def _asked(run: ToolRun, attempts: int) -> Iterator[Finding]:
    asked = run.asked.requests
    if asked and asked != attempts:
        yield _found(
            "misleading" if abs(asked - attempts) > MATTERS_FROM * asked else "doubtful",
            f"{grouped(asked)} requests were asked for, {grouped(attempts)} ran.",
            "Look at the command: options after the URL are ignored, and hey rounds down to a multiple of "
            "its connections.",
            asked=asked,
            ran=attempts,
        )


def _statuses(run: ToolRun) -> Iterator[Finding]:
    if run.statuses and run.answered is not None and sum(run.statuses.values()) != run.answered:
        total = sum(run.statuses.values())
        yield _found(
            "doubtful",
            f"The statuses add up to {grouped(total)}, the answers to {grouped(run.answered)}.",
            "Take neither count for sure before the difference is explained.",
            statuses=total,
            answered=run.answered,
        )


def _rate(run: ToolRun, attempts: int) -> Iterator[Finding]:
    if run.requests_per_s is None or not run.duration_s:
        return
    expected = run.requests_per_s * run.duration_s
    answered = attempts if run.answered is None else run.answered
    candidates = {attempts, answered, answered - (run.refused or 0)}
    if all(abs(expected - number) > RATE_TOLERANCE * number + 1 for number in candidates):
        yield _found(
            "doubtful",
            f"{rate(run.requests_per_s)} for {seconds(run.duration_s)} makes "
            f"{grouped(round(expected))} requests, but {grouped(attempts)} are counted.",
            "Take the count and the duration, not the rate, until the difference is explained.",
            rate_times_duration=expected,
            counted=attempts,
        )


def _sent(run: ToolRun, attempts: int) -> Iterator[Finding]:
    if run.sent is None or run.answered is None or run.open_loop:
        return
    under_way = run.connections or 0
    missing = run.sent - attempts
    if missing > under_way + MATTERS_FROM * run.sent:
        yield _found(
            "misleading",
            f"{grouped(run.sent)} requests were sent, {grouped(attempts)} were answered or failed.",
            "Look for what became of the others.",
            sent=run.sent,
            accounted_for=attempts,
        )


CHECK = Check(NAME, "Do the counts add up?", PAGE, examine)
