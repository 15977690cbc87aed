"""Service level objectives, such as ``p99<50ms``: what they ask, and whether a run meets them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.errors import UsageError
from wirespeed.http.outcomes import Tally

MAX_FAILED = 0.001
"""Share of requests that may fail or be turned away: otherwise a server would meet any objective by refusing.
"""
_UNITS_NS = {"us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
_TURNED_AWAY = 429


@dataclass(frozen=True, slots=True)
class Objective:
    """``share`` of all requests take at most ``limit_ns``, from the moment they are due."""

    text: str
    share: float
    limit_ns: float

    @property
    def samples(self) -> int:
        """How many requests it takes to tell."""
        return round(10 / (1 - self.share))


@dataclass(frozen=True, slots=True)
class Finding:
    met: bool
    value_ns: int | None
    reason: str | None
    """Why it was not met."""


def parse_objective(text: str) -> Objective:
    """``p50<5ms``, ``p99.9 <= 0.2s``. Raises ``UsageError``."""
    match = re.fullmatch(r"p(\d{1,2}(?:\.\d+)?)\s*<=?\s*(\d+(?:\.\d*)?|\.\d+)\s*(us|µs|ms|s)", text.strip())
    if match is None or float(match[1]) == 0 or float(match[2]) == 0:
        raise UsageError(
            f"--slo {text!r} is not an objective", advice="Write a percentile and a time: --slo 'p99<50ms'."
        )
    return Objective(text.strip(), float(match[1]) / 100, float(match[2]) * _UNITS_NS[match[3]])


def judge(tally: Tally, objective: Objective) -> Finding:
    """Whether a run meets an objective. What cannot be told is not met."""
    histogram = tally.response.histogram
    failed = tally.failed + sum(number for status, number in tally.status.items() if _is_refusal(status))
    if failed > MAX_FAILED * max(1, tally.sent):
        return Finding(False, None, f"{failed} of {tally.sent} requests failed or were turned away")
    value_ns = histogram.percentile_ns(objective.share)
    if value_ns is None or not histogram.supports(objective.share):
        return Finding(
            False, None, f"{histogram.total} requests are too few to tell: it takes {objective.samples}"
        )
    if tally.response.is_lower_bound(value_ns) and value_ns <= objective.limit_ns:
        return Finding(
            False, value_ns, f"{tally.in_flight + tally.unsent} requests had no answer when the run ended"
        )
    if value_ns > objective.limit_ns:
        return Finding(False, value_ns, f"it was {value_ns / 1e6:.3g} ms")
    return Finding(True, value_ns, None)


def _is_refusal(status: int) -> bool:
    return status >= 500 or status == _TURNED_AWAY
