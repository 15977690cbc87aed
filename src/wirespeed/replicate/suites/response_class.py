"""Faster JSON encoders as response classes: what do they gain, and why so little?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import fmean

from wirespeed.model.advice import Phases
from wirespeed.replicate.notes import gain_notes
from wirespeed.replicate.results import (
    ArmFigures,
    ExperimentResult,
    InspectionResult,
    SingleRunsResult,
    SuiteResults,
)
from wirespeed.replicate.suite import (
    ABOUT,
    APPS,
    FASTER,
    Arm,
    Bounds,
    Claim,
    Experiment,
    Inspection,
    Ratio,
    SingleRuns,
    Source,
    Suite,
    at_most,
    within,
)

JSON = Arm(name="JSONResponse", path="/json")
AGAIN = Arm(name="JSONResponse again", path="/json-again")
ORJSON = Arm(name="ORJSONResponse", path="/orjson")
UJSON = Arm(name="UJSONResponse", path="/ujson")
TYPED = Arm(name="-> dict[str, Any]", path="/annotated")
ANY = Arm(name="-> Any", path="/any")
DIRECT = Arm(name="Response(orjson.dumps(…))", path="/direct")

ONE, ORIGINAL, PHASES = "one connection", "as in the write-up", "where the time goes"
BASELINE_SPREAD = 0.074
"""How far the baseline's three runs lay apart in the write-up: its gains lie inside."""
THEIR_GAINS = {ORJSON.name: 0.0253, UJSON.name: 0.0049}


def run(*figures: tuple[float, float]) -> dict[str, dict[str, float]]:
    """One run of the write-up: requests/s and mean milliseconds of each class."""
    return {
        arm.name: {"mean_ns": mean_ms * 1e6, "requests_per_s": requests_per_s}
        for arm, (requests_per_s, mean_ms) in zip((JSON, ORJSON, UJSON), figures, strict=True)
    }


def gain_of(share: float) -> Bounds:
    """A gain about as large as ``share``, which may depend on the machine as any ratio does."""
    return Bounds(1 + share / ABOUT, 1 + share * ABOUT)


# -- what the original method could not know -----------------------------------------------------------------


def notes(results: SuiteResults) -> Iterator[str]:
    if (repeated := results.single_runs(ORIGINAL)) is not None:
        yield from mean_notes(repeated)
        yield from rate_notes(repeated, results.experiment(ONE))
    if (inspected := results.inspection(PHASES)) is not None:
        yield from phase_notes(inspected)
    yield from gain_notes(
        results,
        ONE,
        {
            "a faster encoder, ORJSONResponse instead of JSONResponse": (JSON, ORJSON),
            "a faster encoder, UJSONResponse instead of JSONResponse": (JSON, UJSON),
            "-> dict[str, Any] instead of JSONResponse": (JSON, TYPED),
            "-> Any instead of JSONResponse": (JSON, ANY),
            "Response(orjson.dumps(…)) instead of JSONResponse": (JSON, DIRECT),
            "-> dict[str, Any] instead of ORJSONResponse": (ORJSON, TYPED),
        },
    )


def mean_notes(repeated: SingleRunsResult) -> Iterator[str]:
    """The write-up's own sum: the mean of the runs, and what it gains over the baseline's."""
    baseline = _rates(repeated.of(JSON.name))
    for arm in (ORJSON, UJSON, AGAIN):
        runs = _rates(repeated.of(arm.name))
        if not (runs and baseline):
            return
        gain = fmean(runs) / fmean(baseline) - 1
        theirs = THEIR_GAINS.get(arm.name)
        told = "and answers as it does" if theirs is None else f"in the write-up {_percent(theirs)}"
        yield f"{ORIGINAL}: by its mean {arm.name} gains {_percent(gain)} on JSONResponse, {told}"
    spread = (max(baseline) - min(baseline)) / fmean(baseline)
    yield (
        f"{ORIGINAL}: the baseline's own {len(baseline)} runs lie {spread * 100:.1f} % apart, "
        f"in the write-up {BASELINE_SPREAD * 100:.1f} %: a smaller gain than that shows nothing"
    )


def _percent(gain: float) -> str:
    return f"{gain * 100:+.2f} %"


def rate_notes(repeated: SingleRunsResult, alone: ExperimentResult | None) -> Iterator[str]:
    """Why claims about 100 connections may be judged with one."""
    at_once = _rates(repeated.of(JSON.name))
    if alone is not None and at_once and (rate := alone.of(JSON.name).requests_per_s):
        yield (
            f"one process computes one answer at a time, so more connections only wait longer: {JSON.name} "
            f"gave {rate:.1f} requests/s to one connection, {fmean(at_once):.1f} to {repeated.connections}"
        )


