"""What a suite is, as data: arms, the steps that measure them, and claims with their sources and figures.

What lives here: everything an author of a suite writes. Nothing here measures, and nothing here decides; a
suite can be read, counted and tested without starting anything.

A *step* is measured as one piece: an ``Experiment`` (arms against each other, in rounds of fresh processes,
until its claims are decided), ``SingleRuns`` (the method of the original, repeated as it was), or an
``Inspection`` (what single answers are, and how they were made). A *claim* names the steps that it is judged
by, and the numbers that would make it true.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from wirespeed.model.comparison import LensName
from wirespeed.model.subject import ServerName

from .results import SuiteResults

APPS = Path(__file__).parent / "apps"
MATTERS = 0.02
"""The smallest difference that matters (share): "faster" means faster by more than this."""
ABOUT = 1.5
"""Ratios depend on the machine: "about 12 times" is anything from 12 / 1.5 to 12 * 1.5."""


@dataclass(frozen=True, kw_only=True)
class Companion:
    """Another app, served on loopback for as long as the step takes: an upstream, say.

    The suite's app finds its base URL in its own environment variable ``variable``.
    """

    app: Path
    variable: str
    env: Mapping[str, str] = field(default_factory=dict)
    workers: int = 1


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One contestant: a GET of the suite's app. Arms that differ in their path alone share a process."""

    name: str
    path: str
    requirements: tuple[str, ...] = ()
    """Installed over what the environment has, in one of its own: ``("fastapi==0.129.0",)``."""
    env: Mapping[str, str] = field(default_factory=dict)
    server: ServerName = "uvicorn"


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Arms in rounds of fresh processes. It ends at the look that decides its last claim, or with its budget.

    With one connection, requests follow one another; with more, every connection sends its next request as
    soon as it is answered. ``quick_connections`` replaces ``connections`` in a quick run.
    """

    name: str
    arms: tuple[Arm, ...]
    """The first is the one whose answers the others' are compared with."""
    connections: int = 1
    quick_connections: int | None = None
    in_process: bool = False
    """Whether the app is called in its own process, without a socket."""
    budget_s: float = 60.0
    quick_budget_s: float = 12.0
    timeout_s: float = 30.0
    may_differ: bool = False
    """Whether arms may answer with different bodies."""
    max_errors: float = 0.001
    """Share of an arm's requests that may fail; 1 where errors are a result and not a fault."""
    quick_slice: float = 0.25
    """Share of a slice of load that a quick run takes, where slices are long. Answers that come all at once
    need longer ones.
    """
    companion: Companion | None = None
    in_quick: bool = True
    """Whether a quick run takes this step too."""

    @property
    def lens(self) -> LensName:
        if self.in_process:
            return "direct"
        return "service" if self.connections == 1 else "load"


@dataclass(frozen=True, kw_only=True)
class SingleRuns:
    """The original's method, with its weakness: one process, each arm once, one after the other.

    The whole is done ``repeats`` times, so that a reader sees how far the same arm falls apart. Give either
    ``requests`` or ``duration_s``.
    """

    name: str
    arms: tuple[Arm, ...]
    connections: int = 1
    requests: int | None = None
    quick_requests: int | None = None
    duration_s: float | None = None
    quick_duration_s: float | None = None
    repeats: int = 3
    warm_up: int = 5
    """Requests before each run, not counted."""
    rest_s: float = 0.0
    timeout_s: float = 30.0
    companion: Companion | None = None
    in_quick: bool = True
    """Whether a quick run takes this step too."""


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """One call of each arm inside the app's process, watched: its answer, and who made the bytes."""

    name: str
    arms: tuple[Arm, ...]
    companion: Companion | None = None
    in_quick: bool = True
    """Whether a quick run takes this step too."""


Step: TypeAlias = Experiment | SingleRuns | Inspection


class Bounds(NamedTuple):
    """A claimed range. It holds when the interval lies inside, does not when it lies outside, else nobody can
    tell.
    """

    low: float
    high: float


def at_least(times: float) -> Bounds:
    return Bounds(times, math.inf)


def at_most(times: float) -> Bounds:
    return Bounds(0.0, times)


def about(times: float) -> Bounds:
    return Bounds(times / ABOUT, times * ABOUT)


def within(share: float) -> Bounds:
    """No further apart than this, either way."""
    return Bounds(1 / (1 + share), 1 + share)


FASTER = at_least(1 + MATTERS)

Metric: TypeAlias = Literal["time", "mean_latency", "p95", "p99", "cpu"]
"""``time``: with one connection the median latency, with more the time per request at saturation (whose
inverse is requests/s). ``mean_latency``: of all requests of a round. ``cpu``: seconds of the server's.
"""


@dataclass(frozen=True)
class Ratio:
    """How many times as fast ``fast`` is as ``slow``: time(slow) / time(fast), by an experiment's rounds."""

    step: str
    slow: str
    fast: str
    bounds: Bounds
    metric: Metric = "time"


@dataclass(frozen=True)
class SameBytes:
    """Whether arms of an experiment or inspection answer with identical bodies."""

    step: str
    arms: tuple[str, ...]


@dataclass(frozen=True)
class Fact:
    """What an inspection says of an arm. ``key`` is a field of ``results.Inspected``, or ``json.a.b`` for a
    value in its answer.
    """

    step: str
    arm: str
    key: str
    expected: object


Evidence: TypeAlias = Ratio | SameBytes | Fact


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A published sentence, and what must all be so for it to hold.

    The statement reads so that "holds" and "does not hold" can follow it.
    """

    statement: str
    source: str
    """Where it was said: the announcement, the write-up, a reader's comment."""
    evidence: tuple[Evidence, ...]
    original: float | None = None
    """Their figure, in the unit of the first ratio."""


@dataclass(frozen=True, kw_only=True)
class Source:
    title: str
    published: str | None
    """ISO date, or year and month."""
    versions: Mapping[str, str]


def no_notes(results: SuiteResults) -> Iterable[str]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Suite:
    name: str
    summary: str
    """One line for ``--list``."""
    source: Source
    app: Path
    """A file that defines ``app``; it is served for real, in a process of its own."""
    needs: tuple[str, ...]
    """Modules that its apps import, by their names."""
    steps: tuple[Step, ...]
    claims: tuple[Claim, ...]
    notes: Callable[[SuiteResults], Iterable[str]] = no_notes
    """What the original method could not know, as sentences made from what was measured. Those that follow
    from ``SingleRuns`` alone are written for every suite.
    """
    original_table: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    """The original's figures (``mean_ns``, ``requests_per_s`` …) by step and arm, shown beside ours. Runs of
    ``SingleRuns`` have a step each: ``NAME, run 1``.
    """
