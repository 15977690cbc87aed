"""``def`` against ``async def`` for an endpoint that does nothing, and for one that waits."""

from __future__ import annotations

from collections.abc import Iterable

from wirespeed.replicate.notes import gain_notes
from wirespeed.replicate.results import ArmFigures, SuiteResults
from wirespeed.replicate.suite import (
    APPS,
    MATTERS,
    Arm,
    Claim,
    Experiment,
    Ratio,
    SingleRuns,
    Source,
    Suite,
    about,
    at_most,
)

DEF = Arm(name="def", path="/def")
ASYNC = Arm(name="async def", path="/async-def")
DEF_WAITING = Arm(name="def, waiting", path="/def-waiting")
ASYNC_WAITING = Arm(name="async def, waiting", path="/async-def-waiting")

HELLO, WAITING, ORIGINAL = "hello world", "waiting 20 ms", "as in the write-up"
CONNECTIONS = 1000
TIMEOUT_S = 2.0
"""What the tool that was used calls a time-out. It then counts the late answer, but not its latency."""


def notes(results: SuiteResults) -> Iterable[str]:
    yield from gain_notes(results, WAITING, {"where requests wait, async def": (DEF_WAITING, ASYNC_WAITING)})
    repeated = results.single_runs(ORIGINAL)
    for number, run in enumerate(repeated.runs if repeated else (), 1):
        for arm in run:
            yield from late_notes(f"{ORIGINAL}, run {number}", arm)


def late_notes(step: str, arm: ArmFigures) -> Iterable[str]:
    """Latency figures without the requests that were given up are those of the lucky ones."""
    late = arm.errors.get("timeout", 0)
    if late and arm.max_ns is not None:
        yield (
            f"{step}: {late} of {arm.requests} requests of {arm.name} had no answer within {TIMEOUT_S:g} s; "
            "a tool that leaves them out of its latencies shows a maximum that is too small"
        )


SUITE = Suite(
    name="sync-async",
    summary="def against async def at 1,000 connections: hello world, and endpoints that wait",
    source=Source(
        title="a write-up that loads hello world, def against async def, for 30 s with 1,000 connections",
        published=None,
        versions={},
    ),
    app=APPS / "sync_async.py",
    needs=("fastapi", "uvicorn"),
    steps=(
        Experiment(
            name=HELLO,
            arms=(DEF, ASYNC),
            connections=CONNECTIONS,
            quick_connections=250,
            budget_s=120,
            quick_budget_s=12,
            timeout_s=10.0,
            max_errors=1.0,
        ),
        Experiment(
            name=WAITING,
            arms=(DEF_WAITING, ASYNC_WAITING),
            connections=CONNECTIONS,
            quick_connections=200,
            budget_s=90,
            quick_budget_s=10,
            timeout_s=10.0,
            max_errors=1.0,
        ),
        SingleRuns(
            name=ORIGINAL,
            arms=(DEF, ASYNC),
            connections=CONNECTIONS,
            duration_s=30,
            quick_duration_s=2,
            repeats=2,
            timeout_s=TIMEOUT_S,
        ),
    ),
    claims=(
        Claim(
            statement="async def handles about 1.9 times the requests",
            source="the write-up",
            original=1.903,
            evidence=(Ratio(HELLO, "def", "async def", about(1.9)),),
        ),
        Claim(
            statement="the latency of async def is about half",
            source="the write-up: means of 130.29 and 63.87 ms, time-outs left out",
            original=2.04,
            evidence=(Ratio(HELLO, "def", "async def", about(2), metric="mean_latency"),),
        ),
        Claim(
            statement="async def gains by waiting, so an endpoint that waits for nothing gains nothing",
            source="the write-up's explanation",
            evidence=(Ratio(HELLO, "def", "async def", at_most(1 + MATTERS)),),
        ),
    ),
    notes=notes,
    original_table={
        f"{ORIGINAL}, run 1": {
            "def": {"mean_ns": 130.29e6, "stdev_ns": 24.32e6, "requests_per_s": 7503.51},
            "async def": {"mean_ns": 63.87e6, "stdev_ns": 70.67e6, "requests_per_s": 14278.10},
        },
    },
)
