"""What became of every request, each counted once.

Lives here: the kinds of failure, and the tally of answers, failures and times. This file must never know how
requests are sent. Whatever happens, ``sent == answered + failed + in flight``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from wirespeed.http.recording import CENSORED, DUE, END, SENT, STATUS
from wirespeed.stats.histogram import Histogram, IntArray
from wirespeed.stats.timeline import Timeline


class Failure(StrEnum):
    """Why a request has no answer. ``model.load.ErrorCounts`` says what each means to a reader."""

    CONNECT_REFUSED = "connect_refused"
    CONNECT_TIMEOUT = "connect_timeout"
    TIMEOUT = "timeout"
    RESET = "reset"
    TRUNCATED = "truncated"
    PROTOCOL = "protocol"
    TLS = "tls"
    STALE = "stale"


class Distribution:
    """Times of answers, and of requests that were given up: of these only a lower bound is known."""

    __slots__ = ("censored_above_ns", "histogram")

    def __init__(self) -> None:
        self.histogram = Histogram()
        self.censored_above_ns: int | None = None
        """The smallest of the lower bounds: percentiles from here on are lower bounds too."""

    def record(self, times_ns: IntArray) -> None:
        self.histogram.record(times_ns)

    def record_censored(self, waited_ns: IntArray) -> None:
        if len(waited_ns):
            self.histogram.record(waited_ns)
            self._censor(int(waited_ns.min()))

    def add(self, other: Distribution) -> None:
        self.histogram.add(other.histogram)
        if other.censored_above_ns is not None:
            self._censor(other.censored_above_ns)

    def is_lower_bound(self, value_ns: int) -> bool:
        """Whether a percentile of this value could as well be larger."""
        return self.censored_above_ns is not None and value_ns >= self.censored_above_ns

    def _censor(self, bound_ns: int) -> None:
        known = self.censored_above_ns
        self.censored_above_ns = bound_ns if known is None else min(known, bound_ns)


@dataclass
class Steps:
    """Times of the steps of connecting and of being answered."""

    connect: Histogram = field(default_factory=Histogram)
    tls: Histogram = field(default_factory=Histogram)
    write: Histogram = field(default_factory=Histogram)
    wait: Histogram = field(default_factory=Histogram)
    read: Histogram = field(default_factory=Histogram)

    def add(self, other: Steps) -> None:
        for name in self.__dataclass_fields__:
            getattr(self, name).add(getattr(other, name))


@dataclass
class Tally:
    """Outcomes of a run, or of a part of one; parts add up."""

    sent: int = 0
    in_flight: int = 0
    due: int | None = None
    """Requests that fell due, where a rate sets the pace."""
    unsent: int = 0
    """Of these, those that were never sent."""
    retried: int = 0
    status: Counter[int] = field(default_factory=Counter)
    errors: Counter[Failure] = field(default_factory=Counter)
    received_bytes: int = 0
    response: Distribution = field(default_factory=Distribution)
    """From due to the end of the answer."""
    service: Distribution = field(default_factory=Distribution)
    """From sent to the end of the answer."""
    steps: Steps = field(default_factory=Steps)
    timeline: Timeline = field(default_factory=Timeline)
    """Answers by the second since ``started_ns``."""
    started_ns: int = 0

    @property
    def answered(self) -> int:
        return self.status.total()

    @property
    def failed(self) -> int:
        return self.errors.total()

    def take(self, rows: IntArray) -> None:
        """Count finished requests, answered or given up."""
        is_answer = rows[:, STATUS] != CENSORED
        if is_answer.all():
            self._take_answers(rows)
            return
        given_up = rows[~is_answer]
        self._take_answers(rows[is_answer])
        self.response.record_censored(given_up[:, END] - given_up[:, DUE])
        self.service.record_censored(given_up[:, END] - given_up[:, SENT])

    def take_unfinished(self, waiting_ns: Iterable[tuple[int, int | None]], end_ns: int) -> None:
        """Count requests in flight at the end, as pairs of due and sent (None while connecting)."""
        pairs = list(waiting_ns)
        self.in_flight += len(pairs)
        self.response.record_censored(np.array([end_ns - due for due, _ in pairs], dtype=np.int64))
        sent = [end_ns - sent for _, sent in pairs if sent is not None]
        self.service.record_censored(np.array(sent, dtype=np.int64))

    def take_unsent(self, due_ns: IntArray, end_ns: int) -> None:
        """Count requests that found no free connection: they would have taken longer than they waited."""
        self.unsent += len(due_ns)
        self.response.record_censored(end_ns - due_ns)

    def add(self, other: Tally) -> None:
        self.sent += other.sent
        self.in_flight += other.in_flight
        self.unsent += other.unsent
        self.retried += other.retried
        if other.due is not None:
            self.due = (self.due or 0) + other.due
        self.status.update(other.status)
        self.errors.update(other.errors)
        self.received_bytes += other.received_bytes
        self.response.add(other.response)
        self.service.add(other.service)
        self.steps.add(other.steps)
        self.timeline.add(other.timeline)

    def check(self) -> None:
        """Raise ``AssertionError`` unless every request is accounted for."""
        ended = self.answered + self.failed
        assert self.sent == ended + self.in_flight, (
            f"{self.sent} sent, but {ended} ended and {self.in_flight} in flight"
        )
        assert self.due is None or self.due == self.sent + self.unsent, (
            f"{self.due} due, but {self.sent} sent and {self.unsent} unsent"
        )

    def _take_answers(self, rows: IntArray) -> None:
        due, sent, written, first, end, status, received = np.ascontiguousarray(rows.T)
        counts = np.bincount(status)
        self.status.update({int(code): int(counts[code]) for code in np.flatnonzero(counts)})
        self.received_bytes += int(received.sum())
        self.response.record(end - due)
        self.service.record(end - sent)
        self.timeline.record(end - self.started_ns)
        self.steps.write.record(written - sent)
        self.steps.wait.record(first - written)
        self.steps.read.record(end - first)
