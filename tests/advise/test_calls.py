"""How often an endpoint's own code runs is what the safety page promises, and what acts is called once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from wirespeed.diagnosis.probing import PROBE_CALLS, PROFILE_CALLS, PROFILED_AT_MOST
from wirespeed.model.advice import Advice
from wirespeed.model.request import Request
from wirespeed_agent.screening import SECOND_LOOKS

from .conftest import MakePlan, advise_quickly, endpoint

pytestmark = pytest.mark.slow

ROUNDS = 3
LIVE = 2
FIRST_CALL = 1
SAFETY = Path(__file__).parents[2] / "docs" / "safety.md"


@pytest.fixture(scope="module")
def counted(plan: MakePlan, tmp_path_factory: pytest.TempPathFactory) -> tuple[Advice, Counter[str], Path]:
    """The advice, how often each endpoint's code ran, and the folder it ran in."""
    folder = tmp_path_factory.mktemp("counts")
    named = (
        Request(method="GET", path="/named"),
        Request(method="GET", path="/writes-by-name"),
        Request(method="POST", path="/orders", body=b'["tent"]'),
    )
    advice = advise_quickly(
        plan(
            "counting:app",
            named=named,
            env={"COUNT_IN": str(folder)},
            rounds=ROUNDS,
            live_calls=LIVE,
        )
    ).advice
    words = [line.split()[1] for line in (folder / "calls").read_text().splitlines()]
    return advice, Counter(list(_until_the_edited_app(words))), folder


def _until_the_edited_app(words: Iterable[str]) -> Iterator[str]:
    """What was called in round 0 and in the confirming rounds; each begins with a start."""
    starts = 0
    for word in words:
        starts += word == "start"
        if starts > 1 + ROUNDS:
            return
        yield word


def test_an_endpoints_own_code_runs_no_more_often_than_promised(
    counted: tuple[Advice, Counter[str], Path],
) -> None:
    advice, calls, _ = counted
    remedies = sum(each.fidelity != "different" for each in endpoint(advice, "GET /rows").arms)
    promised = FIRST_CALL + PROBE_CALLS + SECOND_LOOKS + remedies + PROFILE_CALLS + ROUNDS * LIVE

    assert ROUNDS * LIVE < calls["rows"] <= promised
    assert calls["dependency"] == calls["rows"]


def test_the_safety_page_promises_these_numbers() -> None:
    page, in_words = SAFETY.read_text(), {8: "eight"}

    assert f"and where its time goes | up to {PROBE_CALLS} times |" in page
    assert f"take another time than the answer | up to {SECOND_LOOKS} times |" in page
    assert f"for the slowest {in_words[PROFILED_AT_MOST]} | up to {PROFILE_CALLS} times |" in page


def test_an_endpoint_without_remedies_is_called_in_round_zero_only(
    counted: tuple[Advice, Counter[str], Path],
) -> None:
    advice, calls, _ = counted

    assert endpoint(advice, "GET /typed").arms == ()
    assert calls["typed"] <= FIRST_CALL + PROBE_CALLS + PROFILE_CALLS


def test_a_get_that_acts_is_called_once_and_says_what_it_did(
    counted: tuple[Advice, Counter[str], Path],
) -> None:
    advice, calls, folder = counted
    found = endpoint(advice, "GET /writes")

    assert calls["writes"] == 1
    assert found.conclusion == "unsafe"
    assert found.note == f"it wrote to {folder}/written; --get '/writes' measures it all the same"
    assert found.arms == ()


def test_a_get_that_acts_and_is_named_is_measured(counted: tuple[Advice, Counter[str], Path]) -> None:
    advice, calls, _ = counted
    found = endpoint(advice, "GET /writes-by-name")

    assert calls["writes-by-name"] > 1
    assert found.conclusion != "unsafe"
    assert any(each.whole is not None for each in found.arms)


def test_an_endpoint_that_fails_is_called_once(counted: tuple[Advice, Counter[str], Path]) -> None:
    advice, calls, _ = counted

    assert calls["refuses"] == 1
    assert endpoint(advice, "GET /refuses").conclusion == "failed"


def test_what_is_not_safe_and_not_named_is_never_called(counted: tuple[Advice, Counter[str], Path]) -> None:
    advice, calls, _ = counted

    assert calls["restart"] == calls["never"] == 0
    assert {(each.method, each.path) for each in advice.skipped} == {("GET", "/restart"), ("POST", "/never")}


def test_a_post_that_is_named_with_its_body_is_measured_by_replay(
    counted: tuple[Advice, Counter[str], Path],
) -> None:
    advice, calls, _ = counted
    found = endpoint(advice, "POST /orders")
    measured = [each for each in found.arms if each.whole is not None]

    assert found.status == 201
    assert measured, (found.note, [(each.name, each.reason) for each in found.arms])
    assert all(each.fidelity == "identical" for each in measured)
    assert calls["orders"] > 1


def test_an_endpoint_that_fails_in_a_later_round_has_no_verdicts_and_says_why(
    counted: tuple[Advice, Counter[str], Path],
) -> None:
    found = endpoint(counted[0], "GET /fails-in-the-third-process")

    assert found.conclusion == "failed"
    assert found.note == "it failed while it was measured: LookupError: the connection is gone"
    assert found.whole_ns is not None
    assert {each.whole for each in found.arms} == {None}


def test_a_value_that_comes_only_in_a_later_round_still_counts_for_fidelity(
    counted: tuple[Advice, Counter[str], Path],
) -> None:
    found = endpoint(counted[0], "GET /changes-in-the-third-process")

    assert {each.fidelity for each in found.arms if each.whole is not None} == {"equal"}
    assert found.conclusion != "remedy"


def test_every_round_starts_one_process_and_round_zero_another(
    counted: tuple[Advice, Counter[str], Path],
) -> None:
    assert counted[1]["start"] == 1 + ROUNDS
