"""Little's law: connections, rate and mean latency cannot be chosen freely."""

from __future__ import annotations

from wirespeed.audit.load_law import Busy, busy
from wirespeed.audit.wording import grouped, seconds
from wirespeed.model.audit import Finding, ToolRun

from ._check import Check, Examined, Missing, NotApplicable, finder

NAME = "littles-law"
PAGE = """\
# littles-law: connections, rate and latency contradict each other

Where every connection sends its next request as soon as it has an answer, rate × mean latency is the number
of connections (Little's law: it asks nothing of the distribution). The three figures are counted apart, so
their disagreement shows that one of them is not what it seems.

**Formula**: L = answers / duration × mean latency, with what the rounding of the mean leaves open.

- **L above the connections** by more than 5 %: impossible. The mean is not one of these requests: samples
  were added (see *backfilled*), left over from reconnecting, or divided by the wrong number.
- **L below 80 % of the connections** (less another share for short runs, where the last answers of each
  connection weigh): connections stood still, and nobody timed that. The load generator was too slow,
  requests ended in errors, or the slowest were left out.

**Severity**: misleading above; doubtful below, and a note where a rate may have been set, which leaves
connections idle on purpose.

**What to do**: run again with fewer connections or a second machine for the load, until L agrees. For open
loops the check does not apply; wrk2's L above its connections is the sign of *rate-not-reached*.
"""
TOO_MANY, TOO_FEW = 1.05, 0.8
_found = finder(NAME)


def examine(run: ToolRun) -> Examined:
    if run.open_loop:
        return NotApplicable()
    if run.connections is None:
        return Missing("how many connections there were")
    implied = busy(run)
    if isinstance(implied, str):
        return Missing(implied)
    if implied.low > TOO_MANY * run.connections:
        # What makes it so in wrk is known, and a check of its own.
        return NotApplicable() if run.tool == "wrk" else [_too_many(run, implied, run.connections)]
    if implied.high < _least(run, run.connections):
        return [_too_few(run, implied, run.connections)]
    return []


def _least(run: ToolRun, connections: int) -> float:
    """With k requests a connection, up to one in k is missing at the end."""
    each = max((run.answered or 0) / connections, 1.0)
    return connections * max(TOO_FEW - 1 / each, 0.0)


def _too_many(run: ToolRun, implied: Busy, connections: int) -> Finding:
    return _found(
        "misleading",
        f"The rate and a mean of {seconds(run.latency.mean_s or 0)} keep {implied.middle:,.1f} requests "
        f"under way, but there are only {grouped(connections)} connections: the mean is not that of "
        "these requests.",
        "Do not quote the latencies of this run.",
        implied=implied.middle,
        connections=connections,
    )


def _too_few(run: ToolRun, implied: Busy, connections: int) -> Finding:
    return _found(
        "note" if run.open_loop is None else "doubtful",
        f"The rate and a mean of {seconds(run.latency.mean_s or 0)} keep {implied.middle:,.1f} of "
        f"{grouped(connections)} connections busy: the others waited for something that no figure shows"
        f"{' (or a rate was set)' if run.open_loop is None else ''}.",
        "Look for errors and time-outs, then for a load generator that is too slow: fewer connections, or "
        "another machine for it.",
        implied=implied.middle,
        connections=connections,
    )


CHECK = Check(NAME, "Do connections, rate and latency agree?", PAGE, examine)
