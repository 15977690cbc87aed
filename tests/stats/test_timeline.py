"""Counts over time: nothing is lost when runs get long or parts are merged."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.stats.timeline import MAX_SLOTS, Timeline

S = 1_000_000_000
moments = st.lists(st.integers(0, 100_000 * S), max_size=50)


def timeline_of(values: list[int]) -> Timeline:
    timeline = Timeline()
    for value in values:
        timeline.record(np.array([value], dtype=np.int64))
    return timeline


def test_events_are_counted_by_the_second() -> None:
    timeline = Timeline()
    timeline.record(np.array([0, S - 1, 2 * S], dtype=np.int64))
    assert (timeline.counts(), timeline.slot_s) == ([2, 0, 1], 1)


@given(moments)
def test_no_event_of_a_long_run_is_lost_and_memory_stays_as_it_was(values: list[int]) -> None:
    timeline = timeline_of(values)
    assert sum(timeline.counts()) == len(values)
    assert len(timeline.counts()) <= MAX_SLOTS
    for slot, count in enumerate(timeline.counts()):
        inside = [value for value in values if value // S // timeline.slot_s == slot]
        assert len(inside) == count


@given(moments, moments)
def test_merging_parts_gives_the_timeline_of_the_whole(left: list[int], right: list[int]) -> None:
    merged, whole = timeline_of(left), timeline_of(left + right)
    merged.add(timeline_of(right))
    assert (merged.counts(), merged.slot_s) == (whole.counts(), whole.slot_s)
