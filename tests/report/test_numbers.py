"""How numbers read: three digits, the unit that fits, and never more certainty than the interval has."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.report.numbers import duration, elapsed, from_to, share, size, speed, speed_interval, spread

NS_OF = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}


@pytest.mark.parametrize(
    ("ns", "spelled"),
    [
        (0, "0.00 ns"),
        (840, "840 ns"),
        (999.4, "999 ns"),
        (999.6, "1.00 µs"),
        (48_000, "48.0 µs"),
        (340_000, "340 µs"),
        (999_600, "1.00 ms"),
        (6_310_000, "6.31 ms"),
        (9_996_000, "10.0 ms"),
        (99_960_000, "100 ms"),
        (4_000_000_000, "4.00 s"),
        (3_600_000_000_000, "3600 s"),
    ],
)
def test_a_duration_has_three_digits_and_the_unit_that_suits_it(ns: float, spelled: str) -> None:
    assert duration(ns) == spelled


@given(st.floats(min_value=1, max_value=9e11))
def test_no_duration_is_off_by_more_than_its_last_digit(ns: float) -> None:
    number, unit = duration(ns).split()
    assert math.isclose(float(number) * NS_OF[unit], ns, rel_tol=0.0051)


@pytest.mark.parametrize(
    ("count", "spelled"),
    [
        (0, "0 B"),
        (17, "17 B"),
        (999, "999 B"),
        (2100, "2.10 kB"),
        (75_171, "75.2 kB"),
        (3_000_000, "3.00 MB"),
    ],
)
def test_sizes_are_exact_in_bytes_and_rounded_above(count: int, spelled: str) -> None:
    assert size(count) == spelled


@pytest.mark.parametrize(
    ("before", "after", "spelled"),
    [
        (137_000, 215_000, "137 → 215 µs"),
        (52_300_000, 43_250_000, "52.3 → 43.2 ms"),
        (9_400_000, 600_000, "9.40 → 0.60 ms"),
        (6_310_000, 48_000, "6.31 ms → 48.0 µs"),
        (850_000, 1_200_000, "0.85 → 1.20 ms"),
    ],
)
def test_before_and_after_share_a_unit_unless_one_would_vanish(
    before: float, after: float, spelled: str
) -> None:
    assert from_to(before, after) == spelled


@pytest.mark.parametrize(
    ("fraction", "spelled"),
    [(0.0, "0 %"), (0.0003, "<0.1 %"), (0.0063, "0.6 %"), (0.02, "2 %"), (0.962, "96 %"), (1.0, "100 %")],
)
def test_shares_are_per_cent(fraction: float, spelled: str) -> None:
    assert share(fraction) == spelled


@pytest.mark.parametrize(
    ("seconds", "spelled"), [(0.93, "0.9 s"), (12.2, "12 s"), (59.7, "1 min 0 s"), (187.4, "3 min 7 s")]
)
def test_elapsed_time_reads_as_people_say_it(seconds: float, spelled: str) -> None:
    assert elapsed(seconds) == spelled


@pytest.mark.parametrize(
    ("ratio", "interval", "spelled"),
    [
        (0.0538, (0.0519, 0.0558), "18.6× faster [17.9, 19.3]"),
        (0.5, (0.48, 0.52), "2.00× faster [1.92, 2.08]"),
        (0.101, (0.099, 0.103), "9.90× faster [9.71, 10.1]"),
        (0.928, (0.916, 0.941), "7.2 % faster [5.9, 8.4]"),
        (1.57, (1.55, 1.6), "1.57× slower [1.55, 1.60]"),
        (1.061, (1.043, 1.08), "6.1 % slower [4.3, 8.0]"),
        (0.004, (0.0, 0.009), "250.0× faster [111.1, ∞]"),
    ],
)
def test_large_ratios_are_factors_and_small_ones_per_cent(
    ratio: float, interval: tuple[float, float], spelled: str
) -> None:
    assert f"{speed(ratio)} {speed_interval(ratio, interval)}" == spelled


@pytest.mark.parametrize("ratio", [1.0, 1.0004, 0.9996])
def test_a_change_that_rounds_to_nothing_is_called_unchanged(ratio: float) -> None:
    assert speed(ratio) == "unchanged"


@given(st.floats(min_value=0.01, max_value=0.99), st.floats(min_value=1.01, max_value=100))
def test_an_undecided_interval_names_both_possibilities(low: float, high: float) -> None:
    told = spread((low, high))
    assert told.startswith("between ") and "slower and " in told and told.endswith(" faster")


@given(st.floats(min_value=1e-6, max_value=1e6))
def test_the_direction_is_never_turned_round(ratio: float) -> None:
    told = speed(ratio)
    assert told == "unchanged" or told.endswith("faster" if ratio < 1 else "slower")
