"""Percentiles that rest on a handful of answers."""

from __future__ import annotations

import math

from wirespeed.audit.wording import grouped, percentile
from wirespeed.model.audit import Percentile, ToolRun

from ._check import Check, Examined, Missing, NotApplicable, finder

NAME = "few-samples"
PAGE = """\
# few-samples: percentiles from too few samples

Above the 99th percentile of 200 answers lie two. A percentile needs ten samples beyond it before it says
more of the server than of chance; tools print their whole list all the same.

**Formula**: samples < 10 / (1 - p). Added samples (see *backfilled*) do not count: at most as many as there
are answers.

**Severity**: doubtful where p99 or lower is affected; a note where only higher ones are, which some tools
always print.

**What to do**: leave those percentiles out, or take more answers: 1,000 for p99, 10,000 for p99.9, 100,000
for p99.99.
"""
NEEDED_BEYOND = 10
QUOTED_UP_TO = 0.99
_found = finder(NAME)


def examine(run: ToolRun) -> Examined:
    if not run.latency.percentiles:
        return NotApplicable()
    samples = _real_samples(run)
    if samples is None:
        return Missing("how many samples the percentiles are made of")
    weak = [p for p in run.latency.percentiles if p.share >= 0.5 and samples < _needed(p)]
    if not weak:
        return []
    names = ", ".join(percentile(p.share) for p in weak)
    most = max(map(_needed, weak))
    return [
        _found(
            "doubtful" if weak[0].share <= QUOTED_UP_TO else "note",
            f"{names}: {grouped(samples)} answers are too few; {percentile(weak[-1].share)} needs "
            f"{grouped(most)}.",
            "Leave them out, or take more answers.",
            samples=samples,
            needed=most,
        )
    ]


def _real_samples(run: ToolRun) -> int | None:
    counted = [number for number in (run.latency.samples, run.answered) if number is not None]
    return min(counted) - (run.late or 0) if counted else None


def _needed(p: Percentile) -> int:
    # Rounded first: 1 - 0.99 is a little less than 0.01.
    return math.ceil(round(NEEDED_BEYOND / (1 - p.share), 6))


CHECK = Check(NAME, "Are there enough samples for the percentiles?", PAGE, examine)
