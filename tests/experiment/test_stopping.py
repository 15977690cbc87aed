import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.experiment.stopping import (
    ConfirmPlan,
    SequentialPlan,
    clears_margin,
    confirm,
    decide_candidates,
    decide_sequentially,
    decide_without_more,
    estimate_beside,
    estimate_of,
    stop_sequentially,
    verdicts_of,
)
from wirespeed.model.verdict import Estimate, Verdict
from wirespeed.stats import Interval, looks_within

PLAN = SequentialPlan()
DELTA = PLAN.delta


def rounds(mean: float, sd: float, count: int = 40, seed: int = 1) -> list[float]:
    """Rounds whose mean and standard deviation over all ``count`` are exactly these."""
    noise = np.random.default_rng(seed).standard_normal(count)
    standard = (noise - noise.mean()) / noise.std(ddof=1)
    return list(mean + sd * standard)


def verdict(low: float, high: float) -> str:
    ends = (np.float64(end) for end in (low, (low + high) / 2, high))
    return str(verdicts_of(Interval(*(np.asarray(end) for end in ends)), DELTA))


def test_the_verdict_is_read_from_the_interval_in_a_fixed_order() -> None:
    assert verdict(-0.01, 0.01) == "equivalent"
    assert verdict(0.001, 0.01) == "equivalent"
    assert verdict(0.001, 0.03) == "slower"
    assert verdict(-0.03, -0.001) == "faster"
    assert verdict(-0.03, 0.001) == "inconclusive"
    assert verdict(-DELTA, DELTA) == "inconclusive"


def test_nothing_is_decided_before_the_first_look() -> None:
    assert decide_sequentially([], PLAN) is None
    assert decide_sequentially(rounds(-1.0, 0.01, 7), PLAN) is None


def test_a_large_gain_is_decided_at_the_first_look() -> None:
    decision = decide_sequentially(rounds(math.log(0.5), 0.01, 8), PLAN)
    assert decision is not None
    assert decision.verdict is Verdict.FASTER
    assert decision.estimate is not None
    assert decision.estimate.ratio == pytest.approx(0.5)
    low, high = decision.estimate.interval
    assert math.log(high) - math.log(low) == pytest.approx(2 * 10.95 * 0.01 / math.sqrt(8), rel=1e-3)


def test_a_loss_is_slower() -> None:
    decision = decide_sequentially(rounds(0.3, 0.01, 8), PLAN)
    assert decision is not None
    assert decision.verdict is Verdict.SLOWER


def test_equals_stop_early_too_when_the_rounds_are_quiet() -> None:
    decision = decide_sequentially(rounds(0.0, 0.001, 8), PLAN)
    assert decision is not None
    assert decision.verdict is Verdict.EQUIVALENT
    assert decision.note is None


def test_a_sure_but_small_difference_is_called_real_but_negligible() -> None:
    decision = decide_sequentially(rounds(-0.01, 0.001, 8), PLAN)
    assert decision is not None
    assert decision.verdict is Verdict.EQUIVALENT
    assert decision.note == "real but negligible"


def test_an_undecided_look_asks_for_more_rounds_until_the_last() -> None:
    noisy = rounds(0.01, 0.1)
    assert all(decide_sequentially(noisy[:count], PLAN) is None for count in range(40))
    decision = decide_sequentially(noisy, PLAN)
    assert decision is not None
    assert decision.verdict is Verdict.INCONCLUSIVE
    assert decision.rounds_needed is not None
    assert decision.rounds_needed > 40


def test_rounds_after_the_deciding_look_do_not_change_the_decision() -> None:
    decided = decide_sequentially(rounds(-0.5, 0.01, 8), PLAN)
    more = [*rounds(-0.5, 0.01, 8), *rounds(0.9, 0.3, 32)]
    assert decide_sequentially(more, PLAN) == decided


def test_rounds_between_looks_are_not_peeked_at() -> None:
    undecided = rounds(0.0, 0.1, 8)
    telling = rounds(-0.5, 0.001, 5)
    assert decide_sequentially([*undecided, *telling], PLAN) is None


