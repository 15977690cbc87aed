"""Counts against the exact values, and the encoding against HdrHistogram's own implementation."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.stats.histogram import HIGHEST_NS, Histogram, IntArray

nanoseconds = st.lists(st.integers(0, HIGHEST_NS), min_size=1, max_size=200)


def histogram_of(values: IntArray | list[int]) -> Histogram:
    histogram = Histogram()
    histogram.record(np.asarray(values, dtype=np.int64))
    return histogram


def latencies(size: int = 20_000) -> IntArray:
    return np.random.default_rng(7).lognormal(16, 1.5, size).astype(np.int64)


@given(nanoseconds, st.floats(0.001, 0.999))
def test_a_percentile_is_off_by_at_most_a_thousandth(values: list[int], share: float) -> None:
    shown = histogram_of(values).percentile_ns(share)
    exact = int(np.quantile(values, share, method="inverted_cdf"))
    assert shown is not None
    assert exact <= shown <= exact * 1.001 + 1


@given(nanoseconds)
def test_smallest_largest_mean_and_number_are_exact(values: list[int]) -> None:
    histogram = histogram_of(values)
    assert histogram.min_ns == min(values)
    assert histogram.max_ns == max(values)
    assert histogram.mean_ns == sum(values) / len(values)
    assert histogram.total == len(values)


def test_the_standard_deviation_agrees_with_that_of_the_values() -> None:
    values = latencies()
    assert histogram_of(values).stdev_ns == pytest.approx(values.std(ddof=1), rel=1e-3)


@given(nanoseconds, nanoseconds)
def test_merging_parts_gives_the_histogram_of_the_whole(left: list[int], right: list[int]) -> None:
    merged = histogram_of(left)
    merged.add(histogram_of(right))
    assert merged.encode() == histogram_of(left + right).encode()
    assert merged.max_ns == max(left + right)


@given(nanoseconds)
def test_a_histogram_is_the_same_in_another_process(values: list[int]) -> None:
    histogram = histogram_of(values)
    copy = pickle.loads(pickle.dumps(histogram))
    assert copy.encode() == histogram.encode()
    assert (copy.min_ns, copy.max_ns, copy.mean_ns) == (histogram.min_ns, histogram.max_ns, histogram.mean_ns)


@given(nanoseconds)
def test_what_is_encoded_is_read_back(values: list[int]) -> None:
    histogram = histogram_of(values)
    copy = Histogram.decode(histogram.encode())
    assert dict(copy.slots()) == dict(histogram.slots())
    assert copy.total == histogram.total
    assert copy.mean_ns == pytest.approx(sum(values) / len(values), rel=1e-3, abs=1)


@pytest.mark.parametrize("text", ["", "AAAA", "HISTFAAAABA=", "not base64!"])
def test_what_is_no_histogram_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Histogram.decode(text)


def test_a_histogram_of_nothing_claims_nothing() -> None:
    empty = Histogram()
    empty.record(np.array([], dtype=np.int64))
    empty.add(Histogram())
    assert empty.percentile_ns(0.5) is empty.mean_ns is empty.stdev_ns is empty.min_ns is empty.max_ns is None


def test_values_beyond_a_day_and_below_zero_are_counted_at_the_ends() -> None:
    histogram = histogram_of([-5, HIGHEST_NS * 3])
    assert (histogram.total, histogram.min_ns, histogram.max_ns) == (2, 0, HIGHEST_NS)


@pytest.mark.parametrize(("share", "enough"), [(0.5, 20), (0.9, 100), (0.99, 1000), (0.999, 10_000)])
def test_a_percentile_is_supported_by_ten_values_beyond_it(share: float, enough: int) -> None:
    assert histogram_of([1] * enough).supports(share)
    assert not histogram_of([1] * (enough - 1)).supports(share)


def test_counts_between_edges_leave_nothing_out() -> None:
    values = latencies()
    edges = np.linspace(0, values.max() * 1.002, 12)
    counted = histogram_of(values).counts_between(list(edges))
    assert sum(counted) == len(values)
    assert counted == pytest.approx(np.histogram(values, edges)[0], abs=0.002 * len(values))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_other_tools_read_the_encoded_histogram_as_we_do() -> None:
    hdrh = pytest.importorskip("hdrh.histogram")
    # 20,000 values: all ranks below are whole numbers, which implementations do not round differently.
    histogram = histogram_of(np.concatenate([latencies(19_995), np.array([0, 1, 2047, 2048, HIGHEST_NS])]))
    theirs = hdrh.HdrHistogram.decode(histogram.encode())
    assert theirs.get_total_count() == histogram.total
    for percent in (1, 10, 50, 90, 99, 99.9):
        ours = histogram.percentile_ns(percent / 100)
        assert theirs.get_highest_equivalent_value(theirs.get_value_at_percentile(percent)) == ours
    assert dict(histogram.slots()) == dict(slots_of(theirs))


def slots_of(histogram: Any) -> Iterator[tuple[int, int]]:
    for item in histogram.get_recorded_iterator():
        yield histogram.get_lowest_equivalent_value(item.value_iterated_to), item.count_at_value_iterated_to
