"""What becomes of a claim, from numbers alone."""

from __future__ import annotations

import math
from typing import Any

import pytest

from wirespeed.model.replication import ClaimVerdict
from wirespeed.replicate.judging import Finding, alpha_of, estimate, is_settled, judge
from wirespeed.replicate.results import (
    ArmFigures,
    ExperimentResult,
    Inspected,
    InspectionResult,
    NotMeasured,
    SuiteResults,
)
from wirespeed.replicate.suite import (
    FASTER,
    Bounds,
    Claim,
    Evidence,
    Fact,
    Ratio,
    SameBytes,
    about,
    at_least,
    at_most,
    within,
)
from wirespeed.replicate.suites.typed_response import SUITE

HOLDS, DOES_NOT_HOLD, CANNOT_TELL = ClaimVerdict
NOISE = (0.01, -0.01, 0.005, -0.005, 0.008, -0.008, 0.002, -0.002)


def figures(name: str) -> ArmFigures:
    return ArmFigures(
        name=name,
        requests=100,
        answered=100,
        errors={},
        mean_ns=1e6,
        median_ns=1e6,
        stdev_ns=1e4,
        requests_per_s=1000.0,
    )


def measured(times: float, rounds: int = 8, spread: float = 1.0, **changed: Any) -> ExperimentResult:
    """``slow`` takes ``times`` as long as ``fast``, give or take."""
    values = tuple(-math.log(times) + spread * noise for noise in (NOISE * 5)[:rounds])
    return ExperimentResult(
        **{
            "step": "step",
            "connections": 1,
            "arms": (figures("slow"), figures("fast")),
            "bodies": {"slow": "a", "fast": "a"},
            "body_bytes": {"slow": 1, "fast": 1},
            "log_ratios": {"time": {"slow": (0.0,) * rounds, "fast": values}},
            "looks": (8, 14, 20),
            "pairings": 0,
            "rounds": rounds,
            "troubles": {},
            "complete": True,
            "elapsed_s": 1.0,
            **changed,
        }
    )


def judged(
    result: ExperimentResult | InspectionResult | NotMeasured, *evidence: Evidence, alpha: float = 0.05
) -> Finding:
    claim = Claim(statement="it is so", source="somebody", evidence=evidence)
    return judge(claim, SuiteResults(steps=(result,)), alpha)


def ratio(bounds: Bounds, slow: str = "slow", fast: str = "fast") -> Ratio:
    return Ratio("step", slow, fast, bounds)


def test_a_claim_holds_when_the_whole_interval_lies_where_it_says() -> None:
    finding = judged(measured(12.0), ratio(at_least(2)))
    assert finding.verdict is HOLDS
    assert finding.ours == pytest.approx(12.0, rel=0.01)
    assert finding.interval is not None
    assert finding.interval[0] > 2
    assert finding.reason == "interval above 2"


def test_a_claim_does_not_hold_when_the_whole_interval_lies_elsewhere() -> None:
    assert judged(measured(1.5), ratio(at_least(2))).verdict is DOES_NOT_HOLD
    assert judged(measured(30.0), ratio(about(12))).reason == "interval above 18"
    assert judged(measured(3.0), ratio(at_most(2))).verdict is DOES_NOT_HOLD
    assert judged(measured(1.2), ratio(within(0.05))).verdict is DOES_NOT_HOLD


def test_nobody_can_tell_while_the_threshold_is_in_the_interval() -> None:
    finding = judged(measured(2.0), ratio(at_least(2)))
    assert finding.verdict is CANNOT_TELL
    assert finding.reason == "after 8 rounds the interval contains 2"


def test_a_difference_too_small_to_matter_is_not_called_faster() -> None:
    assert judged(measured(1.005, spread=0.1), ratio(FASTER)).verdict is DOES_NOT_HOLD


def test_a_ratio_may_name_any_two_arms_either_way() -> None:
    assert judged(measured(4.0), ratio(at_most(0.5), slow="fast", fast="slow")).verdict is HOLDS


def test_no_verdict_is_read_before_the_first_look() -> None:
    finding = judged(measured(12.0, rounds=7), ratio(at_least(2)))
    assert finding.verdict is CANNOT_TELL
    assert "the first look is at 8" in finding.reason