def test_a_round_without_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        decide_sequentially([0.1, math.nan], PLAN)
    with pytest.raises(ValueError, match="finite"):
        decide_candidates([[0.1, math.inf]], ConfirmPlan())


@given(st.lists(st.floats(-0.2, 0.2), min_size=16, max_size=16))
@settings(deadline=None)
def test_one_experiment_is_decided_as_it_is_among_many(x: list[float]) -> None:
    plan = SequentialPlan(looks=looks_within(16))
    alone = decide_sequentially(x, plan)
    among = stop_sequentially(np.stack([np.zeros(16), np.array(x)]), plan.bounds, DELTA)
    assert alone is not None
    assert alone.verdict == str(among.verdict[1])
    assert alone.estimate is not None
    assert alone.estimate.ratio == pytest.approx(math.exp(among.interval.mean[1]))


def test_paired_rounds_are_looked_at_when_their_pairs_are_complete() -> None:
    paired = SequentialPlan(pairings=1)
    assert [look.rounds for look in paired.bounds] == [4, 7, 10, 13, 16, 20]
    assert decide_sequentially(rounds(-0.5, 0.001, 7), paired) is None
    decision = decide_sequentially(rounds(-0.5, 0.001, 8), paired)
    assert decision is not None
    assert decision.verdict is Verdict.FASTER


def test_a_look_too_early_for_two_groups_is_left_out() -> None:
    assert [look.rounds for look in SequentialPlan(looks=(6, 9, 12), pairings=2).bounds] == [2, 3]


def test_rounds_needed_are_rounds_also_when_they_are_averaged_in_pairs() -> None:
    x = rounds(0.01, 0.1)
    doubled = [value for value in x[:20] for _ in range(2)]
    pairs = decide_sequentially(doubled, SequentialPlan(pairings=1))
    alone = decide_sequentially(x[:20], SequentialPlan(looks=(4, 7, 10, 13, 16, 20)))
    assert pairs is not None
    assert alone is not None
    assert pairs.rounds_needed is not None
    assert alone.rounds_needed is not None
    assert pairs.rounds_needed == 2 * alone.rounds_needed


@pytest.mark.parametrize(("mean", "at_least"), [(0.04, 0.75), (0.012, 0.75), (0.0, 0.55)])
def test_the_rounds_needed_would_probably_decide(mean: float, at_least: float) -> None:
    """For equals the interval must stay clear of the margin on both sides, so they succeed less often."""
    plan = ConfirmPlan()
    (decision,) = decide_candidates([rounds(mean, 0.05, 5)], plan)
    assert decision.verdict is Verdict.INCONCLUSIVE
    assert decision.rounds_needed is not None
    again = np.random.default_rng(2).normal(mean, 0.05, (2_000, decision.rounds_needed))
    verdicts, _ = confirm(again, plan, candidates=1)
    assert (verdicts != "inconclusive").mean() >= at_least


def test_a_sign_flip_test_that_disagrees_at_the_last_look_is_mentioned() -> None:
    """Six of eight rounds agree exactly, two lie far off on the same side: a t-interval cannot tell."""
    x = [0.02] * 6 + [0.6, 0.6]
    decision = decide_sequentially(x, SequentialPlan(looks=(8,)))
    assert decision is not None
    assert decision.verdict is Verdict.INCONCLUSIVE
    assert decision.note is not None
    assert decision.note.startswith("a sign-flip test sees a difference (p = 0.0078")


def test_a_sign_flip_test_that_agrees_is_not_mentioned() -> None:
    decision = decide_sequentially(rounds(-0.5, 0.2, 8), SequentialPlan(looks=(8,)))
    assert decision is not None
    assert decision.verdict is Verdict.FASTER
    assert decision.note is None


def test_the_cross_check_is_left_to_the_last_look() -> None:
    early = decide_sequentially([-0.5] * 7 + [-0.51], PLAN)
    assert early is not None
    assert early.verdict is Verdict.FASTER
    assert early.note is None


def test_many_candidates_need_clearer_evidence_each() -> None:
    x = rounds(-0.1, 0.08, 6)
    (alone,) = decide_candidates([x], ConfirmPlan())
    crowd = decide_candidates([x] + [[0.0] * 6] * 19, ConfirmPlan())
    assert alone.verdict is Verdict.FASTER
    assert crowd[0].verdict is Verdict.INCONCLUSIVE


