"""A guard that is wrong no more often than it says: by simulation, with the functions that decide."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.guard.judging import LOOKS, Procedure, judge, looks_within, twin_judgement
from wirespeed.model.guard import GuardDecision

LIMIT = 0.02
SPREAD = 0.012
ENDPOINTS = 10
GUARDS = 400
THREE_SIGMA = 3


def procedure_of(rounds: int = 40, endpoints: int = ENDPOINTS, **more: float) -> Procedure:
    return Procedure(endpoints=endpoints, max_slowdown=LIMIT, looks=looks_within(rounds), **more)  # type: ignore[arg-type]


def guards_that(
    decision: GuardDecision, effects: list[float], *, rounds: int, spread: float = SPREAD, seed: int = 0
) -> float:
    """Share of simulated guards that end so; ``effects`` are log ratios, one an endpoint."""
    rng = np.random.default_rng(seed)
    procedure = procedure_of(rounds, len(effects))
    ends = [_guard(rng.normal(effects, spread, (rounds, len(effects))), procedure) for _ in range(GUARDS)]
    return ends.count(decision) / GUARDS


def _guard(
    log_ratios: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", procedure: Procedure
) -> GuardDecision:
    figures = [(log_ratios.mean(axis=1), procedure.alpha_overall)]
    figures += [(endpoint, procedure.alpha_endpoint) for endpoint in log_ratios.T]
    judged = [judge(list(values), alpha, procedure) for values, alpha in figures]
    decisions = {each.decision for each in judged if each is not None}
    if GuardDecision.FAIL in decisions:
        return GuardDecision.FAIL
    return GuardDecision.PASS if decisions == {GuardDecision.PASS} else GuardDecision.INCONCLUSIVE


def rarely(promised: float) -> float:
    """What a share of ``promised`` may come to among so few guards."""
    return promised + THREE_SIGMA * math.sqrt(promised * (1 - promised) / GUARDS)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [6, 10, 40])
def test_ten_endpoints_on_the_limit_fail_wrongly_no_more_often_than_promised(rounds: int) -> None:
    on_the_limit = [math.log1p(LIMIT)] * ENDPOINTS
    assert guards_that(GuardDecision.FAIL, on_the_limit, rounds=rounds) <= rarely(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [6, 10, 40])
def test_one_endpoint_just_too_slow_is_passed_no_more_often_than_promised(rounds: int) -> None:
    one_too_slow = [0.0] * (ENDPOINTS - 1) + [math.log1p(LIMIT) + 1e-9]
    assert guards_that(GuardDecision.PASS, one_too_slow, rounds=rounds) <= rarely(0.05)


def test_code_that_did_not_change_does_not_fail() -> None:
    assert guards_that(GuardDecision.FAIL, [0.0] * ENDPOINTS, rounds=10) == 0


def test_code_that_did_not_change_mostly_passes_within_ten_rounds() -> None:
    assert guards_that(GuardDecision.PASS, [0.0] * ENDPOINTS, rounds=10) > 0.9


@pytest.mark.parametrize(("planted", "found"), [(0.05, 0.9), (0.10, 0.97)])
def test_a_slowdown_of_one_endpoint_in_ten_is_found_within_ten_rounds(planted: float, found: float) -> None:
    effects = [0.0] * (ENDPOINTS - 1) + [math.log1p(planted)]
    assert guards_that(GuardDecision.FAIL, effects, rounds=10, spread=0.01) >= found


def test_a_slowdown_everywhere_that_no_endpoint_shows_is_found_overall() -> None:
    procedure = procedure_of(12)
    rng = np.random.default_rng(3)
    log_ratios = rng.normal(0.03, 0.03, (12, ENDPOINTS))
    overall = judge(list(log_ratios.mean(axis=1)), procedure.alpha_overall, procedure)
    alone = [judge(list(each), procedure.alpha_endpoint, procedure) for each in log_ratios.T]

    assert overall is not None
    assert overall.decision is GuardDecision.FAIL
    assert GuardDecision.FAIL not in [each.decision for each in alone if each is not None]


def test_the_error_is_shared_out_completely() -> None:
    procedure = procedure_of()
    spent = procedure.alpha_overall + ENDPOINTS * procedure.alpha_endpoint
    assert spent == pytest.approx(procedure.alpha)
    assert procedure_of(endpoints=1).alpha_endpoint == procedure.alpha


def test_nothing_is_judged_before_the_first_look() -> None:
    procedure = procedure_of()
    assert judge([0.5] * (LOOKS[0] - 1), 0.01, procedure) is None
    assert twin_judgement([0.5] * (LOOKS[0] - 1), 0.01, procedure) is None


def test_rounds_after_the_look_that_decided_change_nothing() -> None:
    slow = [0.3, 0.31, 0.29, 0.3, 0.305, 0.295]
    procedure = procedure_of()
    assert judge([*slow, -5.0, -5.0], 0.01, procedure) == judge(slow, 0.01, procedure)


def test_what_would_decide_is_told_where_nothing_does() -> None:
    wide = [0.02, -0.02, 0.05, -0.04, 0.03, -0.01]
    judged = judge(wide, 0.01, procedure_of())
    assert judged is not None
    assert judged.decision is GuardDecision.INCONCLUSIVE
    assert judged.rounds_needed is not None
    assert judged.rounds_needed > len(wide)


def test_a_figure_on_the_limit_itself_is_never_decided() -> None:
    limit = math.log1p(LIMIT)
    judged = judge([limit + 0.01, limit - 0.01] * 20, 0.01, procedure_of())
    assert judged is not None
    assert judged.decision is GuardDecision.INCONCLUSIVE


def test_a_base_that_differs_from_itself_either_way_is_seen() -> None:
    procedure = procedure_of()
    slower = [0.3, 0.31, 0.29, 0.3, 0.305, 0.295]
    faster = [-each for each in slower]
    for rounds in (slower, faster):
        judged = twin_judgement(rounds, 0.01, procedure)
        assert judged is not None
        assert judged.decision is GuardDecision.FAIL


def test_a_base_that_differs_from_itself_by_less_than_matters_is_fit() -> None:
    negligible = [0.01 + wiggle for wiggle in (0.0, 0.0001, -0.0001, 0.0002, -0.0002, 0.0)]
    judged = twin_judgement(negligible, 0.01, procedure_of())
    assert judged is not None
    assert judged.low > 0
    assert judged.decision is GuardDecision.PASS


def test_a_round_without_a_finite_figure_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        judge([math.nan] * 8, 0.01, procedure_of())


@given(st.integers(min_value=0, max_value=200))
def test_looks_grow_and_end_with_what_there_is_time_for(rounds: int) -> None:
    looks = looks_within(rounds)
    assert all(one < other for one, other in pairwise(looks))
    assert looks[-1] == max(LOOKS[0], min(LOOKS[-1], rounds))


def test_rounds_that_depend_on_each_other_are_averaged_in_pairs() -> None:
    judged = judge([0.3, 0.31] * 6, 0.01, procedure_of(12, pairings=1))
    assert judged is not None
    assert judged.rounds == 6
    assert judged.decision is GuardDecision.FAIL
