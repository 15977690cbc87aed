"""Several files: repeats, their spread, and differences beyond it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from wirespeed.audit.repeats import differences, group_of, repeats
from wirespeed.model.audit import ToolRun

Run = Callable[..., ToolRun]


def verdicts(run: Run, **groups: tuple[float, ...]) -> list[str]:
    runs = [(name, run(requests_per_s=rate)) for name, rates in groups.items() for rate in rates]
    return [difference.verdict for difference in differences(repeats(runs))]


def test_a_label_goes_before_everything(run: Run) -> None:
    assert group_of("old", run(target="http://a/"), "x-1.txt") == "old"


def test_runs_of_one_target_are_repeats_unless_tool_or_connections_differ(run: Run) -> None:
    first = group_of(None, run(target="http://a/"), "x.txt")

    assert first == group_of(None, run(target="http://a/"), "y.txt")
    assert first != group_of(None, run(target="http://b/"), "x.txt")
    assert first != group_of(None, run(target="http://a/", connections=50), "x.txt")
    assert first != group_of(None, run(target="http://a/", tool="y"), "x.txt")


@pytest.mark.parametrize(
    ("name", "other", "same"),
    [
        ("old-1.txt", "old-2.txt", True),
        ("a/old.run1.txt", "a/old.run2.txt", True),
        ("run1.txt", "run2.txt", True),
        ("a-1.hey.txt", "a-2.hey.txt", True),
        ("clean-c1.txt", "clean-c50.txt", False),
        ("v1.2-a.txt", "v1.3-a.txt", False),
        ("old-1.txt", "new-1.txt", False),
        ("1.txt", "2.txt", False),
    ],
)
def test_without_a_target_names_that_differ_in_their_last_number_are_repeats(
    run: Run, name: str, other: str, same: bool
) -> None:
    assert (group_of(None, run(), name) == group_of(None, run(), other)) == same


def test_a_difference_far_beyond_the_spread_exceeds_it(run: Run) -> None:
    assert verdicts(run, old=(100, 101, 99), new=(150, 152, 149)) == ["exceeds the spread"]


def test_a_difference_inside_the_spread_is_none(run: Run) -> None:
    assert verdicts(run, old=(100, 110, 95), new=(103, 96, 112)) == ["within the spread"]


@pytest.mark.parametrize("single", [(100,), (100, 100, 100)])
def test_a_single_run_and_copies_of_it_have_no_spread(run: Run, single: tuple[float, ...]) -> None:
    assert verdicts(run, old=single, new=(150, 151, 152)) == ["cannot tell"]


def test_rates_of_different_tools_are_not_compared(run: Run) -> None:
    runs = [("a", run(tool="wrk", requests_per_s=1)), ("b", run(tool="ab", requests_per_s=2))]

    assert differences(repeats(runs)) == []


def test_runs_without_a_rate_belong_to_no_group(run: Run) -> None:
    assert repeats([("a", run(requests_per_s=None)), ("b", run(requests_per_s=0))]) == []


@pytest.mark.parametrize("others", [1, 4])
def test_groups_of_equal_runs_are_rarely_called_different(run: Run, others: int) -> None:
    noise = np.random.default_rng(7)
    false_alarms = 0
    for _ in range(300):
        rates = np.exp(noise.normal(5, 0.03, size=(others + 1, 4)))
        groups = {f"g{n}": tuple(map(float, row)) for n, row in enumerate(rates)}
        false_alarms += "exceeds the spread" in verdicts(run, **groups)

    assert false_alarms / 300 <= 0.08
