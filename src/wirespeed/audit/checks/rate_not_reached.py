"""Less load than was asked for."""

from __future__ import annotations

from wirespeed.audit.load_law import busy
from wirespeed.audit.wording import grouped, rate, share
from wirespeed.model.audit import Finding, ToolRun

from ._check import Check, Examined, Missing, NotApplicable, finder

NAME = "rate-not-reached"
PAGE = """\
# rate-not-reached: less load than was asked for

Latency "at 2,000 requests a second" is that only if 2,000 a second were sent. A generator that falls behind
sends less, and says so in a figure elsewhere, or not at all.

**Formula**: rate reached / rate asked for < 95 %, where the command above the output or `--rate` says what
was asked. k6: dropped iterations > 0. wrk2 does not print its rate, but its latency counts from the moment
a request was due: where rate × mean is above the number of connections by more than 10 %, requests were
waiting for a free connection.

**Severity**: misleading where 5 % or more is missing (k6: 1 % dropped); doubtful below, and for wrk2's
sign.

**What to do**: more connections, threads or virtual users; a lower rate; or call it what it is, an
overload.
"""
REACHED, WAITING = 0.95, 1.1
DROPPED_FROM = 0.01
_found = finder(NAME)
_ADVICE = "Give the tool more connections or a lower rate, or quote the rate that was reached."


def examine(run: ToolRun) -> Examined:
    findings = [*_asked(run), *_dropped(run), *_waiting(run)]
    if findings:
        return findings
    if run.asked.rate_per_s is not None or run.dropped is not None:
        return []
    if run.open_loop:
        return Missing("the rate that was asked for")
    return NotApplicable()


def _asked(run: ToolRun) -> list[Finding]:
    asked, reached = run.asked.rate_per_s, run.requests_per_s
    if not asked or reached is None or reached >= REACHED * asked:
        return []
    return [
        _found(
            "misleading",
            f"{rate(asked)} were asked for, {rate(reached)} were reached ({share(reached / asked)}).",
            _ADVICE,
            asked_per_s=asked,
            reached_per_s=reached,
        )
    ]


def _dropped(run: ToolRun) -> list[Finding]:
    if not run.dropped:
        return []
    due = run.dropped + (run.sent or 0)
    return [
        _found(
            "misleading" if run.dropped >= DROPPED_FROM * due else "doubtful",
            f"{grouped(run.dropped)} iterations were dropped: they fell due and never ran.",
            _ADVICE,
            dropped=run.dropped,
            sent=run.sent,
        )
    ]


def _waiting(run: ToolRun) -> list[Finding]:
    implied = busy(run)
    if run.tool != "wrk2" or isinstance(implied, str) or not run.connections:
        return []
    if implied.low <= WAITING * run.connections:
        return []
    return [
        _found(
            "doubtful",
            f"{implied.middle:,.0f} requests were due at a time, in the mean, for "
            f"{grouped(run.connections)} connections: requests waited to be sent, so the rate that was "
            "asked for was not reached.",
            _ADVICE,
            implied=implied.middle,
            connections=run.connections,
        )
    ]


CHECK = Check(NAME, "Was the load that was asked for sent?", PAGE, examine)
