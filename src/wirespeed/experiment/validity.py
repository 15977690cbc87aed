"""What makes a comparison invalid: reasons as sentences, from counts. Pure.

A comparison with any reason against it gives no verdict, whatever its times say: a server that fails fast
must never win.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from wirespeed.http.health import BUSY_CPU, LAG_NS, OWN_SHARE
from wirespeed.model.advice import Difference

from .figures import ArmRound

ERROR_STATUS = 400
SURELY_FAILING = 10
"""Errors from which on more rounds would not change that there are too many."""


@dataclass
class Counts:
    """Requests of one arm, of all rounds together."""

    sent: int = 0
    answered: int = 0
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> int:
        return self.errors.total()

    @property
    def kinds(self) -> str:
        """``3 × timeout, 1 × status 500``."""
        return ", ".join(f"{number} × {kind}" for kind, number in self.errors.most_common())


def counts_of(rounds: Iterable[ArmRound]) -> Counts:
    counts = Counts()
    for each in rounds:
        for sample in each.samples:
            counts.sent += sample.sent
            counts.answered += sample.answered
            counts.errors.update(sample.errors)
    return counts


def error_reasons(arm: str, counts: Counts, max_errors: float) -> Iterator[str]:
    """Too many errors, or requests that nobody can account for."""
    if counts.failed > counts.sent * max_errors:
        yield (
            f"{arm}: {counts.failed} of {counts.sent} requests failed, "
            f"more than --max-errors {max_errors:.1%} allows ({counts.kinds})"
        )
    missing = counts.sent - counts.answered - counts.failed
    if missing:
        yield f"{arm}: {counts.sent} requests were sent, but {counts.sent - missing} are accounted for"


def is_surely_failing(counts: Counts, max_errors: float) -> bool:
    """Whether to stop early. A few errors among few requests may still turn out to be rare."""
    return counts.failed >= SURELY_FAILING and counts.failed > counts.sent * max_errors


def status_reasons(arm: str, status: int) -> Iterator[str]:
    """An answer that is an error is not what anybody wants to be fast."""
    if status >= ERROR_STATUS:
        yield f"{arm}: it answers {status}, which is an error"


def difference_reasons(arm: str, baseline: str, found: Sequence[Difference]) -> Iterator[str]:
    """Arms that answer differently; without ``--allow-different`` that is no comparison of speed."""
    if found:
        first = found[0]
        more = f" and {len(found) - 1} more differences" if len(found) > 1 else ""
        yield (
            f"{arm} answers differently than {baseline}: "
            f"{first.at} is {_quoted(first.arm)}, not {_quoted(first.baseline)}{more}; "
            "--allow-different compares them all the same"
        )


def generator_reasons(arm: str, rounds: Sequence[ArmRound], p50_ns: float | None) -> Iterator[str]:
    """Whether the load generator, not the server, was what limited an arm under load."""
    trouble = generator_trouble(rounds, p50_ns)
    if trouble is not None:
        yield f"{arm}: {trouble}; use fewer connections, or --lens service"


def generator_trouble(rounds: Sequence[ArmRound], p50_ns: float | None) -> str | None:
    """In which way the load generator may have been what was measured; None where it was not."""
    samples = [sample for each in rounds for sample in each.samples]
    cpu = _median([sample.generator_cpu for sample in samples])
    lag_ns = _median([sample.generator_lag_ns for sample in samples])
    if cpu is not None and cpu >= BUSY_CPU:
        return f"the load generator used {cpu:.0%} of a core, and may have been the bottleneck"
    if lag_ns is not None and p50_ns is not None and lag_ns > max(LAG_NS, OWN_SHARE * p50_ns):
        return (
            f"the load generator was {lag_ns / 1e6:.1f} ms late in the median, which is part of every latency"
        )
    return None


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _quoted(value: object) -> str:
    return repr(value)
