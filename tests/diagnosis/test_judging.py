"""What is recommended: proven faster alone or in parallel, harmful in neither, with the bytes kept."""

from __future__ import annotations

from typing import Any

import pytest

from wirespeed.diagnosis.arms import as_answered, measured_arm, why_not_measured, why_not_recommended
from wirespeed.diagnosis.judging import Judged, judge_all, recommended
from wirespeed.diagnosis.observation import Screened, Seen
from wirespeed.diagnosis.round_figures import Confirmed
from wirespeed.diagnosis.selection import Candidate
from wirespeed.experiment.stopping import ConfirmPlan
from wirespeed.model.advice import Fidelity
from wirespeed.model.verdict import Decision, Estimate, Verdict

PLAN = ConfirmPlan()
MARGIN = 0.02


def decision(verdict: Verdict, ratio: float, spread: float = 0.02) -> Decision:
    return Decision(
        verdict=verdict, estimate=Estimate(ratio=ratio, interval=(ratio - spread, ratio + spread))
    )


def faster(ratio: float = 0.5, spread: float = 0.02) -> Decision:
    return decision(Verdict.FASTER, ratio, spread)


SAME = decision(Verdict.EQUIVALENT, 1.0, 0.01)
UNSURE = decision(Verdict.INCONCLUSIVE, 0.99, 0.1)
SLOWER = decision(Verdict.SLOWER, 6.0)


# -- a table of arms -----------------------------------------------------------------------------------------


def test_every_metric_of_every_arm_is_one_comparison_of_the_family() -> None:
    x = (-0.7, -0.71, -0.69, -0.7, -0.705)
    (alone,) = judge_all([Confirmed(x)], PLAN)
    both, _ = judge_all([Confirmed(x, parallel=x), Confirmed(x, parallel=x)], PLAN)

    assert alone.whole.estimate is not None
    assert both.whole.estimate is not None
    assert both.parallel is not None
    assert both.parallel.verdict is Verdict.FASTER
    assert both.whole.estimate.interval[1] > alone.whole.estimate.interval[1]


def test_an_invalid_arm_has_no_figures_and_keeps_its_reason() -> None:
    fine, judged = judge_all([Confirmed((-0.7,) * 3), Confirmed((-0.7,) * 3, invalid="it failed")], PLAN)

    assert judged.verdict is Verdict.INVALID
    assert (judged.whole.estimate, judged.note) == (None, "it failed")
    assert fine.verdict is not Verdict.INVALID


@pytest.mark.parametrize(
    ("whole", "parallel", "verdict"),
    [
        (faster(), None, Verdict.FASTER),
        (SAME, faster(), Verdict.FASTER),
        (UNSURE, faster(), Verdict.FASTER),
        (faster(0.91), SLOWER, Verdict.SLOWER),
        (decision(Verdict.SLOWER, 1.01, 0.005), faster(0.06), Verdict.FASTER),
        (SAME, SAME, Verdict.EQUIVALENT),
        (SAME, UNSURE, Verdict.INCONCLUSIVE),
    ],
)
def test_of_gain_and_harm_the_larger_is_the_verdict(
    whole: Decision, parallel: Decision | None, verdict: Verdict
) -> None:
    assert Judged(whole, parallel).verdict is verdict


# -- what is recommended -------------------------------------------------------------------------------------


def recommended_of(
    candidates: list[Candidate], *decisions: Decision | tuple[Decision, Decision]
) -> list[int]:
    judged = [Judged(*each) if isinstance(each, tuple) else Judged(each) for each in decisions]
    return recommended(candidates, judged, MARGIN)


def test_the_fastest_is_recommended_unless_a_safer_one_is_nearly_as_fast(make: Any) -> None:
    fast, safe = make.typed("fast", definitions=["class A: ..."]), make.typed("safe", by_type=True)

    assert recommended_of([fast, safe], faster(0.4), faster(0.49)) == [1]
    assert recommended_of([fast, safe], faster(0.4), faster(0.51)) == [0]


@pytest.mark.parametrize("fidelity", ["equal", "different"])
def test_what_changes_the_bytes_is_not_recommended_however_fast(make: Any, fidelity: Fidelity) -> None:
    assert recommended_of([make.typed(fidelity=fidelity)], faster(0.05)) == []


def test_equal_json_may_be_asked_for_and_different_values_may_not(make: Any) -> None:
    candidates = [make.typed(fidelity="equal"), make.code(("async def", "a.py:1"), fidelity="different")]
    judged = [Judged(faster()), Judged(faster(), faster())]

    assert recommended(candidates, judged, MARGIN, allow_equal=True) == [0]


def test_a_gain_that_may_lie_within_the_margin_is_not_recommended_and_says_so(make: Any) -> None:
    barely = faster(0.97)

    assert recommended_of([make.typed()], barely) == []
    assert why_not_recommended(make.typed(), Judged(barely), MARGIN) == (
        "the gain may be smaller than the margin of 0.02"
    )


@pytest.mark.parametrize("verdict", [each for each in Verdict if each is not Verdict.FASTER])
def test_what_is_not_proven_faster_is_not_recommended(make: Any, verdict: Verdict) -> None:
    ratio = {Verdict.SLOWER: 2.0, Verdict.EQUIVALENT: 1.0, Verdict.INCONCLUSIVE: 0.99}.get(verdict)
    found = Decision(verdict=verdict, estimate=None) if ratio is None else decision(verdict, ratio, 0.05)

    assert recommended_of([make.typed()], found) == []


ASYNC = ("async def", "main.py:10")


def test_a_gain_in_parallel_alone_is_enough(make: Any) -> None:
    assert recommended_of([make.code(("def", "main.py:10"))], (SAME, faster(0.06))) == [0]


