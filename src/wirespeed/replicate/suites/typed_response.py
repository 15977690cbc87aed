"""Declared response types make FastAPI answer faster: by how much, and what is it that does?"""

from __future__ import annotations

from collections.abc import Iterable

from wirespeed.replicate.notes import gain_notes
from wirespeed.replicate.results import SuiteResults
from wirespeed.replicate.suite import (
    APPS,
    FASTER,
    Arm,
    Claim,
    Experiment,
    Ratio,
    SingleRuns,
    Source,
    Suite,
    about,
    at_least,
    within,
)

UNTYPED = Arm(name="/untyped", path="/untyped")
TYPED = Arm(name="/typed", path="/typed")
RESPONSE_MODEL = Arm(name="/response-model", path="/response-model")
RESPONSE_CLASS = Arm(name="/response-class", path="/response-class")

ONE, MANY, VERSIONS, ORIGINAL = "one connection", "50 connections", "FastAPI versions", "as in the write-up"
BEFORE, AFTER = "0.129.0", "0.131.0"
"""The fast path arrived between them, in 0.130.0."""


def on(version: str, arm: Arm) -> Arm:
    """The same request, answered by another FastAPI."""
    return Arm(name=f"{arm.name}, FastAPI {version}", path=arm.path, requirements=(f"fastapi=={version}",))


def current(arm: Arm) -> Arm:
    return Arm(name=f"{arm.name}, FastAPI here", path=arm.path)


def figures(mean_ms: float, median_ms: float, requests_per_s: float, stdev_ms: float) -> dict[str, float]:
    return {
        "mean_ns": mean_ms * 1e6,
        "median_ns": median_ms * 1e6,
        "requests_per_s": requests_per_s,
        "stdev_ns": stdev_ms * 1e6,
    }


def notes(results: SuiteResults) -> Iterable[str]:
    """Upgrading and annotating are two changes; what did each of them do?"""
    yield from gain_notes(
        results,
        VERSIONS,
        {
            f"upgrading alone, {BEFORE} to {AFTER}": (on(BEFORE, UNTYPED), on(AFTER, UNTYPED)),
            f"upgrading alone, {BEFORE} to the FastAPI here": (on(BEFORE, UNTYPED), current(UNTYPED)),
            f"upgrading with the type declared, {BEFORE} to {AFTER}": (on(BEFORE, TYPED), on(AFTER, TYPED)),
            f"annotating alone, on {BEFORE}": (on(BEFORE, UNTYPED), on(BEFORE, TYPED)),
            f"annotating alone, on {AFTER}": (on(AFTER, UNTYPED), on(AFTER, TYPED)),
            "annotating alone, on the FastAPI here": (current(UNTYPED), current(TYPED)),
            f"both together, {BEFORE} to the FastAPI here": (on(BEFORE, UNTYPED), current(TYPED)),
        },
    )


SUITE = Suite(
    name="typed-response",
    summary="declared response types, and what they gain alone, at 50 connections, and without an upgrade",
    source=Source(
        title="FastAPI's announcement of faster responses, and a write-up that measured it",
        published="2026-02",
        versions={"fastapi": "0.131.0", "pydantic": "2.12.5", "python": "3.13.0"},
    ),
    app=APPS / "typed_response.py",
    needs=("fastapi", "uvicorn"),
    steps=(
        Experiment(
            name=ONE, arms=(UNTYPED, TYPED, RESPONSE_MODEL, RESPONSE_CLASS), budget_s=60, quick_budget_s=9
        ),
        Experiment(
            name=MANY,
            arms=(UNTYPED, TYPED, RESPONSE_MODEL),
            connections=50,
            quick_connections=20,
            budget_s=90,
            quick_budget_s=12,
        ),
        Experiment(
            name=VERSIONS,
            arms=(
                *(on(BEFORE, UNTYPED), on(BEFORE, TYPED)),
                *(on(AFTER, UNTYPED), on(AFTER, TYPED)),
                *(current(UNTYPED), current(TYPED)),
            ),
            budget_s=60,
            quick_budget_s=10,
        ),
        SingleRuns(
            name=ORIGINAL,
            arms=(UNTYPED, TYPED, RESPONSE_MODEL),
            requests=500,
            quick_requests=50,
            rest_s=1.0,
        ),
    ),
    claims=(
        Claim(
            statement="declaring the type makes the response at least 2 times faster",
            source='the announcement ("up to 2 times") and the write-up ("more than twice")',
            original=2.0,
            evidence=(Ratio(ONE, "/untyped", "/typed", at_least(2)),),
        ),
        Claim(
            statement="one request after another, a declared type is more than 4 times faster",
            source="the write-up, 500 requests in sequence, first run",
            original=5.3,
            evidence=(Ratio(ONE, "/untyped", "/typed", at_least(4)),),
        ),
        Claim(
            statement="at 50 connections a declared type answers about 12 times the requests",
            source="the write-up, 10,000 requests",
            original=12.3,
            evidence=(Ratio(MANY, "/untyped", "/typed", about(12)),),
        ),
        Claim(
            statement="return type and response_model differ by less than 5 %",
            source="the write-up, first and third run",
            original=1.0,
            evidence=(Ratio(ONE, "/response-model", "/typed", within(0.05)),),
        ),
        Claim(
            statement="the return type is the faster of the two",
            source="the write-up, second run",
            original=1.19,
            evidence=(Ratio(ONE, "/response-model", "/typed", FASTER),),
        ),
        Claim(
            statement="with a response_class, a typed endpoint does not get all of the gain",
            source="a reader's comment",
            evidence=(Ratio(ONE, "/response-class", "/typed", FASTER),),
        ),
    ),
    notes=notes,
    original_table={
        MANY: {
            "/untyped": {"mean_ns": 0.3101e9, "requests_per_s": 160.5634},
            "/response-model": {"mean_ns": 0.0258e9, "requests_per_s": 1935.6448},
            "/typed": {"mean_ns": 0.0252e9, "requests_per_s": 1975.3149},
        },
        f"{ORIGINAL}, run 1": {
            "/untyped": figures(7.14, 7.04, 140.06, 0.57),
            "/response-model": figures(1.34, 1.32, 745.92, 0.14),
            "/typed": figures(1.35, 1.33, 740.09, 0.18),
        },
        f"{ORIGINAL}, run 2": {
            "/untyped": figures(7.25, 6.99, 137.96, 2.03),
            "/response-model": figures(1.54, 1.29, 648.94, 2.27),
            "/typed": figures(1.29, 1.27, 775.41, 0.11),
        },
        f"{ORIGINAL}, run 3": {
            "/untyped": figures(7.72, 7.25, 129.47, 3.48),
            "/response-model": figures(1.29, 1.25, 772.33, 0.18),
            "/typed": figures(1.29, 1.26, 773.63, 0.13),
        },
    },
)
