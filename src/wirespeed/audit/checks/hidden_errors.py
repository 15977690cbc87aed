"""Errors, refusals and time-outs that the headline does not mention."""

from __future__ import annotations

from wirespeed.audit.wording import grouped, kinds, rate, share
from wirespeed.model.audit import Finding, ToolRun

from ._check import Check, Examined, Missing, finder

NAME = "hidden-errors"
PAGE = """\
# hidden-errors: failures that the headline does not mention

A rate and a mean say nothing of the requests that got no answer, or an answer that says no. Refusing is
fast: a server that fails a tenth of its requests can look better than one that answers them all. Every tool
prints errors below or away from its headline, and some count failures in the rate (hey, vegeta, k6).

**Formula**: failures = requests without an answer + answers with status 400 and above; share = failures /
(answers + requests without an answer). Redirects are not failures, but ab counts them with the refusals.

**Severity**: misleading from 1 % on, doubtful below. ab's *Length* failures are answers whose length
differs from the first one's: a note.

**What to do**: find out why they fail (server's log, its limits on connections, the backlog), lower the
load until nothing fails, and quote the share with every rate.
"""
MATTERS_FROM = 0.01
_found = finder(NAME)
_ADVICE = "Find out why they fail, or lower the load until none does; quote the share with every figure."


def examine(run: ToolRun) -> Examined:
    if run.failed is None and run.unanswered is None and run.refused is None:
        return Missing("how many requests failed")
    findings = [*_failures(run), *_overdue(run), *_odd_lengths(run)]
    if not findings and run.unanswered is None and run.failed is None:
        return Missing("how many requests got no answer")
    return findings


def _failures(run: ToolRun) -> list[Finding]:
    unanswered, refused = run.unanswered or {}, run.refused or 0
    without = sum(unanswered.values())
    failures = run.failed if run.failed is not None else without + refused
    attempts = (run.sent if run.failed is not None else (run.answered or 0) + without) or 0
    if not failures or not attempts:
        return []
    told = [kinds(unanswered)] if unanswered else []
    told += [f"{grouped(refused)} answers {_that_are(run)}"] if refused else []
    return [
        _found(
            "misleading" if failures >= MATTERS_FROM * attempts else "doubtful",
            f"{grouped(failures)} of {grouped(attempts)} requests failed ({share(failures / attempts)})"
            f"{': ' + '; '.join(told) if told else ''}.{_headline(run, failures)}",
            _ADVICE,
            failures=failures,
            attempts=attempts,
            share=failures / attempts,
            good_per_s=_good_per_s(run, failures, attempts),
        )
    ]


def _that_are(run: ToolRun) -> str:
    return "other than 2xx, which may be redirects" if run.tool == "ab" else "that say no"


def _headline(run: ToolRun, failures: int) -> str:
    """What is left of the rate, where the output says how long the run took."""
    without = sum((run.unanswered or {}).values())
    attempts = (run.sent if run.failed is not None else (run.answered or 0) + without) or 0
    good = _good_per_s(run, failures, attempts)
    if good is None or run.requests_per_s is None or good >= 0.999 * run.requests_per_s:
        return ""
    return f" The headline says {rate(run.requests_per_s)}; good answers came at {rate(good)}."


def _good_per_s(run: ToolRun, failures: int, attempts: int) -> float | None:
    return (attempts - failures) / run.duration_s if run.duration_s else None


def _overdue(run: ToolRun) -> list[Finding]:
    if not run.overdue:
        return []
    return [
        _found(
            "doubtful",
            f"{run.tool} found connections waiting beyond its time-out {grouped(run.overdue)} times; "
            "one slow answer counts several times.",
            "Look at the maximum, and at the server, for what made them wait.",
            overdue=run.overdue,
        )
    ]


def _odd_lengths(run: ToolRun) -> list[Finding]:
    if not run.odd_lengths:
        return []
    return [
        _found(
            "note",
            f"{grouped(run.odd_lengths)} answers count as failed only because their length differs from the "
            "first one's.",
            "Give ab the option -l where answers may differ in length.",
            odd_lengths=run.odd_lengths,
        )
    ]


CHECK = Check(NAME, "Do requests fail without the headline saying so?", PAGE, examine)
