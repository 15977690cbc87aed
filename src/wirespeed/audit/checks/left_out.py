"""Answers without a time, and failures with one."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.audit.wording import grouped, share, timeout
from wirespeed.model.audit import Finding, ToolRun

from ._check import Check, Examined, Missing, finder

NAME = "left-out"
PAGE = """\
# left-out: the latency figures are of other requests than the rate

- **wrk** counts answers that come after its time-out (2 s unless `--timeout` says otherwise), but times
  none of them: the slowest are missing from mean, percentiles and maximum.
- **wrk2** times nothing in its first ten seconds.
- **hey** keeps a million answers at most.
- **k6** and **vegeta** do the opposite: requests that failed are timed like answers. A refused connection
  takes no time at all and pulls the mean down, a time-out pushes it up.

**Formula**: answers - times, where the output has both; else the answers that the tool itself calls late.

**Severity**: misleading where the slowest are missing or failures make up 1 % of the times; doubtful for
other answers, where 1 % or more is missing; a note for wrk2's calibration.

**What to do**: raise the time-out beyond the slowest answer (`wrk --timeout 30s`); take k6's
`http_req_duration{expected_response:true}`; run wrk2 for a minute or more.
"""
MATTERS_FROM = 0.01
_found = finder(NAME)


def examine(run: ToolRun) -> Examined:
    if run.late is None and run.latency.samples is None:
        return Missing("how many answers the latencies are made of")
    return [*_late(run), *_untimed(run), *_failures_timed(run)]


def _late(run: ToolRun) -> Iterator[Finding]:
    if run.late:
        yield _found(
            "misleading",
            f"{grouped(run.late)} answers came after {timeout(run.asked.timeout_s, run.timeout_s)}: they "
            "count in the rate, but mean, percentiles and maximum leave them out, and they are the slowest.",
            "Raise the time-out beyond the slowest answer, and measure again.",
            late=run.late,
            answered=run.answered,
        )


def _untimed(run: ToolRun) -> Iterator[Finding]:
    samples, answered = run.latency.samples, run.answered
    if samples is None or answered is None or samples >= answered:
        return
    missing = answered - samples
    calibrating = run.tool == "wrk2"
    matters = missing >= MATTERS_FROM * answered and not calibrating
    yield _found(
        "doubtful" if matters else "note",
        f"{grouped(missing)} of {grouped(answered)} answers ({share(missing / answered)}) have no time"
        f"{': wrk2 calibrates at first' if calibrating else ''}.",
        "Run longer, so that it does not matter."
        if calibrating
        else "Find out which answers were not timed.",
        untimed=missing,
        answered=answered,
    )


def _failures_timed(run: ToolRun) -> Iterator[Finding]:
    failures = run.failed if run.failed is not None else sum((run.unanswered or {}).values())
    if run.latency.of == "all requests" and failures and run.sent:
        yield _found(
            "misleading" if failures >= MATTERS_FROM * run.sent else "doubtful",
            f"{grouped(failures)} requests that failed are timed like answers: refused ones make the figures "
            "better, time-outs worse.",
            "Take the times of the good answers alone.",
            failures=failures,
            timed=run.latency.samples,
        )


CHECK = Check(NAME, "Are the latencies those of the requests that the rate counts?", PAGE, examine)
