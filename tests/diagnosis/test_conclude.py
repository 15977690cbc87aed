"""From evidence to advice: what is recommended, what is not, and the words for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from wirespeed.diagnosis.conclude import (
    as_answered,
    conclusion_of,
    confirmed_arms,
    decide_all,
    figures_of,
    noise_of,
    note_of,
    recommended,
    why_not_measured,
    why_not_recommended,
)
from wirespeed.diagnosis.observation import Annotation, Change, Hot, Observation, Round, Screened, Screening
from wirespeed.diagnosis.screening import Study, why_no_cost
from wirespeed.diagnosis.selection import Candidate
from wirespeed.experiment.stopping import ConfirmPlan
from wirespeed.model.advice import Fidelity, Finding, Phases
from wirespeed.model.request import PlannedRequest, Request, Route
from wirespeed.model.verdict import Decision, Estimate, Verdict

PLAN = ConfirmPlan()
MARGIN = 0.02


def candidate(name: str = "-> Any", fidelity: Fidelity = "identical", **annotated: Any) -> Candidate:
    annotation = Annotation(**{"expression": name, "kind": "exact", "by_type": False, **annotated})
    change = Change(name=name, code="WS101", kind="annotation", annotation=annotation)
    return Candidate(change, Screened(error=None, replay_ns=100, fidelity=fidelity))


def measured(
    baseline: Sequence[float] = (1000.0, 1010.0, 990.0),
    arms: Sequence[Sequence[float]] = ((100.0, 101.0, 99.0),),
    *,
    rest_ns: int = 9000,
    **fields: Any,
) -> Round:
    """A round in which the request takes ``rest_ns`` besides its response path."""
    runs = [[(block, block, 0.0, 5.0) for block in arm] for arm in (baseline, *arms)]
    document = {
        "invalid": None,
        "live": [(1000 + rest_ns, 1000)] * 3,
        "replayed": [(1100, 1100)] * 3,
        "runs": runs,
        "errors": [0] * (1 + len(arms)),
        "answers": [{"fidelity": "identical"} for _ in arms],
    }
    return Round.model_validate({**document, **fields})


def faster(ratio: float = 0.5, low: float = 0.48, high: float = 0.52) -> Decision:
    return Decision(verdict=Verdict.FASTER, estimate=Estimate(ratio=ratio, interval=(low, high)))


# -- one round -----------------------------------------------------------------------------------------------


def test_a_rounds_ratio_is_that_of_its_blocks_and_the_whole_keeps_the_rest() -> None:
    figures = figures_of(measured())

    assert figures.response_path[0] == pytest.approx(math.log(0.1), abs=1e-3)
    assert figures.baseline_ns == pytest.approx(1000, rel=1e-3)
    assert figures.live_ns == 10_000
    assert figures.whole[0] == pytest.approx(math.log((100 + 9000) / (1000 + 9000)), abs=1e-4)


def test_the_rest_of_one_noisy_round_is_taken_as_nothing() -> None:
    (arm,) = confirmed_arms([measured(), measured(rest_ns=-900), measured()], 1)

    assert arm.invalid is None
    assert arm.whole[1] == arm.response_path[1]
    assert arm.whole[0] > arm.response_path[0]


def test_replay_and_live_that_disagree_in_most_rounds_are_invalid() -> None:
    (arm,) = confirmed_arms([measured(), measured(rest_ns=-900), measured(rest_ns=-900)], 1)

    assert arm.invalid == "replay and live calls disagree: replaying takes longer than the whole request"


def test_one_failed_answer_in_any_round_makes_its_arm_invalid_and_no_other() -> None:
    two_arms = {"arms": ((100.0,), (200.0,)), "baseline": (1000.0,)}
    first, second = confirmed_arms([measured(**two_arms), measured(**two_arms, errors=[0, 0, 3])], 2)

    assert first.invalid is None
    assert second.invalid == "3 replayed answers failed"


def test_a_baseline_that_fails_makes_all_its_arms_invalid() -> None:
    arms = confirmed_arms([measured(errors=[1, 0])], 1)

    assert [arm.invalid for arm in arms] == ["the unchanged route failed during replay"]


def test_a_round_that_cannot_be_replayed_is_never_dropped() -> None:
    unusable = measured(invalid="a replay gives other bytes", runs=[], replayed=[], errors=[], answers=[])
    (arm,) = confirmed_arms([measured(), unusable, measured()], 1)

    assert arm.invalid == "a replay gives other bytes"
    assert decide_all([arm], PLAN)[0].verdict is Verdict.INVALID


# -- answers of the rounds -----------------------------------------------------------------------------------


def answers(*fidelities: Fidelity) -> Round:
    shown = [{"at": "$.a", "baseline": 1, "arm": "1"}]
    return measured(answers=[{"fidelity": each, "differences": shown} for each in fidelities])


def test_the_worst_answer_of_all_rounds_is_what_clients_may_see() -> None:
    (seen,) = as_answered([candidate()], [answers("identical"), answers("different"), answers("equal")])

    assert seen.screened.fidelity == "different"
    assert seen.screened.differences[0].at == "$.a"


def test_what_round_zero_saw_is_never_forgotten() -> None:
    (seen,) = as_answered([candidate(fidelity="equal")], [answers("identical")])

    assert seen.screened.fidelity == "equal"


def test_without_rounds_the_candidates_stay_as_they_are() -> None:
    assert as_answered([candidate()], []) == [candidate()]


# -- what is recommended -------------------------------------------------------------------------------------


def test_the_fastest_is_recommended_unless_a_safer_one_is_nearly_as_fast() -> None:
    fast, safe = candidate("fast", definitions=["class A: ..."]), candidate("safe", by_type=True)

    assert recommended([fast, safe], [faster(0.4), faster(0.49)], MARGIN) == 1
    assert recommended([fast, safe], [faster(0.4), faster(0.51)], MARGIN) == 0


@pytest.mark.parametrize("fidelity", ["equal", "different"])
def test_what_changes_the_bytes_is_not_recommended_however_fast(fidelity: Fidelity) -> None:
    assert recommended([candidate(fidelity=fidelity)], [faster(0.01)], MARGIN) is None


def test_a_gain_that_may_lie_within_the_margin_is_not_recommended_and_says_so() -> None:
    barely = faster(0.97, 0.95, 0.99)

    assert recommended([candidate()], [barely], MARGIN) is None
    assert why_not_recommended(candidate(), barely, MARGIN) == (
        "the gain may be smaller than the margin of 0.02"
    )


def test_what_is_not_proven_faster_is_not_recommended() -> None:
    unproven = [
        Decision(verdict=verdict, estimate=Estimate(ratio=0.5, interval=(0.4, 0.6)))
        for verdict in Verdict
        if verdict is not Verdict.FASTER
    ]

    assert [recommended([candidate()], [each], MARGIN) for each in unproven] == [None] * 4


REASONS = [
    (candidate(), Decision(verdict=Verdict.INVALID, estimate=None, note="why"), "why"),
    (candidate(fidelity="different"), faster(), "clients would see different values"),
    (candidate(fidelity="equal"), faster(), "equal JSON, but other bytes"),
    (
        candidate(),
        Decision(verdict=Verdict.INCONCLUSIVE, estimate=None, rounds_needed=12),
        "these rounds cannot tell; about 12 rounds would decide",
    ),
    (candidate(), faster(), None),
]


@pytest.mark.parametrize(("what", "decision", "reason"), REASONS)
def test_every_arm_that_is_not_recommended_says_why(
    what: Candidate, decision: Decision, reason: str | None
) -> None:
    assert why_not_recommended(what, decision, MARGIN) == reason


def test_every_change_without_an_arm_says_why() -> None:
    failed = Candidate(candidate().change, Screened(error="it raises", replay_ns=None, fidelity=None))

    assert why_not_measured(failed) == "it raises"
    assert why_not_measured(candidate(fidelity="different")).startswith("not measured: clients would see")
    assert why_not_measured(candidate(fidelity="equal")).startswith("not measured: equal JSON")
    assert why_not_measured(candidate()) == "not measured: another was faster at first look"


# -- what is said of an endpoint -----------------------------------------------------------------------------

ROUTE = Route(id=0, methods=["GET"], path="/x/{item_id:int}", name="x", kind="api")


def phases(**spent: int) -> Phases:
    none = dict.fromkeys(
        ["routing", "dependencies", "endpoint", "validation", "serialization", "rendering"], 0
    )
    return Phases.model_validate({"layers": {}, **none, **spent})


def study(*, named: bool = False, path: str = "/x/1", method: str = "GET", **seen: Any) -> Study:
    observation = {"failed": None, "actions": [], "status": 200, "statuses": [200], "whole_ns": 1000, **seen}
    request = PlannedRequest(request=Request(method=method, path=path), route_id=0, named=named)
    return Study(request, ROUTE, Observation.model_validate(observation))


def conclude(of: Study, decisions: Sequence[Decision] = (), *, has_recommendation: bool = False) -> str:
    return conclusion_of(of, decisions, has_recommendation=has_recommendation)


def test_the_conclusion_is_one_word_for_what_to_do() -> None:
    waiting = study(phases=phases(endpoint=900))
    waiting.hot = Hot(share=0.9, where="main.py:3 load", samples=100)
    with_arms, unsure = study(), Decision(verdict=Verdict.INCONCLUSIVE, estimate=None)
    with_arms.kept = [candidate()]
    failed = study()
    failed.note = "answered 500"

    assert conclude(study(actions=["wrote to f"])) == "unsafe"
    assert conclude(study(actions=["wrote to f"], named=True, fast_path=True)) == "fast"
    assert conclude(failed) == "failed"
    assert conclude(study(whole_ns=None)) == "failed"
    assert conclude(with_arms, [faster()], has_recommendation=True) == "remedy"
    assert conclude(with_arms) == "undecided"
    assert conclude(with_arms, [unsure]) == "undecided"
    assert conclude(with_arms, [Decision(verdict=Verdict.SLOWER, estimate=None)]) == "elsewhere"
    assert conclude(waiting) == "elsewhere"
    assert conclude(study(fast_path=True)) == "fast"


def test_a_change_of_bytes_that_is_undecided_leaves_nothing_open() -> None:
    only_different = study()
    only_different.kept = [candidate(fidelity="different")]

    assert conclude(only_different, [Decision(verdict=Verdict.INCONCLUSIVE, estimate=None)]) == "elsewhere"


def test_a_note_says_why_nothing_was_measured_before_it_says_anything_else() -> None:
    noted, screened, undecided = study(), study(), study()
    noted.note = "answered 500"
    screened.screening = Screening(invalid="it changes", baseline_ns=None, floor_ns=None, variants=[])
    small = study(phases=phases())
    small.findings = [Finding(code="WS101", problem="", evidence="")]

    assert note_of(noted, "failed", "no time") == "answered 500"
    assert note_of(screened, "elsewhere", None) == "its remedies cannot be measured by replay: it changes"
    assert note_of(undecided, "undecided", "no time") == "no time"
    assert note_of(undecided, "undecided", None) == "these rounds cannot tell; --budget or --rounds give more"
    assert note_of(study(obstacle="a Response of its own"), "elsewhere", None) == "a Response of its own"
    assert "under 3%" in (note_of(small, "elsewhere", None) or "")
    assert note_of(study(fast_path=True), "fast", None) is None


NO_COST = [
    ({"status": 500}, "an error is not the cost of an endpoint"),
    (
        {"status": 500, "failed": {"kind": "raised", "message": "LookupError: no such table"}},
        "LookupError: no such table",
    ),
    ({"status": 401}, "give credentials with --header 'Authorization: …'"),
    ({"status": 307}, "a redirect has nothing to serialize"),
    ({"status": 404}, "name a request that works with --get '/x/{item_id}'"),
    ({"statuses": [200, 404, 200]}, "answers with different statuses: 200, 404, 200"),
    (
        {"actions": ["wrote to f", "removed g"]},
        "it wrote to f; removed g; --get '/x/1' measures it all the same",
    ),
    ({}, None),
]


@pytest.mark.parametrize(("seen", "note"), NO_COST)
def test_an_answer_that_is_no_cost_says_what_would_help(seen: dict[str, Any], note: str | None) -> None:
    assert why_no_cost(study(**seen)) == note


def test_the_option_that_would_help_names_methods_other_than_get_by_request() -> None:
    assert why_no_cost(study(method="POST", status=422)) == (
        "name a request that works with --request 'POST /x/{item_id}'"
    )


# -- noise ---------------------------------------------------------------------------------------------------


def test_noise_is_the_median_spread_and_unknown_below_two_rounds() -> None:
    arms = confirmed_arms([measured(), measured(arms=((101.0,) * 3,)), measured(arms=((99.0,) * 3,))], 1)

    noise = noise_of(arms, PLAN)

    assert noise.round_sd == pytest.approx(0.01, rel=0.05)
    assert noise.smallest_effect is not None
    assert 0 < noise.smallest_effect < 0.2
    assert noise_of(confirmed_arms([measured()], 1), PLAN).round_sd is None
