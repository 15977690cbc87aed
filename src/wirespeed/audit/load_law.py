"""Little's law: requests under way = rate × mean time, whatever the server does.

Lives here: how many requests the figures of a run imply, with what their rounding leaves open. Which of them
are too many or too few is for the checks.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.model.audit import ToolRun


@dataclass(frozen=True, slots=True)
class Busy:
    """Requests under way at a time, in the mean, as rate and latency imply them."""

    low: float
    middle: float
    high: float


def busy(run: ToolRun) -> Busy | str:
    """The implied number, or what the output does not say."""
    timed = run.sent if run.latency.of == "all requests" else run.answered
    if run.latency.mean_s is None:
        return "the mean latency"
    if not timed or not run.duration_s:
        return "how many requests were answered in how long"
    per_s, mean_s, step_s = timed / run.duration_s, run.latency.mean_s, run.latency.resolution_s
    return Busy(per_s * max(mean_s - step_s, 0.0), per_s * mean_s, per_s * (mean_s + step_s))
