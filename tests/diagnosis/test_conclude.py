"""What the report says of an endpoint, in one word and one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from wirespeed.diagnosis.conclude import conclusion_of, noise_of, note_of
from wirespeed.diagnosis.judging import Judged
from wirespeed.diagnosis.observation import Hot, Observation, Screening
from wirespeed.diagnosis.probing import why_no_cost
from wirespeed.diagnosis.round_figures import replayed_arms
from wirespeed.diagnosis.selection import Candidate
from wirespeed.diagnosis.study import Study
from wirespeed.diagnosis.table import Row
from wirespeed.experiment.stopping import ConfirmPlan
from wirespeed.model.advice import Finding, Phases
from wirespeed.model.request import PlannedRequest, Request, Route
from wirespeed.model.verdict import Decision, Estimate, Verdict

PLAN = ConfirmPlan()
ROUTE = Route(id=0, methods=["GET"], path="/x/{item_id:int}", name="x", kind="api")
FASTER = Decision(verdict=Verdict.FASTER, estimate=Estimate(ratio=0.5, interval=(0.48, 0.52)))
UNSURE = Decision(verdict=Verdict.INCONCLUSIVE, estimate=None)
SLOWER = Decision(verdict=Verdict.SLOWER, estimate=None)


def phases(**spent: int) -> Phases:
    none = dict.fromkeys(
        ["routing", "dependencies", "endpoint", "validation", "serialization", "rendering"], 0
    )
    return Phases.model_validate({"layers": {}, **none, **spent})


def study(*, named: bool = False, path: str = "/x/1", method: str = "GET", **seen: Any) -> Study:
    observation = {"failed": None, "actions": [], "status": 200, "statuses": [200], "whole_ns": 1000, **seen}
    request = PlannedRequest(request=Request(method=method, path=path), route_id=0, named=named)
    return Study(request, ROUTE, Observation.model_validate(observation))


def row(of: Study, *arms: tuple[Candidate, Decision], **fields: Any) -> Row:
    return Row(of, [each for each, _ in arms], [Judged(decision) for _, decision in arms], **fields)


def conclude(of: Row | Study, *, has_recommendation: bool = False) -> str:
    return conclusion_of(of if isinstance(of, Row) else row(of), has_recommendation=has_recommendation)


def test_the_conclusion_is_one_word_for_what_to_do(make: Any) -> None:
    waiting = study(phases=phases(endpoint=900))
    waiting.hot = Hot(share=0.9, where="main.py:3 load", samples=100)
    failed = study()
    failed.note = "answered 500"

    assert conclude(study(actions=["wrote to f"])) == "unsafe"
    assert conclude(study(actions=["wrote to f"], named=True, fast_path=True)) == "fast"
    assert conclude(failed) == "failed"
    assert conclude(study(whole_ns=None)) == "failed"
    assert conclude(row(study(), failure="it hung")) == "failed"
    assert conclude(row(study(), (make.typed(), FASTER)), has_recommendation=True) == "remedy"
    assert conclude(Row(study(), [make.typed()])) == "undecided"
    assert conclude(row(study(), (make.typed(), UNSURE))) == "undecided"
    assert conclude(row(study(), (make.typed(), SLOWER))) == "elsewhere"
    assert conclude(waiting) == "elsewhere"
    assert conclude(study(fast_path=True)) == "fast"


def test_a_change_of_bytes_that_is_undecided_leaves_nothing_open(make: Any) -> None:
    assert conclude(row(study(), (make.typed(fidelity="different"), UNSURE))) == "elsewhere"


def test_a_note_says_why_nothing_was_measured_before_it_says_anything_else(make: Any) -> None:
    noted, screened = study(), study()
    noted.note = "answered 500"
    screened.screening = Screening(invalid="it changes", baseline_ns=None, floor_ns=None, variants=[])
    screened.left = [make.typed()]
    small = study(phases=phases())
    small.findings = [Finding(code="WS101", problem="", evidence="")]
    advised = study(phases=phases())
    advised.findings = [Finding(code="WS205", problem="", evidence="", advice="make one client")]

    assert note_of(row(noted, why_unmeasured="no time"), "failed") == "answered 500"
    assert note_of(row(study(), failure="it hung"), "failed") == "it hung"
    assert note_of(row(screened), "elsewhere") == "its remedies cannot be measured by replay: it changes"
    assert note_of(row(screened), "remedy") is None
    assert note_of(row(study(), why_unmeasured="no time"), "undecided") == "no time"
    assert note_of(row(study()), "undecided") == "these rounds cannot tell; --budget or --rounds give more"
    assert note_of(row(study(obstacle="a Response of its own")), "elsewhere") == "a Response of its own"
    assert "under 3%" in (note_of(row(small), "elsewhere") or "")
    assert note_of(row(advised), "elsewhere") is None
    assert note_of(row(study(fast_path=True)), "fast") is None


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


def test_noise_is_the_median_spread_and_unknown_below_two_rounds(make: Any) -> None:
    arms = replayed_arms([make.round(), make.round(arms=((101.0,) * 3,)), make.round(arms=((99.0,) * 3,))], 1)

    noise = noise_of(arms, PLAN)

    assert noise.round_sd == pytest.approx(0.01, rel=0.05)
    assert noise.smallest_effect is not None
    assert 0 < noise.smallest_effect < 0.2
    assert noise_of(replayed_arms([make.round()], 1), PLAN).round_sd is None
