"""A maximum that the tool's own time-out made."""

from __future__ import annotations

from wirespeed.audit.wording import grouped, percentile, seconds, timeout
from wirespeed.model.audit import Finding, ToolRun

from ._check import Check, Examined, Missing, finder

NAME = "censored-maximum"
PAGE = """\
# censored-maximum: the slowest answer is slower than the maximum

Who gives up after two seconds sees no answer of three. The maximum is then a lower bound, and so is every
percentile that would lie among the requests given up: with 2 % time-outs, p98 and above are unknown.

**Formula**: time-outs > 0, and these are not among the times; percentiles above 1 - time-outs / requests
are bounds. Where failures are timed (k6, vegeta): a maximum within 1 % of the time-out.

**Severity**: misleading where a printed percentile is affected or the maximum lies below the time-out that
was passed; doubtful where failures are timed.

**What to do**: write "at least" before the maximum, or raise the time-out beyond the slowest answer.
"""
NEAR = 0.99
_found = finder(NAME)


def examine(run: ToolRun) -> Examined:
    highest_s = run.latency.max_s
    if highest_s is None:
        return Missing("the maximum")
    if run.latency.of == "all requests":
        return _at_the_timeout(run, highest_s)
    cut = run.late if run.late is not None else run.timeouts
    if cut is None and not run.overdue:
        return [] if run.overdue == 0 else Missing("how many requests timed out")
    return [_given_up(run, highest_s, cut)] if cut else []


def _given_up(run: ToolRun, highest_s: float, cut: int) -> Finding:
    requests = (run.answered or 0) + sum((run.unanswered or {}).values())
    affected = [
        percentile(p.share) for p in run.latency.percentiles if p.share > 1 - cut / max(requests, cut)
    ]
    what = "requests were given up at" if run.late is None else "answers came after"
    at = timeout(run.asked.timeout_s, run.timeout_s)
    bounds = f", and so {'are' if len(affected) > 1 else 'is'} {', '.join(affected)}" if affected else ""
    return _found(
        "misleading",
        f"{grouped(cut)} {what} {at} and have no time, so the maximum of "
        f"{seconds(highest_s)} is only a lower bound{bounds}.",
        "Write “at least” before it, or raise the time-out beyond the slowest answer.",
        maximum_s=highest_s,
        given_up=cut,
        timeout_s=run.timeout_s,
    )


def _at_the_timeout(run: ToolRun, highest_s: float) -> list[Finding]:
    if run.timeout_s is None or not NEAR <= highest_s / run.timeout_s <= 1 + (1 - NEAR):
        return []
    return [
        _found(
            "doubtful",
            f"The maximum of {seconds(highest_s)} lies at {timeout(run.asked.timeout_s, run.timeout_s)}: how "
            "long those requests would have taken is unknown.",
            "Write “at least” before it.",
            maximum_s=highest_s,
            timeout_s=run.timeout_s,
        )
    ]


CHECK = Check(NAME, "Is the maximum the slowest answer, or the time-out?", PAGE, examine)
