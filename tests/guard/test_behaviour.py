"""What clients would notice is told before anybody speaks of speed."""

from typing import Any

import pytest

from wirespeed.guard.behaviour import (
    Witnessed,
    answer_change,
    is_allowed,
    lost_change,
    removed_change,
    status_change,
)
from wirespeed.model.advice import Difference


def witnessed(*outcomes: int | str) -> Witnessed:
    seen = Witnessed()
    for outcome in outcomes:
        answer: dict[str, Any] | None = None
        if isinstance(outcome, int):
            answer = {"status": outcome, "headers": [], "body": ""}
        failed = outcome if isinstance(outcome, str) else None
        seen.add({"answer": answer, "failed": failed, "actions": []})
    return seen


def difference(at: str) -> Difference:
    return Difference(at=at, baseline=1, arm=2)


def test_a_500_in_head_is_a_change_that_nothing_allows() -> None:
    change = status_change("GET /a", witnessed(200, 200), witnessed(500))
    assert (change.change, change.allowed) == ("status", False)
    assert [(each.baseline, each.arm) for each in change.differences] == [(200, 500)]


def test_an_exception_in_head_is_a_change_and_its_words_are_told() -> None:
    change = status_change("GET /a", witnessed(200), witnessed("ValueError: no"))
    assert (change.change, change.allowed) == ("failed", False)
    assert change.differences[0].arm == "ValueError: no"


def test_a_failure_now_and_then_is_a_change() -> None:
    change = status_change("GET /a", witnessed(200, 200, 200), witnessed(200, 500, 200))
    assert change.differences[0].arm == 500


@pytest.mark.parametrize("broken", [500, 503, "ValueError: no"])
def test_what_base_fails_at_and_head_does_not_is_blamed_on_nobody(broken: int | str) -> None:
    assert status_change("GET /a", witnessed(broken), witnessed(200)).allowed


def test_exceptions_are_alike_whatever_they_say() -> None:
    assert witnessed("at 0x1f").kinds == witnessed("at 0x2e").kinds


def test_a_changed_body_fails_unless_it_is_allowed() -> None:
    for allowed in (True, False):
        change = answer_change("GET /a", [difference("$.price")], is_allowed=allowed)
        assert change is not None
        assert (change.change, change.allowed) == ("body", allowed)


def test_a_changed_content_type_counts_as_a_changed_body() -> None:
    change = answer_change("GET /a", [difference("header content-type")], is_allowed=False)
    assert change is not None
    assert (change.change, change.allowed) == ("body", False)


def test_other_headers_are_told_and_fail_no_guard() -> None:
    change = answer_change("GET /a", [difference("header x-version")], is_allowed=False)
    assert change is not None
    assert (change.change, change.allowed) == ("headers", True)


def test_the_same_answer_is_no_change() -> None:
    assert answer_change("GET /a", [], is_allowed=False) is None


def test_a_route_or_a_process_that_is_gone_is_a_change_that_nothing_allows() -> None:
    assert not removed_change("GET /a").allowed
    assert not lost_change("GET /a", 200, "the process was killed").allowed


@pytest.mark.parametrize(
    ("pattern", "allowed"),
    [
        ("/orders/7", True),
        ("/orders/7?full=1", True),
        ("/orders/{id}", True),
        ("/orders/{order_id}", True),
        ("/orders", False),
        ("/orders/{id}/lines", False),
        ("/orders/8", False),
    ],
)
def test_a_body_may_change_where_its_path_or_its_routes_is_named(pattern: str, allowed: bool) -> None:
    assert is_allowed("/orders/7?full=1", "/orders/{order_id}", (pattern,)) is allowed
