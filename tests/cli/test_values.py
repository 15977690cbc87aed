"""How numbers and pairs may be written on the command line, and what is said of those that may not."""

from __future__ import annotations

import pytest

from wirespeed.cli.values import (
    assignments,
    chosen_seed,
    duration_s,
    enough_rounds,
    fraction,
    rule_codes,
)
from wirespeed.errors import UsageError

RULES = ["WS101", "WS102", "WS203"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60s", 60), ("60", 60), ("2m", 120), ("1h", 3600), ("500ms", 0.5), ("1.5 s", 1.5), (".5m", 30)],
)
def test_durations_carry_their_unit_or_are_seconds(text: str, seconds: float) -> None:
    assert duration_s(text, "--budget") == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "0", "0s", "-1s", "1d", "s", "1m30s", "inf", "nan", "1e3", "9" * 400])
def test_a_duration_that_is_none_is_refused_with_one_that_is(text: str) -> None:
    with pytest.raises(UsageError, match="not a duration") as refused:
        duration_s(text, "--budget")

    assert "--budget 60s" in str(refused.value.advice)


@pytest.mark.parametrize(("text", "value"), [("2%", 0.02), ("0.02", 0.02), ("0.5 %", 0.005), (".1", 0.1)])
def test_shares_are_written_in_per_cent_or_as_fractions(text: str, value: float) -> None:
    assert fraction(text, "--margin") == pytest.approx(value)


@pytest.mark.parametrize("text", ["2", "1", "0", "0%", "100%", "-2%", "two", ""])
def test_a_share_that_could_mean_anything_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        fraction(text, "--margin")

    assert refused.value.advice == "Write --margin 2% or --margin 0.02."


def test_assignments_keep_what_follows_the_first_equals_sign() -> None:
    assert assignments(["A=1", "URL=sqlite:///x?a=b", "EMPTY="], "--env") == {
        "A": "1",
        "URL": "sqlite:///x?a=b",
        "EMPTY": "",
    }


@pytest.mark.parametrize("text", ["A", "=1", " =1", "A=\0"])
def test_an_assignment_without_both_sides_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="does not set anything"):
        assignments([text], "--env")


def test_rule_codes_are_lists_of_codes_or_of_families() -> None:
    assert rule_codes(["ws101, WS2", "WS101"], "--fail-on", RULES) == ("WS101", "WS2")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("WS103", "There are WS101, WS102."),
        ("E501", "There are WS101, WS102, WS203."),
        ("WS101,", "There are WS101"),
    ],
)
def test_a_code_that_no_rule_has_is_answered_with_those_there_are(text: str, advice: str) -> None:
    with pytest.raises(UsageError) as refused:
        rule_codes([text], "--fail-on", RULES)

    assert str(refused.value.advice).startswith(advice)


def test_one_round_is_not_enough_for_an_interval() -> None:
    assert enough_rounds(2) == 2
    with pytest.raises(UsageError, match="--rounds 1"):
        enough_rounds(1)


def test_a_seed_is_the_one_asked_for_or_a_fresh_one() -> None:
    assert chosen_seed(0) == 0
    assert len({chosen_seed(None) for _ in range(8)}) > 1
    with pytest.raises(UsageError):
        chosen_seed(-1)
