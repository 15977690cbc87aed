"""Whatever one endpoint does, the others are advised on, and its own line says what it did."""

from __future__ import annotations

import pytest

from wirespeed.model.advice import Advice

from .conftest import MakePlan, advise_quickly, endpoint

pytestmark = pytest.mark.slow

DEADLINE_S = 0.5


@pytest.fixture(scope="module")
def advice(plan: MakePlan) -> Advice:
    return advise_quickly(plan("trouble:app", deadline_s=DEADLINE_S)).advice


ANSWERED = {
    "/raises": (500, "LookupError: no such table"),
    "/unavailable": (503, "an error is not the cost of an endpoint"),
    "/unauthorized": (401, "give credentials with --header 'Authorization: …'"),
    "/redirects": (302, "a redirect has nothing to serialize"),
    "/waits-forever": (None, "no answer within 0.5 s"),
}


@pytest.mark.parametrize("path", ANSWERED)
def test_an_answer_that_is_no_cost_is_named_with_its_status(advice: Advice, path: str) -> None:
    found = endpoint(advice, f"GET {path}")

    assert (found.status, found.note) == ANSWERED[path]
    assert (found.conclusion, found.whole_ns, found.arms) == ("failed", None, ())


def test_an_endless_stream_is_given_up_at_the_deadline(advice: Advice) -> None:
    found = endpoint(advice, "GET /streams-forever")

    assert (found.status, found.conclusion) == (200, "failed")
    assert found.note is not None
    assert found.note.startswith(("no end of the answer within", "still sending after"))


def test_an_endpoint_that_never_gives_the_loop_back_is_named(advice: Advice) -> None:
    found = endpoint(advice, "GET /blocks-forever")

    assert found.conclusion == "failed"
    assert found.note is not None
    assert found.note.startswith("Gave up calling GET /blocks-forever")


def test_an_endpoint_that_ends_the_process_is_named_with_how_it_ended(advice: Advice) -> None:
    found = endpoint(advice, "GET /ends-the-process")

    assert found.conclusion == "failed"
    assert found.note is not None
    assert "GET /ends-the-process" in found.note
    assert "3" in found.note


def test_what_differs_from_call_to_call_is_masked_and_named_and_the_rest_is_advised_on(
    advice: Advice,
) -> None:
    found = endpoint(advice, "GET /different-every-time")

    assert set(found.unstable) == {"$[*].ticket", "$[*].luck"}
    assert [each.fidelity for each in found.arms if each.whole is not None]
    assert {each.fidelity for each in found.arms} == {"identical"}


def test_an_endpoint_whose_status_changes_is_not_measured(advice: Advice) -> None:
    found = endpoint(advice, "GET /another-status-every-time")

    assert (found.conclusion, found.arms) == ("failed", ())


@pytest.mark.parametrize("path", ["/fine", "/fine-too", "/prints"])
def test_one_endpoint_in_trouble_never_stops_the_others(advice: Advice, path: str) -> None:
    found = endpoint(advice, f"GET {path}")

    assert found.status == 200
    assert "WS101" in {finding.code for finding in found.findings}
    assert any(each.whole is not None and each.fidelity == "identical" for each in found.arms)


def test_all_of_it_is_in_the_document(advice: Advice) -> None:
    assert len(advice.endpoints) == 13
    assert advice.plan.rounds == 3
    assert advice.complete
    assert Advice.model_validate_json(advice.to_json()) == advice
