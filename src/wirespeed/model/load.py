"""The ``wirespeed/load/1`` document: what ``load --json`` prints and what records keep."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import AwareDatetime

from ._base import Document
from .advice import Environment

FORMAT: Final = "wirespeed/load/1"


class LoadSettings(Document):
    connections: int
    """How many requests can be under way at once."""
    duration_s: float | None
    """How long requests were to be sent; null where their number was given instead."""
    requests: int | None
    rate: float | None
    """Requests that fall due each second (open loop); null where answers set the pace (closed loop)."""
    timeout_s: float
    processes: int
    seed: int
    connect_timeout_s: float = 10.0
    poisson: bool = False
    """Requests fall due at random times (exponential gaps) instead of evenly spaced ones."""


class LoadRequest(Document):
    """One of the requests that were sent, and its share of them in relation to the others."""

    name: str
    weight: int


class ErrorCounts(Document):
    """Requests that got no whole answer, each counted once, by what ended them."""

    connect_refused: int
    """No connection: the server's machine, or the way to it, said no."""
    connect_timeout: int
    timeout: int
    """No whole answer in time. Counted in the latencies as a lower bound."""
    reset: int
    """The connection was reset (RST) before the answer was whole."""
    truncated: int
    """The server closed the connection in the middle of the answer, or before it on a new connection."""
    protocol: int
    """What came is not HTTP/1.1, or more came than was asked for."""
    tls: int
    stale: int
    """The server closed a kept connection before a byte of the answer, and the request could not be sent
    again.
    """


class RequestCounts(Document):
    """``sent`` is always ``answered`` plus all errors plus ``in_flight``."""

    due: int | None
    """Requests that fell due (open loop)."""
    unsent: int
    """Of these, requests that found no free connection until the end."""
    sent: int
    answered: int
    in_flight: int
    """Sent, and neither answered nor failed when the run ended."""
    status: dict[str, int]
    errors: ErrorCounts
    retried: int = 0
    """Requests sent again, because the server had just closed the kept connection. Counted once, as one
    request.
    """


class ReceivedBytes(Document):
    received: int
    """Bytes of answers, heads included."""
    per_s: float


class Latencies(Document):
    """Nanoseconds. Percentiles need ten values beyond them and are null with fewer.

    Requests without an answer in time are counted with the time they had waited: values of ``censored_above``
    or more are lower bounds.
    """

    min: int | None
    mean: int | None
    stdev: int | None
    p10: int | None
    p50: int | None
    p75: int | None
    p90: int | None
    p95: int | None
    p99: int | None
    p99_9: int | None
    max: int | None
    censored_above: int | None


class LoadPhases(Document):
    """Median nanoseconds of each step: of connections ``connect`` and ``tls``, of requests the others."""

    dns: int | None
    """Looking up the host's name, once; null for addresses."""
    connect: int | None
    tls: int | None
    write: int | None
    wait: int | None
    """From the request written to the first byte of the answer."""
    read: int | None
    """From the first byte of the answer to the last."""


class Step(Document):
    min: int
    mean: int
    max: int


class LoadSteps(Document):
    """The same steps as in ``phases_ns``, in nanoseconds; null where there were none."""

    connect: Step | None
    tls: Step | None
    write: Step | None
    wait: Step | None
    read: Step | None


class Timeline(Document):
    slot_s: int
    answers: tuple[int, ...]
    """How many came in each slot, from the start on."""


class Spread(Document):
    p50: int
    p99: int


class Generator(Document):
    """How busy the load generator itself was."""

    cpu: float
    """CPU seconds a second, of the busiest process."""
    lag_ns: Spread | None
    """How late the generator's event loop was with what it had to do."""
    late_ns: Spread | None
    """How late requests were sent although a connection was free (open loop)."""


class Validity(Document):
    valid: bool
    reasons: tuple[str, ...]


class Trial(Document):
    """One rate tried in the search for the highest that meets the objective."""

    rate: float
    met: bool
    value_ns: int | None
    """The objective's percentile, null where it could not be told."""
    reason: str | None
    """Why the objective was not met."""


class Objective(Document):
    """``p99<50ms`` and whether the latencies met it."""

    text: str
    met: bool
    reason: str | None = None


class Load(Document):
    format: Literal["wirespeed/load/1"] = FORMAT
    created: AwareDatetime
    wirespeed: str | None = None
    target: str
    app: str | None = None
    """The app that was started for this, null where the server was running already."""
    calls: tuple[LoadRequest, ...] = ()
    plan: LoadSettings
    requests: RequestCounts
    duration_s: float
    """From the first request sent to the last outcome."""
    requests_per_s: float
    """Answers, of whatever status, divided by ``duration_s``."""
    bytes: ReceivedBytes
    latency_ns: Latencies
    """From the moment a request was due to the end of its answer. In a closed loop it is due when a
    connection is free for it.
    """
    service_ns: Latencies
    """From the moment a request was sent to the end of its answer."""
    phases_ns: LoadPhases
    steps_ns: LoadSteps | None = None
    timeline: Timeline | None = None
    histogram: str
    """``latency_ns`` in HdrHistogram's V2 compressed encoding, base64."""
    generator: Generator
    environment: Environment
    complete: bool = True
    """False when Ctrl-C ended it early."""
    validity: Validity
    notes: tuple[str, ...] = ()
    """What happened to the server that no number shows."""
    objective: Objective | None = None
    search: tuple[Trial, ...] = ()
    """Every rate that was tried, in order; the rest of the document is about the highest one that met the
    objective.
    """
