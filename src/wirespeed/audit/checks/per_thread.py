"""Figures that look like totals, or like latencies, and are neither."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.audit.wording import rate, seconds
from wirespeed.model.audit import Finding, ToolRun

from ._check import Check, Examined, NotApplicable, finder

NAME = "per-thread"
PAGE = """\
# per-thread: figures that look like something else

- **wrk, wrk2**: `Req/Sec` in the first table is the rate of *one thread*; the total is `Requests/sec` at
  the bottom. With 20 threads they differ by a factor of 20.
- **ab**: the second `Time per request` ("mean, across all concurrent requests") is one divided by the rate.
  No request took that long; the latency is in the table below it.

**Formula**: none. The figure is pointed out wherever more than one thread, or more than one connection,
makes it differ.

**Severity**: a note.

**What to do**: quote `Requests/sec`, and the latencies from the table.
"""
_found = finder(NAME)


def examine(run: ToolRun) -> Examined:
    if run.per_thread_per_s is None and run.per_request_s is None:
        return NotApplicable()
    return [*_threads(run), *_across_all(run)]


def _threads(run: ToolRun) -> Iterator[Finding]:
    if (
        run.per_thread_per_s is not None
        and run.threads is not None
        and run.threads > 1
        and run.requests_per_s
    ):
        yield _found(
            "note",
            f"Req/Sec {run.per_thread_per_s:,.2f} is the rate of one of {run.threads} threads; all together "
            f"made {rate(run.requests_per_s)}.",
            "Quote Requests/sec.",
            per_thread_per_s=run.per_thread_per_s,
            threads=run.threads,
            requests_per_s=run.requests_per_s,
        )


def _across_all(run: ToolRun) -> Iterator[Finding]:
    if run.per_request_s is not None and run.connections is not None and run.connections > 1:
        yield _found(
            "note",
            f"Time per request {seconds(run.per_request_s)} “across all concurrent requests” is one divided "
            "by the rate; no request took that long.",
            "Quote the mean and the percentiles from the table.",
            per_request_s=run.per_request_s,
        )


CHECK = Check(NAME, "Does a figure look like a total that it is not?", PAGE, examine)