def test_rounds_between_looks_change_nothing() -> None:
    at_look, later = (judged(measured(1.5, rounds=n), ratio(at_least(2))) for n in (8, 13))
    assert at_look == later


def test_the_look_that_decides_keeps_its_verdict() -> None:
    """Later rounds cannot take it back: all errors that looks may make are accounted for."""
    first, all_looks = (judged(measured(12.0, rounds=n), ratio(at_least(2))) for n in (8, 20))
    assert first == all_looks


def test_an_experiment_that_is_invalid_gives_no_verdict_whatever_its_times() -> None:
    finding = judged(measured(12.0, troubles={"fast": ("fast: 3 of 9 failed",)}), ratio(at_least(2)))
    assert (finding.verdict, finding.reason) == (CANNOT_TELL, "fast: 3 of 9 failed")


def test_the_trouble_of_another_arm_does_not_matter() -> None:
    result = measured(12.0, troubles={"other": ("other: failed",)})
    assert judged(result, ratio(at_least(2))).verdict is HOLDS


def test_what_was_not_measured_says_why() -> None:
    missing = NotMeasured(step="step", reason="the app did not start")
    assert judged(missing, ratio(at_least(2))).reason == "the app did not start"
    assert judged(NotMeasured(step="x", reason=""), ratio(at_least(2))).reason == "step was not measured"


def test_all_evidence_must_speak_for_a_claim_and_one_against_it_is_enough() -> None:
    result = measured(3.0)
    both = ratio(at_least(2)), ratio(at_most(4))
    assert judged(result, *both).verdict is HOLDS
    assert judged(result, *both, ratio(at_least(5))).verdict is DOES_NOT_HOLD
    assert judged(result, ratio(at_least(3)), ratio(at_least(2))).verdict is CANNOT_TELL
    assert judged(result, ratio(at_least(3)), ratio(at_least(5))).verdict is DOES_NOT_HOLD


def test_bodies_are_the_same_or_they_are_not() -> None:
    same = SameBytes("step", ("slow", "fast"))
    assert judged(measured(1.0), same).verdict is HOLDS
    assert judged(measured(1.0, bodies={"slow": "a", "fast": "b"}), same).verdict is DOES_NOT_HOLD
    assert judged(measured(1.0, bodies={}), same).verdict is CANNOT_TELL


def test_facts_are_looked_up_in_the_answer_and_in_how_it_was_made() -> None:
    arm = Inspected(
        name="arm",
        status=200,
        body_sha256="a",
        content_type="application/json",
        value_type="dict",
        hand_built=True,
        fast_path=False,
        has_response_model=True,
        json_value={"deep": {"passes": True}},
    )
    result = InspectionResult(step="step", arms=(arm,))
    assert judged(result, Fact("step", "arm", "hand_built", True)).verdict is HOLDS
    refuted = judged(
        result,
        Fact("step", "arm", "hand_built", True),
        Fact("step", "arm", "json.deep.passes", False),
    )
    assert refuted.verdict is DOES_NOT_HOLD
    assert refuted.reason == "arm: hand built is true; arm: deep.passes is true"
    assert judged(result, Fact("step", "arm", "json.missing", True)).verdict is CANNOT_TELL


def test_an_experiment_is_settled_when_no_claim_is_open() -> None:
    values = {"/untyped": 0.0, "/typed": -2.5, "/response-model": -2.5, "/response-class": -1.5}
    times = {arm: tuple(value + 0.001 * n for n in (1, -1) * 4) for arm, value in values.items()}
    settled = measured(1.0, step="one connection", log_ratios={"time": times})
    assert is_settled(SUITE, settled)
    close = {
        **times,
        "/response-class": tuple(value + 0.5 * n for value, n in zip(times["/typed"], range(8), strict=True)),
    }
    assert not is_settled(SUITE, settled.model_copy(update={"log_ratios": {"time": close}}))


def test_the_ratios_of_a_suite_share_its_alpha() -> None:
    assert alpha_of(SUITE) == pytest.approx(0.05 / 6)


def test_an_estimate_needs_a_look() -> None:
    assert estimate(measured(2.0, rounds=7), "slow", "fast", 0.05) is None
    seen = estimate(measured(2.0), "slow", "fast", 0.05)
    assert seen is not None
    assert seen.ratio == pytest.approx(2.0, rel=0.01)