def test_a_gain_alone_that_harms_in_parallel_is_refused_and_says_so(make: Any) -> None:
    trap = make.code(ASYNC)

    assert recommended_of([trap], (faster(0.91), SLOWER)) == []
    assert (
        why_not_recommended(trap, Judged(faster(0.91), SLOWER), MARGIN) == "slower with 20 requests at once"
    )


def test_harm_that_is_only_likely_is_refused_where_it_may_outweigh_the_gain(make: Any) -> None:
    likely = decision(Verdict.INCONCLUSIVE, 1.1, 0.15)

    assert recommended_of([make.code(ASYNC)], (faster(0.9), likely)) == []
    assert why_not_recommended(make.code(ASYNC), Judged(faster(0.9), likely), MARGIN) == (
        "it may be slower with 20 requests at once"
    )
    assert recommended_of([make.code(ASYNC)], (likely, faster(0.06))) == [0]


def test_a_proven_harm_beyond_the_margin_is_refused_whatever_the_gain(make: Any) -> None:
    assert recommended_of([make.code(ASYNC)], (decision(Verdict.SLOWER, 1.05), faster(0.06))) == []
    assert recommended_of([make.code(ASYNC)], (decision(Verdict.SLOWER, 1.04, 0.03), faster(0.06))) == [0]


def test_what_may_harm_in_parallel_is_not_recommended_unmeasured_there(make: Any) -> None:
    assert recommended_of([make.code(ASYNC)], faster(0.5)) == []
    assert recommended_of([make.code(("hoist", "main.py:12"), in_parallel=False)], faster(0.5)) == [0]


def test_remedies_that_do_not_exclude_each_other_are_recommended_together(make: Any) -> None:
    type_, other_type = make.typed("-> list[User]", by_type=True), make.typed("-> Any")
    threads, both = make.code(ASYNC), make.code(ASYNC, ("async def", "deps.py:3"))
    gains = [faster(0.5), faster(0.55), (faster(0.8), faster(0.8)), (faster(0.7), faster(0.7))]

    assert recommended_of([type_, other_type, threads, both], *gains) == [0, 3]


def test_an_upper_bound_and_what_a_rule_leaves_to_the_user_are_never_recommended(make: Any) -> None:
    bound, left = make.code(ASYNC, in_parallel=False), make.code(ASYNC, in_parallel=False)
    bound = Candidate(_with(bound, bypass=2, edits=()), bound.screened)
    left = Candidate(_with(left, never_recommended="the model's validators would not run"), left.screened)

    assert recommended_of([bound, left], faster(), faster()) == []
    assert why_not_recommended(left, Judged(faster()), MARGIN) == "the model's validators would not run"
    assert "the most that a rewrite" in (why_not_recommended(bound, Judged(faster()), MARGIN) or "")


def _with(candidate: Candidate, **update: Any) -> Any:
    from dataclasses import replace

    return replace(candidate.proposal, change=candidate.change.model_copy(update=update))


def test_every_arm_that_is_not_recommended_says_why(make: Any) -> None:
    unsure = Decision(verdict=Verdict.INCONCLUSIVE, estimate=None, rounds_needed=12)
    invalid = Decision(verdict=Verdict.INVALID, estimate=None, note="why")

    def reason(candidate: Candidate, decision: Decision) -> str | None:
        return why_not_recommended(candidate, Judged(decision), MARGIN)

    assert reason(make.typed(), invalid) == "why"
    assert reason(make.typed(fidelity="different"), faster()) == "clients would see different values"
    assert reason(make.typed(fidelity="equal"), faster()) == "equal JSON, but other bytes"
    assert reason(make.typed(), unsure) == "these rounds cannot tell; about 12 rounds would decide"
    assert reason(make.typed(), faster()) is None


def test_every_change_without_an_arm_says_why(make: Any) -> None:
    failed = Candidate(make.typed().proposal, Screened(error="it raises", replay_ns=None, fidelity=None))

    assert why_not_measured(failed) == "it raises"
    assert why_not_measured(make.typed(fidelity="different")).startswith("not measured: clients would see")
    assert why_not_measured(make.typed(fidelity="equal")).startswith("not measured: equal JSON")
    assert why_not_measured(make.typed()) == "not measured: another was faster at first look"


# -- the arm in the document ---------------------------------------------------------------------------------


def test_both_metrics_of_an_arm_stand_in_the_document(make: Any) -> None:
    arm = measured_arm(make.code(ASYNC), Judged(SAME, faster(0.06)), is_recommended=True, reason=None)

    assert arm.whole == SAME.estimate
    assert arm.parallel is not None
    assert (arm.parallel.n, arm.parallel.ratio, arm.verdict) == (20, 0.06, Verdict.FASTER)


def answers(*fidelities: Fidelity) -> list[Seen]:
    shown = [{"at": "$.a", "baseline": 1, "arm": "1"}]
    return [Seen.model_validate({"fidelity": each, "differences": shown}) for each in fidelities]


def test_the_worst_answer_of_all_rounds_is_what_clients_may_see(make: Any) -> None:
    seen = as_answered(make.typed(), answers("identical", "different", "equal"))

    assert seen.screened.fidelity == "different"
    assert seen.screened.differences[0].at == "$.a"


def test_what_round_zero_saw_is_never_forgotten(make: Any) -> None:
    assert as_answered(make.typed(fidelity="equal"), answers("identical")).screened.fidelity == "equal"


def test_without_answers_a_candidate_stays_as_it_is(make: Any) -> None:
    assert as_answered(make.typed(), []) == make.typed()


def test_a_change_first_seen_in_a_process_of_its_own_is_what_was_seen_there(make: Any) -> None:
    unseen = make.code(ASYNC, fidelity=None, in_process=False)

    assert as_answered(unseen, answers("identical")).screened.fidelity == "identical"
