"""Several files: which are repeats of which, how much repeats differ, and whether groups differ by more."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from statistics import fmean

import numpy as np

from wirespeed.model.audit import Difference, Repeats, ToolRun
from wirespeed.stats import FloatArray, welch_interval

_LAST_NUMBER = re.compile(r"(?:[-_. ]+(?:run)?|^run)[-_. ]?\d{1,4}$", re.IGNORECASE)
_OF_NO_NAME = "runs"
ALPHA = 0.05


def group_of(label: str | None, run: ToolRun, name: str) -> str:
    """The label given; else the target that the output names, or the file's name up to its last number.

    Runs of other tools, or with other connections, are no repeats.
    """
    if label is not None:
        return label
    load = f", {run.connections} at once" if run.connections else ""
    return f"{run.target or _stem(PurePath(name))} ({run.tool}{load})"


def repeats(runs: Iterable[tuple[str, ToolRun]]) -> list[Repeats]:
    """The groups in order of appearance; runs without a rate belong to none."""
    grouped: dict[str, list[ToolRun]] = {}
    for group, run in runs:
        if run.requests_per_s:
            grouped.setdefault(group, []).append(run)
    return [_repeats(group, found) for group, found in grouped.items()]


def differences(groups: Sequence[Repeats]) -> list[Difference]:
    """Every other group of a tool against its first: rates of different tools are different things."""
    found = []
    for tool in dict.fromkeys(group.tool for group in groups):
        baseline, *others = [group for group in groups if group.tool == tool]
        found += [_difference(group, baseline, candidates=len(groups) - 1) for group in others]
    return found


def _stem(path: PurePath) -> str:
    """``old`` of ``a/old-1.hey.txt``. A number that no separator sets apart is part of the name: ``c50``."""
    while path.suffix[1:].isalpha():
        path = path.with_suffix("")
    return _LAST_NUMBER.sub("", path.name) or _OF_NO_NAME


def _repeats(group: str, runs: list[ToolRun]) -> Repeats:
    rates = [run.requests_per_s for run in runs if run.requests_per_s]
    mean = fmean(rates)
    return Repeats(
        group=group,
        tool=" and ".join(sorted({run.tool for run in runs})),
        rates_per_s=tuple(rates),
        mean_per_s=mean,
        # Copies of one file are no repeats.
        spread=(max(rates) - min(rates)) / mean if len(set(rates)) > 1 else None,
    )


def _difference(group: Repeats, baseline: Repeats, candidates: int) -> Difference:
    gain = group.mean_per_s / baseline.mean_per_s - 1
    if group.spread is None or baseline.spread is None:
        return Difference(
            group=group.group, baseline=baseline.group, gain=gain, interval=None, verdict="cannot tell"
        )
    interval = welch_interval(_logs(group), _logs(baseline), ALPHA / candidates)
    low, high = (math.expm1(float(bound)) for bound in (interval.low, interval.high))
    return Difference(
        group=group.group,
        baseline=baseline.group,
        gain=gain,
        interval=(low, high),
        verdict="exceeds the spread" if low > 0 or high < 0 else "within the spread",
    )


def _logs(group: Repeats) -> FloatArray:
    return np.asarray([math.log(rate) for rate in group.rates_per_s])
