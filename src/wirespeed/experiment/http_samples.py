"""What a turn of requests shows, as one sample. Pure."""

from __future__ import annotations

from collections import Counter
from statistics import median

import numpy as np

from wirespeed.http.recording import CENSORED, DUE, END, STATUS
from wirespeed.http.turns import TurnResult
from wirespeed.stats.histogram import IntArray

from .figures import Sample


def sample_of_run(turn: TurnResult, dropped: int, status: int, cpu_s: float | None) -> Sample:
    """The median latency of consecutive requests, without the first ``dropped``."""
    rows = turn.rows[dropped:]
    latencies_ns = _latencies_ns(rows[_counts(rows, status)])
    return Sample(
        time_ns=median(latencies_ns.tolist()) if latencies_ns.size else None,
        latencies_ns=latencies_ns,
        sent=turn.sent,
        answered=int(np.count_nonzero(turn.rows[:, STATUS] == status)),
        errors=_errors(turn, status),
        gave_up=turn.gave_up,
        cpu_s=cpu_s,
    )


def sample_of_slice(turn: TurnResult, connections: int, status: int, cpu_s: float | None) -> Sample:
    """The mean time per request while all connections were busy: the window's length over its answers.

    The window opens with the answer that makes one a connection: until then, caches are cold and connections
    not yet out of step. It closes when nothing more is sent. Latencies are those of requests that lie in it
    as a whole.
    """
    rows = turn.rows[np.argsort(turn.rows[:, END], kind="stable")]
    ends = rows[:, END]
    opens_ns = max(turn.full_from_ns, int(ends[connections - 1])) if len(rows) >= connections else 0
    is_inside = (ends > opens_ns) & (ends <= turn.full_until_ns) & (opens_ns > 0)
    answers = int(np.count_nonzero(is_inside & (rows[:, STATUS] == status)))
    window_ns = turn.full_until_ns - opens_ns if answers else 0
    return Sample(
        time_ns=window_ns / answers if answers else None,
        latencies_ns=_latencies_ns(rows[is_inside & (rows[:, DUE] >= opens_ns) & _counts(rows, status)]),
        sent=turn.sent,
        answered=int(np.count_nonzero(rows[:, STATUS] == status)),
        errors=_errors(turn, status),
        gave_up=turn.gave_up,
        cpu_s=cpu_s,
        answers_in_window=answers,
        window_ns=window_ns,
        generator_cpu=None if turn.health is None else turn.health.cpu,
        generator_lag_ns=None if turn.health is None else turn.health.lag.percentile_ns(0.5),
    )


def call_ns_of_run(turn: TurnResult, dropped: int) -> float | None:
    """About what a request takes, from a few; None where not enough were answered."""
    latencies_ns = _latencies_ns(turn.rows[dropped:])
    return median(latencies_ns.tolist()) if latencies_ns.size else None


def ns_per_request_of_run(turn: TurnResult, dropped: int) -> float | None:
    """The same under load: the time from one answer to the next."""
    ends = np.sort(turn.rows[:, END])[dropped:]
    return float(ends[-1] - ends[0]) / (len(ends) - 1) if len(ends) > 1 else None


def _latencies_ns(rows: IntArray) -> IntArray:
    latencies: IntArray = rows[:, END] - rows[:, DUE]
    return latencies


def _counts(rows: IntArray, status: int) -> IntArray:
    """Rows whose latency says something: answers as expected, and time-outs, which took even longer."""
    counts: IntArray = (rows[:, STATUS] == status) | (rows[:, STATUS] == CENSORED)
    return counts


def _errors(turn: TurnResult, status: int) -> Counter[str]:
    errors = Counter({failure.value: number for failure, number in turn.failures.items() if number})
    unexpected = turn.rows[(turn.rows[:, STATUS] != status) & (turn.rows[:, STATUS] != CENSORED), STATUS]
    errors.update(f"status {each}" for each in unexpected.tolist())
    return errors
