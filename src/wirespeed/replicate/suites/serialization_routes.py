"""Four ways to turn a model into JSON, adapters kept or made anew, and a guard for the fast one."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from wirespeed.replicate.results import SuiteResults
from wirespeed.replicate.suite import (
    APPS,
    FASTER,
    Arm,
    Claim,
    Experiment,
    Fact,
    Inspection,
    Ratio,
    SameBytes,
    Source,
    Suite,
    at_least,
    at_most,
    within,
)

TIMES = 25
"""Serializations a request, so that the request itself weighs next to nothing."""


def route(name: str) -> Arm:
    return Arm(name=name, path=f"/routes/{quote(name)}?times={TIMES}")


def adapter(name: str, path: str) -> Arm:
    return Arm(name=name, path=f"/adapters/{path}?times={TIMES}")


MODEL_DUMP_JSON, DUMP_JSON = route("model_dump_json"), route("dump_json")
DUMPS, JSONABLE = route("json.dumps(model_dump)"), route("json.dumps(jsonable_encoder)")
KEPT, REBUILT = adapter("adapter kept", "model-kept"), adapter("adapter rebuilt", "model-rebuilt")
ROWS_KEPT = adapter("rows adapter kept", "rows-kept")
ROWS_REBUILT = adapter("rows adapter rebuilt", "rows-rebuilt")
RETURNED = Arm(name="model returned", path="/orders/returned")
BY_HAND = Arm(name="JSONResponse by hand", path="/orders/built-by-hand")
GUARD = Arm(name="the guard on it", path=f"/guard?path={quote(BY_HAND.path)}")
COMPARE = Arm(name="/compare", path="/compare?n=300")
REUSE = Arm(name="/adapter-reuse", path="/adapter-reuse")

ROUTES, MODELS, ROWS, GUARDING = (
    "four routes",
    "an adapter of a model",
    "an adapter of list[dict[str, int]]",
    "how answers are made",
)


def notes(results: SuiteResults) -> Iterable[str]:
    measured = results.experiment(ROUTES)
    if measured is not None:
        single, spaced = (measured.body_bytes[arm.name] for arm in (MODEL_DUMP_JSON, DUMPS))
        yield f"json.dumps adds spaces: equal JSON in {spaced:,} bytes instead of {single:,}"
    inspected = results.inspection(GUARDING)
    if inspected is not None:
        for arm in (RETURNED, BY_HAND):
            seen = inspected.of(arm.name)
            yield (
                f"{arm.name}: the route {'has' if seen.has_response_model else 'lacks'} a response model, "
                f"the endpoint returned {seen.value_type}, and the bytes were "
                f"{'written by the compiled serializer' if seen.fast_path else 'made without it'}; "
                "a guard has to look at an answer, not at the route"
            )
        told = inspected.of(COMPARE.name).json_value or {}
        yield f"asked once as in the write-up, /compare names {told.get('fastest')} as the fastest"


SUITE = Suite(
    name="serialization-routes",
    summary="four ways from a model to JSON, adapters kept or rebuilt, and a guard that does not guard",
    source=Source(
        title="a write-up on ways to serialize an order of 200 lines",
        published=None,
        versions={"pydantic": "2.13.4", "fastapi": "0.139.2", "python": "3.12"},
    ),
    app=APPS / "serialization_routes.py",
    needs=("fastapi", "uvicorn"),
    steps=(
        Experiment(
            name=ROUTES,
            arms=(MODEL_DUMP_JSON, DUMP_JSON, DUMPS, JSONABLE),
            in_process=True,
            budget_s=60,
            quick_budget_s=10,
        ),
        Experiment(name=MODELS, arms=(REBUILT, KEPT), in_process=True, budget_s=45, quick_budget_s=6),
        Experiment(name=ROWS, arms=(ROWS_REBUILT, ROWS_KEPT), in_process=True, budget_s=45, quick_budget_s=6),
        Inspection(
            name=GUARDING, arms=(MODEL_DUMP_JSON, DUMP_JSON, RETURNED, BY_HAND, GUARD, COMPARE, REUSE)
        ),
    ),
    claims=(
        Claim(
            statement="a single pass is fastest: model_dump_json beats json.dumps(model_dump())",
            source="the write-up",
            evidence=(
                Ratio(ROUTES, DUMPS.name, MODEL_DUMP_JSON.name, FASTER),
                Ratio(ROUTES, DUMPS.name, DUMP_JSON.name, FASTER),
            ),
        ),
        Claim(
            statement="model_dump_json and TypeAdapter.dump_json trade places within noise (5 %)",
            source="the write-up",
            evidence=(Ratio(ROUTES, MODEL_DUMP_JSON.name, DUMP_JSON.name, within(0.05)),),
        ),
        Claim(
            statement="json.dumps(model_dump()) ranks third: after a single pass, before jsonable_encoder",
            source="the write-up",
            evidence=(
                Ratio(ROUTES, DUMPS.name, MODEL_DUMP_JSON.name, FASTER),
                Ratio(ROUTES, JSONABLE.name, DUMPS.name, FASTER),
            ),
        ),
        Claim(
            statement="jsonable_encoder is the slowest",
            source="the write-up",
            evidence=tuple(
                Ratio(ROUTES, JSONABLE.name, other.name, FASTER)
                for other in (DUMPS, MODEL_DUMP_JSON, DUMP_JSON)
            ),
        ),
        Claim(
            statement="the slowest route takes at least 2 times as long as the fastest",
            source="the write-up, slowest_is_at_least_2x_fastest",
            original=2.0,
            evidence=(Ratio(ROUTES, JSONABLE.name, MODEL_DUMP_JSON.name, at_least(2)),),
        ),
        Claim(
            statement="model_dump_json and dump_json give identical bytes",
            source="the write-up, byte_identical_output",
            evidence=(SameBytes(GUARDING, (MODEL_DUMP_JSON.name, DUMP_JSON.name)),),
        ),
        Claim(
            statement="keeping an adapter is faster than rebuilding it",
            source="the write-up, reuse_is_faster",
            evidence=(Ratio(MODELS, REBUILT.name, KEPT.name, FASTER),),
        ),
        Claim(
            statement="rebuilding the adapter of a model costs less than 2 times",
            source="the write-up, rebuild_costs_at_least_2x",
            original=2.0,
            evidence=(Ratio(MODELS, REBUILT.name, KEPT.name, at_most(2)),),
        ),
        Claim(
            statement="for list[dict[str, int]], which is no model, rebuilding costs more than 2 times",
            source='the write-up ("much dearer")',
            evidence=(Ratio(ROWS, ROWS_REBUILT.name, ROWS_KEPT.name, at_least(2)),),
        ),
        Claim(
            statement="a test that the route has response_model set fails for a JSONResponse built by hand",
            source="the write-up's guard for the fast path",
            evidence=(
                Fact(GUARDING, BY_HAND.name, "hand_built", True),
                Fact(GUARDING, GUARD.name, "json.passes", False),
            ),
        ),
    ),
    notes=notes,
)
