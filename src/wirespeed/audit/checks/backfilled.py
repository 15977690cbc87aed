"""Latency samples that were no requests."""

from __future__ import annotations

from wirespeed.audit.load_law import busy
from wirespeed.audit.wording import grouped, percentile, seconds
from wirespeed.model.audit import Finding, ToolRun

from ._check import Check, Examined, Missing, NotApplicable, finder

NAME = "backfilled"
PAGE = """\
# backfilled: latency samples that were no requests

A closed loop sends nothing while it waits, so a stall of one second is one slow request, not the hundred
that would have come. Some tools correct for this by adding the hundred: samples between the slow answer's
time and zero, at the interval that they expected. What was measured and what was made up cannot be told
apart afterwards.

- **wrk** adds samples for every answer that took more than twice the mean interval of a connection
  (connections / rate), and prints mean, deviation and percentiles of the mixture. It says so nowhere.
- **autocannon** does with `-R`, unless `--ignoreCoordinatedOmission` is given, and takes one millisecond
  for the expected interval whatever the rate: an answer of 200 ms becomes 199 samples or so.
- **wrk2** and vegeta add nothing: they send by a schedule.

**Formula**: samples > answers, where the output has both. For wrk: L = rate × mean (see *littles-law*)
above the connections by more than 5 %, which real samples cannot reach.

**Severity**: misleading, with either. A note where only some of wrk's high percentiles rest on such
samples: those above twice connections / rate.

**What to do**: quote neither mean nor percentiles of such a run; for the latency at a rate use a tool that
sends by a schedule: `wirespeed load --rate`, wrk2, vegeta, oha with `--latency-correction`.
"""
TOO_MANY = 1.05
_found = finder(NAME)
_ADVICE = "Measure latency with a tool that sends by a schedule: wirespeed load --rate, wrk2, vegeta."


def examine(run: ToolRun) -> Examined:
    if run.tool == "wrk":
        return _of_wrk(run)
    samples = run.latency.samples
    requests = run.sent if run.latency.of == "all requests" else run.answered
    if samples is None or requests is None:
        return (
            Missing("how many samples the latencies are made of") if run.tool != "wrk2" else NotApplicable()
        )
    return [_more_than_requests(samples, requests)] if samples > requests else []


def _more_than_requests(samples: int, requests: int) -> Finding:
    return _found(
        "misleading",
        f"The latencies are made of {grouped(samples)} samples, but only {grouped(requests)} requests were "
        f"answered: {grouped(samples - requests)} samples were made up to correct for coordinated omission.",
        _ADVICE,
        samples=samples,
        requests=requests,
    )


def _of_wrk(run: ToolRun) -> Examined:
    implied = busy(run)
    if isinstance(implied, str):
        return Missing(implied)
    if not run.connections:
        return Missing("how many connections there were")
    if implied.low > TOO_MANY * run.connections:
        return [
            _found(
                "misleading",
                f"The mean of {seconds(run.latency.mean_s or 0)} would keep {implied.middle:,.1f} requests "
                f"under way on {grouped(run.connections)} connections: wrk made up samples after slow "
                "answers, and they weigh more than the real ones.",
                _ADVICE,
                implied=implied.middle,
                connections=run.connections,
            )
        ]
    return _high_percentiles(run, run.connections)


def _high_percentiles(run: ToolRun, connections: int) -> list[Finding]:
    if not run.requests_per_s:
        return []
    interval_s = connections / run.requests_per_s
    mixed = [percentile(p.share) for p in run.latency.percentiles if p.value_s > 2 * interval_s]
    if not mixed:
        return []
    return [
        _found(
            "note",
            f"{', '.join(mixed)} {'rest' if len(mixed) > 1 else 'rests'} in part on samples that wrk makes "
            f"up after answers of more than {seconds(2 * interval_s)}.",
            _ADVICE,
            expected_interval_s=interval_s,
        )
    ]


CHECK = Check(NAME, "Is every latency sample a request?", PAGE, examine)
