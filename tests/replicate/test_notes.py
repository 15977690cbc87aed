"""What single runs could not know, from their own numbers."""

from __future__ import annotations

from wirespeed.replicate.notes import conclusion_notes, error_notes, spread_notes
from wirespeed.replicate.results import ArmFigures, SingleRunsResult
from wirespeed.replicate.suite import Arm, SingleRuns

TYPED, MODEL = Arm(name="/typed", path="/typed"), Arm(name="/model", path="/model")
STEP = SingleRuns(name="runs", arms=(TYPED, MODEL), requests=500)


def figures(name: str, mean_ms: float | None, **changed: object) -> ArmFigures:
    return ArmFigures.model_validate(
        {
            "name": name,
            "requests": 500,
            "answered": 500,
            "errors": {},
            "mean_ns": None if mean_ms is None else mean_ms * 1e6,
            "median_ns": None,
            "stdev_ns": None,
            "requests_per_s": None,
            **changed,
        }
    )


def runs(*pairs: tuple[float | None, float | None]) -> SingleRunsResult:
    return SingleRunsResult(
        step="runs",
        connections=1,
        runs=tuple((figures("/typed", typed), figures("/model", model)) for typed, model in pairs),
        elapsed_s=1.0,
    )


def test_the_published_means_fall_apart_as_they_did() -> None:
    published = runs((1.35, 1.34), (1.29, 1.54), (1.29, 1.29))
    assert list(spread_notes(STEP, published)) == [
        "runs: /typed measured 3 times in sequence differed from itself by 4.65 %",
        "runs: /model measured 3 times in sequence differed from itself by 19.4 %",
    ]


def test_the_published_runs_come_to_two_conclusions() -> None:
    (note,) = conclusion_notes(STEP, runs((1.35, 1.34), (1.29, 1.54), (1.29, 1.29)))
    assert note == (
        "runs: 3 runs of one comparison come to different ends: /typed and /model less than 5 % apart, "
        "then /typed faster by 19.4 %, then /typed and /model less than 5 % apart"
    )


def test_runs_that_agree_are_no_news() -> None:
    assert list(conclusion_notes(STEP, runs((1.0, 2.0), (1.0, 5.0)))) == []


def test_an_arm_without_answers_has_no_spread() -> None:
    assert list(spread_notes(STEP, runs((None, 1.0), (1.0, None)))) == []
    assert list(conclusion_notes(STEP, runs((None, 1.0), (1.0, None)))) == []


def test_failures_are_told_with_what_they_do_to_the_times() -> None:
    arm = figures("/typed", 1.0, errors={"timeout": 3, "reset": 1}, censored_above_ns=2e9)
    assert list(error_notes("runs", [arm, figures("/model", 1.0)])) == [
        "runs: 4 of 500 requests of /typed failed (1 × reset, 3 × timeout); "
        "times from 2.00 s on are lower bounds"
    ]
