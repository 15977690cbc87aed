"""Differences between files that repeats of one and the same thing show too."""

from __future__ import annotations

from wirespeed.audit.wording import share
from wirespeed.model.audit import Difference, Finding, Repeats

from ._check import Check, finder

NAME = "spread"
PAGE = """\
# spread: a difference that repeats of the same thing show too

Two runs of the same server differ. Whether B is faster than A shows only beside how much A differs from
itself: a gain of 2.5 % means nothing where three runs of the baseline lie 7.4 % apart.

Files are repeats of each other when they carry the same label: `old=run1.txt old=run2.txt new=run3.txt`;
without labels, the same tool, connections and target in the output; without a target there, the same file
name up to its last number (`old-1.txt`, `old-2.txt`). The first group of a tool is the baseline.

**Formula**: spread = (highest - lowest) / mean of the rates of a group. The difference of two groups is
that of their mean log rates, with Welch's t-interval at 95 %; with several groups the 5 % are shared among
them (Bonferroni). It exceeds the spread when the interval excludes zero. Copies of one file are no repeats.

**Severity**: doubtful, both where the difference lies within the spread and where a group of one file shows
no spread.

**What to do**: repeat each at least five times, in turn (A B A B …), not all of one after the other; or let
`wirespeed compare` do it, which stops when the answer is clear.
"""
_found = finder(NAME)
_ADVICE = "Repeat each at least five times, in turn; or let wirespeed compare do it."


def compare(groups: list[Repeats], differences: list[Difference]) -> list[Finding]:
    by_name = {group.group: group for group in groups}
    told = {
        "within the spread": _within,
        "cannot tell": _single,
    }
    return [
        told[difference.verdict](difference, by_name[difference.baseline], by_name[difference.group])
        for difference in differences
        if difference.verdict in told
    ]


def _within(difference: Difference, baseline: Repeats, group: Repeats) -> Finding:
    spread = max(baseline.spread or 0.0, group.spread or 0.0)
    return _found(
        "doubtful",
        f"{difference.group} differs from {difference.baseline} by {_signed(difference.gain)}, and "
        f"repeats of one and the same by up to {share(spread)}: so few runs do not show "
        "that they differ.",
        _ADVICE,
        gain=difference.gain,
        spread=spread,
        baseline_spread=baseline.spread,
    )


def _single(difference: Difference, baseline: Repeats, group: Repeats) -> Finding:
    single = baseline if baseline.spread is None else group
    return _found(
        "doubtful",
        f"{difference.group} differs from {difference.baseline} by {_signed(difference.gain)}, but "
        f"{single.group} ran only once: how much it differs from itself is unknown.",
        _ADVICE,
        gain=difference.gain,
    )


def _signed(gain: float) -> str:
    return f"{'+' if gain >= 0 else '-'}{abs(gain) * 100:.2f} %"


CHECK = Check(NAME, "Does the difference exceed the spread of repeats?", PAGE, compare=compare)
