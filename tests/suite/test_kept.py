"""Memory is bounded whatever a suite does."""

from __future__ import annotations

from typing import Any

from wirespeed.testing.suite.kept import (
    MOST_CALLS,
    MOST_ENDPOINTS,
    Call,
    Capture,
    Endpoint,
    EndpointKey,
    Kept,
)


def endpoint(path: str = "/") -> Endpoint:
    return Endpoint(
        EndpointKey("GET", path, "app:read"), found=None, own_handler=None, stream=None, may_be_slow=True
    )


def capture(body_bytes: int, size_bytes: int = 0) -> Capture:
    return Capture(object(), None, size_bytes or body_bytes, body_bytes)


def added(kept: Kept, path: str = "/") -> Endpoint:
    made = kept.add(endpoint(path))
    assert made is not None
    return made


def sizes(of: Endpoint) -> list[int]:
    return [each.body_bytes for each in of.captures]


def test_an_endpoint_keeps_its_first_its_largest_and_its_latest_answer() -> None:
    kept = Kept()
    one = added(kept)

    for size in (10, 500, 20, 30, 40):
        kept.keep(one, capture(size))

    assert sizes(one) == [10, 500, 40]
    assert kept.size_bytes == 550


def test_an_app_made_anew_for_every_test_counts_as_one() -> None:
    kept = Kept()

    assert kept.add(endpoint()) is kept.add(endpoint())
    assert len(kept.endpoints) == 1


def test_other_endpoints_give_up_what_is_not_their_largest_when_room_is_short() -> None:
    kept = Kept(most_bytes=950)
    one, other = added(kept, "/one"), added(kept, "/other")
    for size in (300, 200, 100):
        kept.keep(one, capture(size))

    kept.keep(other, capture(600))

    assert sizes(one) == [300]
    assert sizes(other) == [600]
    assert kept.size_bytes == 900


def test_where_there_is_no_room_an_answer_is_not_kept_and_that_is_said() -> None:
    kept = Kept(most_bytes=1000)
    one, other = added(kept, "/one"), added(kept, "/other")
    kept.keep(one, capture(700))

    kept.keep(other, capture(600))

    assert sizes(other) == []
    assert other.not_kept == "all that is kept of the other endpoints leaves no room"
    assert kept.size_bytes == 700


def test_the_bytes_never_exceed_the_bound_nor_does_their_sum_drift() -> None:
    kept = Kept(most_bytes=1000)
    endpoints = [added(kept, f"/{number}") for number in range(7)]

    for step in range(500):
        kept.keep(endpoints[step * 5 % 7], capture(step * 37 % 400 + 1))
        everything: list[Any] = [each for one in endpoints for each in one.captures]
        assert kept.size_bytes == sum(each.size_bytes for each in everything) <= 1000


def test_beyond_a_number_of_endpoints_more_are_counted_and_not_kept() -> None:
    kept = Kept()
    for number in range(MOST_ENDPOINTS):
        added(kept, f"/{number}")

    assert kept.add(endpoint("/one-more")) is None
    assert kept.refused == 1


def test_an_endpoint_that_every_test_calls_is_kept_ever_more_rarely() -> None:
    kept = Kept()
    one = added(kept)
    turns = []
    for turn in range(1, 1000):
        if kept.is_due(one, length=1):
            turns.append(turn)
            kept.keep(one, capture(10))
        kept.succeed(one, Call(10, 5, 2), status=200, content_type="", fast_path=False)

    assert turns == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert len(one.calls) == MOST_CALLS


def test_a_much_longer_value_is_kept_out_of_turn() -> None:
    kept = Kept()
    one = added(kept)
    assert kept.is_due(one, length=10)
    assert kept.is_due(one, length=10)

    assert not kept.is_due(one, length=19)
    one.values = 4
    assert kept.is_due(one, length=20)
    assert not kept.is_due(one, length=20)


def test_tests_are_counted_once_each() -> None:
    kept = Kept()
    one = added(kept)
    for test in ("a", "a", "b", None, "b"):
        kept.count(one, test)

    assert (one.requests, one.tests, one.first_test) == (5, 2, "a")
