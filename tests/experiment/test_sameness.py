"""When two arms answer alike, and where they do not; what changes by itself tells nobody apart."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from wirespeed.experiment.sameness import Answer, differences, joined, unstable_places

JSON = {"content-type": "application/json"}


def answer(body: object, **changed: Any) -> Answer:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(changed.get("status", 200), changed.get("headers", JSON), content)


def places(one: Answer, other: Answer, *unstable: str) -> list[str]:
    return [each.at for each in differences(one, other, unstable)]


def test_equal_values_in_other_bytes_are_the_same() -> None:
    one = answer(b'{"a": 1, "b": [1.50, 2]}')
    other = answer(b'{"b":[1.5,2],"a":1}')
    assert places(one, other) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [(True, 1), (0, False), ("1", 1), (None, ""), ([], {}), (0.1, 0.10000000000000001e1)],
)
def test_values_of_other_types_are_not_the_same(one: object, other: object) -> None:
    assert places(answer([one]), answer([other])) == ["$[0]"]


def test_every_place_that_differs_is_named_with_both_values() -> None:
    found = list(differences(answer({"a": 1, "b": [{"c": 2}]}), answer({"a": 3, "b": [{"c": 2}, 4]})))
    assert [(each.at, each.baseline, each.arm) for each in found] == [
        ("$.a", 1, 3),
        ("$.b[1]", "(absent)", 4),
    ]


def test_status_and_content_type_count() -> None:
    other = answer([], status=201, headers={"content-type": "text/plain"})
    assert places(answer([]), other) == ["status", "header content-type"]


def test_other_headers_do_not_count() -> None:
    assert places(answer([]), answer([], headers={**JSON, "server": "granian", "x-id": "7"})) == []


def test_bodies_that_are_no_json_are_compared_as_bytes() -> None:
    one, other = answer(b"x" * 100_000 + b"hello world"), answer(b"x" * 100_000 + b"hello moon")
    (found,) = differences(one, other)
    assert found.at == "body"
    assert found.baseline.endswith("hello world")
    assert found.arm.endswith("hello moon")


def test_compressed_bodies_are_compared_as_what_they_hold() -> None:
    headers = {**JSON, "content-encoding": "gzip"}
    one, other = (answer(gzip.compress(b"[1]", level), headers=headers) for level in (1, 9))
    assert places(one, other) == []
    assert places(one, answer(gzip.compress(b"[2]"), headers=headers)) == ["$[0]"]


def test_a_broken_compression_is_compared_as_sent() -> None:
    headers = {**JSON, "content-encoding": "gzip"}
    assert places(answer(b"no gzip", headers=headers), answer(b"no gzip at all", headers=headers)) == ["body"]


def test_what_changes_from_call_to_call_is_not_compared() -> None:
    times = [answer({"now": number, "items": [1, 2]}) for number in range(3)]
    unstable = unstable_places([times])
    assert unstable == ("$.now",)
    assert places(times[0], answer({"now": 99, "items": [1, 3]}), *unstable) == ["$.items[1]"]


def test_what_lies_below_an_unstable_place_is_not_compared_either() -> None:
    assert places(answer({"a": {"b": 1}}), answer({"a": {"b": 2}}), "$.a") == []
    assert places(answer({"ab": 1}), answer({"ab": 2}), "$.a") == ["$.ab"]


def test_a_body_that_changes_all_over_is_not_compared_at_all() -> None:
    unstable = unstable_places([[answer(list(range(50))), answer(list(range(1, 51)))]])
    assert unstable == ("body",)
    assert places(answer([1]), answer([2]), *unstable) == []


def test_an_unstable_body_does_not_hide_a_status() -> None:
    assert places(answer([1]), answer([2], status=500), "body") == ["status"]


def test_long_values_are_shown_short() -> None:
    (found,) = differences(answer(["x" * 1000]), answer([{"key": "y" * 1000}]))
    assert max(len(found.baseline), len(found.arm)) <= 80


def test_repeated_headers_are_one_list() -> None:
    assert joined([("Set-Cookie", "a"), ("set-cookie", "b"), ("X", "1")]) == {"set-cookie": "a, b", "x": "1"}
