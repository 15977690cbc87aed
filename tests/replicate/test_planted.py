"""Every claim can fail: an app is served for which it must."""

import pytest

from wirespeed.model.replication import ClaimVerdict
from wirespeed.replicate.suites import serialization_routes, sync_async, typed_response

from .planting import planted, verdicts

pytestmark = pytest.mark.slow

HOLDS, DOES_NOT_HOLD = ClaimVerdict.HOLDS, ClaimVerdict.DOES_NOT_HOLD


def test_no_claim_about_typed_responses_holds_where_types_make_answers_slower() -> None:
    told = verdicts(planted(typed_response.SUITE, "typed_response"))
    assert set(told.values()) == {DOES_NOT_HOLD}


def test_no_claim_about_async_def_holds_where_def_takes_eight_times_as_long() -> None:
    told = verdicts(planted(sync_async.SUITE, "sync_async"))
    assert set(told.values()) == {DOES_NOT_HOLD}


def test_no_claim_but_one_about_serialization_holds_where_its_order_is_reversed() -> None:
    told = verdicts(planted(serialization_routes.SUITE, "serialization_routes"))
    holding = {statement for statement, verdict in told.items() if verdict is HOLDS}
    assert holding == {"rebuilding the adapter of a model costs less than 2 times"}
    assert set(told.values()) == {HOLDS, DOES_NOT_HOLD}


def test_dear_rebuilding_refutes_that_it_is_cheap_and_a_failing_guard_confirms_the_guard() -> None:
    steps = serialization_routes.MODELS, serialization_routes.GUARDING
    told = verdicts(planted(serialization_routes.SUITE, "costly_rebuild", *steps))
    assert told["rebuilding the adapter of a model costs less than 2 times"] is DOES_NOT_HOLD
    guard = next(verdict for statement, verdict in told.items() if "JSONResponse built by hand" in statement)
    assert guard is HOLDS
