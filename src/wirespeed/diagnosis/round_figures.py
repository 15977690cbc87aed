"""The numbers of one endpoint's rounds: what each of its arms took, against the unchanged route. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wirespeed.experiment.design import (
    CallTimes,
    rest_of_request_ns,
    round_log_ratios,
    round_ns,
    whole_log_ratio,
)
from wirespeed.stats import FloatArray

from .observation import Round, RunFigures

Runs = Sequence[Sequence[RunFigures]]
"""[arm][block]; the unchanged route first."""


@dataclass(frozen=True)
class Confirmed:
    """One arm after all rounds: log ratios of its rounds, one a round, and why they are no evidence."""

    whole: tuple[float, ...]
    response_path: tuple[float, ...] = ()
    """Of replayed arms alone."""
    parallel: tuple[float, ...] = ()
    """Time per request with others in flight, where that was measured."""
    invalid: str | None = None


@dataclass(frozen=True)
class RoundFigures:
    """One round of one endpoint, reduced: nanoseconds of the baseline, log ratios of the replayed arms."""

    baseline_ns: float
    live_ns: float
    whole: tuple[float | None, ...]
    response_path: tuple[float, ...]


def figures_of(measured: Round) -> RoundFigures:
    """The round's replays; the block's number is the median of the run."""
    medians = _medians(measured.runs)
    path = tuple(float(x) for x in round_log_ratios(medians))
    baseline_ns = float(round_ns(medians)[0])
    rest_ns = rest_of_request_ns(
        [CallTimes(*call) for call in measured.live], [CallTimes(*call) for call in measured.replayed]
    )
    whole = tuple(whole_log_ratio(baseline_ns, baseline_ns * float(np.exp(x)), rest_ns) for x in path)
    return RoundFigures(baseline_ns, live_ns(measured), whole, path)


def live_ns(measured: Round) -> float:
    """One request of the unchanged app, as the round's few live calls have it."""
    return statistics.median(total for total, _ in measured.live)


def replayed_arms(rounds: Sequence[Round], arms: int) -> list[Confirmed]:
    """What all rounds of one endpoint say of each of its replayed arms.

    A round that failed makes an arm invalid; it is never dropped. Replay that seems to take longer than the
    live request it stands for is the noise of a few live calls in one round, and then the rest of the request
    is taken as nothing; in most rounds it means that the two disagree.
    """
    invalid = next((r.invalid for r in rounds if r.invalid is not None), None)
    errors = _sums([r.errors for r in rounds if r.errors])
    if errors and errors[0]:
        invalid = invalid or "the unchanged route failed during replay"
    figures = [figures_of(r) for r in rounds if r.invalid is None] if arms else []
    result = []
    for number in range(arms):
        whole = [f.whole[number] for f in figures]
        path = tuple(f.response_path[number] for f in figures)
        reason = invalid
        if reason is None and errors and errors[number + 1]:
            reason = f"{errors[number + 1]} replayed answers failed"
        if reason is None and sum(x is None for x in whole) > len(whole) / 2:
            reason = "replay and live calls disagree: replaying takes longer than the whole request"
        finite = tuple(p if x is None else x for x, p in zip(whole, path, strict=True))
        result.append(Confirmed(finite, path, invalid=reason))
    return result


def live_arms(rounds: Sequence[Round], arms: int) -> list[Confirmed]:
    """The same for arms that are whole requests, alone and, where measured, in parallel.

    An arm that was given up, or whose baseline was, in any round is invalid: blocks that are missing are
    mostly the slow ones.
    """
    alone = _Lane(
        [r.live_runs for r in rounds], [r.live_errors for r in rounds], [r.live_gave_up for r in rounds]
    )
    parallel = _Lane(
        [r.parallel_runs for r in rounds],
        [r.parallel_errors for r in rounds],
        [r.parallel_gave_up for r in rounds],
    )
    result = []
    for number in range(1, arms + 1):
        reason = alone.problem(number) or (parallel.problem(number) if parallel.was_measured else None)
        if reason is not None:
            result.append(Confirmed((), invalid=reason))
        else:
            result.append(
                Confirmed(
                    alone.log_ratios(number),
                    parallel=parallel.log_ratios(number) if parallel.was_measured else (),
                )
            )
    return result


@dataclass(frozen=True)
class _Lane:
    """One way of calling the live arms, in all rounds: [round][arm]…"""

    runs: Sequence[Runs]
    errors: Sequence[Sequence[int]]
    gave_up: Sequence[Sequence[str | None]]

    @property
    def was_measured(self) -> bool:
        return any(self.runs)

    def problem(self, arm: int) -> str | None:
        """Why the arm's figures are no evidence, or None."""
        if not all(len(each) > arm for each in self.runs):
            return "a round has no figures of it"
        for number, name in ((arm, "it"), (0, "the unchanged app")):
            reason = next(
                (each[number] for each in self.gave_up if len(each) > number and each[number]), None
            )
            if reason is not None:
                return f"{name} was given up: {reason}"
            if failed := sum(each[number] for each in self.errors if len(each) > number):
                return f"{failed} answers of {name} failed"
        return None

    def log_ratios(self, arm: int) -> tuple[float, ...]:
        return tuple(float(round_log_ratios(_medians([each[0], each[arm]]))[0]) for each in self.runs)


def _medians(runs: Runs) -> FloatArray:
    """[block][arm], in nanoseconds."""
    medians: FloatArray = np.array([[block[0] for block in arm] for arm in runs], dtype=float).T
    return medians


def _sums(counts: Sequence[Sequence[int]]) -> list[int]:
    return [sum(each) for each in zip(*counts, strict=True)]