def _rates(runs: Iterable[ArmFigures]) -> list[float]:
    return [each.requests_per_s for each in runs if each.requests_per_s]


def phase_notes(inspected: InspectionResult) -> Iterator[str]:
    """Why a faster encoder gains so little: it is handed what ``jsonable_encoder`` has made of the value."""
    phases = {each.name: each.phases_ns for each in inspected.arms if each.phases_ns is not None}
    for arm in (JSON, ORJSON, UJSON):
        if (seen := phases.get(arm.name)) is not None:
            yield (
                f"{arm.name}: jsonable_encoder runs first and takes {_ms(seen.serialization)}, "
                f"{_share(seen.serialization, seen)} of the call; the class then renders in "
                f"{_ms(seen.rendering)}, {_share(seen.rendering, seen)}"
            )
    for arm in (TYPED, ANY):
        if (seen := phases.get(arm.name)) is not None:
            made_ns = seen.validation + seen.serialization + seen.rendering
            yield f"{arm.name}: no jsonable_encoder; Pydantic makes bytes of the value in {_ms(made_ns)}"
    if (seen := phases.get(DIRECT.name)) is not None:
        yield f"{DIRECT.name}: neither runs; the endpoint itself takes {_ms(seen.endpoint)}, orjson included"


def _ms(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e6:.1f} ms"


def _share(part_ns: int, phases: Phases) -> str:
    return f"{part_ns / total_ns(phases) * 100:.0f} %"


def total_ns(phases: Phases) -> int:
    parts: dict[str, int] = phases.model_dump(exclude={"layers"})
    return sum(parts.values()) + sum(phases.layers.values())


SUITE = Suite(
    name="response-class",
    summary="ORJSONResponse and UJSONResponse on 1 MB of JSON, and what replaces them today",
    source=Source(
        title="A write-up that compares FastAPI's response classes on 1 MB of JSON",
        published=None,
        versions={},
    ),
    app=APPS / "response_class.py",
    needs=("fastapi", "uvicorn", "orjson", "ujson"),
    steps=(
        Experiment(
            name=ONE,
            arms=(JSON, ORJSON, UJSON, TYPED, ANY, DIRECT),
            budget_s=150,
            quick_budget_s=28,
        ),
        SingleRuns(
            name=ORIGINAL,
            arms=(JSON, ORJSON, UJSON, AGAIN),
            connections=100,
            requests=200,
            quick_requests=5,
            warm_up=1,
            timeout_s=180,
        ),
        Inspection(name=PHASES, arms=(JSON, ORJSON, UJSON, TYPED, ANY, DIRECT)),
    ),
    claims=(
        Claim(
            statement="ORJSONResponse answers more requests than JSONResponse",
            source="the write-up, mean of three runs",
            original=1.0253,
            evidence=(Ratio(ONE, JSON.name, ORJSON.name, FASTER),),
        ),
        Claim(
            statement="what ORJSONResponse gains is about 2.53 %",
            source="the write-up, mean of three runs",
            original=1.0253,
            evidence=(Ratio(ONE, JSON.name, ORJSON.name, gain_of(0.0253)),),
        ),
        Claim(
            statement="UJSONResponse makes no difference that matters (0.49 %)",
            source="the write-up, mean of three runs",
            original=1.0049,
            evidence=(Ratio(ONE, JSON.name, UJSON.name, within(0.02)),),
        ),
        Claim(
            statement="ORJSONResponse answers more requests than UJSONResponse",
            source="the write-up, mean of three runs",
            original=1.0203,
            evidence=(Ratio(ONE, UJSON.name, ORJSON.name, FASTER),),
        ),
        Claim(
            statement='the gains are so small that they need "an extensive test before and after": '
            "smaller than the 7.4 % by which the baseline's own runs differed",
            source="the write-up, conclusion",
            original=1.0253,
            evidence=(
                Ratio(ONE, JSON.name, ORJSON.name, at_most(1 + BASELINE_SPREAD)),
                Ratio(ONE, JSON.name, UJSON.name, at_most(1 + BASELINE_SPREAD)),
            ),
        ),
        Claim(
            statement="a return type is faster than ORJSONResponse",
            source="FastAPI's deprecation of ORJSONResponse",
            evidence=(Ratio(ONE, ORJSON.name, TYPED.name, FASTER),),
        ),
    ),
    notes=notes,
    original_table={
        f"{ORIGINAL}, run 1": run((9.5, 10_521.5), (9.61, 10_401), (9.42, 10_620.7)),
        f"{ORIGINAL}, run 2": run((9.11, 10_979.8), (10.07, 9_928.04), (9.95, 10_047.3)),
        f"{ORIGINAL}, run 3": run((9.81, 10_191.4), (9.46, 10_572.4), (9.19, 10_878)),
    },
)