def test_candidates_without_rounds_still_count_in_the_table() -> None:
    x = rounds(-0.1, 0.08, 6)
    crowd = decide_candidates([x] + [[]] * 19, ConfirmPlan())
    assert crowd[0] == decide_candidates([x] + [[0.0] * 6] * 19, ConfirmPlan())[0]


def test_a_candidate_without_rounds_is_invalid() -> None:
    (decision,) = decide_candidates([[]], ConfirmPlan())
    assert decision.verdict is Verdict.INVALID
    assert decision.note == "no round was measured"


def test_one_round_decides_nothing_and_says_why() -> None:
    (decision,) = decide_candidates([[-2.0]], ConfirmPlan())
    assert decision.verdict is Verdict.INCONCLUSIVE
    assert decision.estimate is None
    assert decision.note is not None
    assert decision.note.startswith("only one round was measured: no spread to judge by")


def test_fewer_than_two_pairs_decide_nothing() -> None:
    (decision,) = decide_candidates([[-2.0, -2.0, -2.1]], ConfirmPlan(pairings=1))
    assert decision.verdict is Verdict.INCONCLUSIVE
    assert decision.note is not None
    assert "only 3 rounds" in decision.note
    assert "takes 4" in decision.note


def test_two_wild_rounds_give_an_interval_that_says_nothing_instead_of_a_crash() -> None:
    (decision, *_) = decide_candidates([[-5.0, 5.0]] + [[]] * 50, ConfirmPlan())
    assert decision.verdict is Verdict.INCONCLUSIVE
    assert decision.estimate is not None
    assert all(math.isfinite(end) for end in decision.estimate.interval)


def test_the_estimate_beside_a_verdict_uses_the_same_interval() -> None:
    x = rounds(-0.3, 0.05, 8)
    table = decide_candidates([x, x, x], ConfirmPlan())
    assert estimate_of(x, ConfirmPlan(), candidates=3) == table[0].estimate
    assert estimate_of(x[:1], ConfirmPlan(), candidates=3) is None


def test_a_remedy_is_recommended_only_when_the_whole_interval_clears_the_margin() -> None:
    assert clears_margin(Estimate(ratio=0.9, interval=(0.85, 0.97)), 0.02)
    assert not clears_margin(Estimate(ratio=0.9, interval=(0.85, 0.99)), 0.02)


def test_a_margin_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="margin"):
        ConfirmPlan(margin=0.0)


def test_giving_up_before_the_first_look_says_so_and_shows_no_estimate() -> None:
    decision = decide_without_more(rounds(-1.0, 0.01, 7), PLAN)
    assert (decision.verdict, decision.estimate) == (Verdict.INCONCLUSIVE, None)
    assert decision.note == "ended after 7 rounds, and the first look is at 8"
    assert decide_without_more([], PLAN).verdict is Verdict.INCONCLUSIVE


def test_giving_up_between_looks_shows_the_latest_look_and_no_later_round() -> None:
    noisy = rounds(0.0, 0.2, 14)
    assert decide_sequentially(noisy, PLAN) is None
    decision = decide_without_more([*noisy, 5.0, 5.0], PLAN)
    assert decision == decide_without_more(noisy, PLAN)
    assert decision.verdict is Verdict.INCONCLUSIVE
    assert decision.rounds_needed is not None


def test_giving_up_never_takes_a_verdict_back() -> None:
    decided = rounds(math.log(0.5), 0.01, 9)
    assert decide_without_more(decided, PLAN) == decide_sequentially(decided, PLAN)


def test_figures_beside_the_deciding_one_have_the_bound_of_their_look() -> None:
    values = rounds(0.1, 0.02, 14)
    estimate = estimate_beside([*values, 9.0], PLAN)
    assert estimate is not None
    assert math.log(estimate.ratio) == pytest.approx(0.1)
    low, high = estimate.interval
    assert math.log(high / low) == pytest.approx(2 * 4.27 * 0.02 / math.sqrt(14), rel=1e-2)
    assert estimate_beside(values[:7], PLAN) is None
