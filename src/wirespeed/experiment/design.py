"""The plan of a round, fixed before it is measured, and the number that comes out of it.

Arms run in consecutive requests, never alternating one by one: beside a slow arm a fast one would be timed
with cold caches. The first answers after a switch are dropped for the same reason. Nothing here touches a
clock or a process.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import numpy as np
from pydantic import Field

from wirespeed.model._base import Value
from wirespeed.stats import FloatArray

RUN_LENGTH = 25
SHORTEST_RUN = 5
DROPPED = 3
DROPPED_WHERE_SLOW = 2

ARM_BUDGET_NS = 150_000_000
"""Time one arm may take in one round of replay."""

RUN_NS = 4_000_000
"""A run should be over in about this time, so that the arms of a block meet the same machine: where others
share its cores, its speed doubles and halves every 40 ms or so.
"""

BLOCKS_WANTED = 2
BLOCKS_AT_MOST = 40
"""More blocks never replace rounds: beyond this their noise is small beside that between processes."""

MOST_SETS = 5
"""Requests counted in a run of parallel ones, as a multiple of those in flight."""

IMPLAUSIBLE_REST = 0.5
"""A replay that takes so much longer than the live request it stands for (share of the replay) is not one."""

FEWEST_ROUNDS = 5
MOST_ROUNDS = 12


class Run(NamedTuple):
    """Consecutive requests of one arm: the first ``dropped`` are not counted, the next ``length`` are."""

    length: int
    dropped: int

    @property
    def requests(self) -> int:
        return self.dropped + self.length


class Schedule(Value):
    """What the agent does in one round: for every block, for every arm in this order, one run.

    ``orders`` has one permutation of the arms' indices a block. A run sends ``dropped + length`` requests and
    counts the last ``length``.
    """

    orders: tuple[tuple[int, ...], ...] = Field(min_length=1)
    length: int = Field(ge=1)
    dropped: int = Field(ge=0)

    @property
    def requests_per_arm(self) -> int:
        """Requests each arm gets in the round, dropped ones included; times its latency, what it costs."""
        return len(self.orders) * (self.dropped + self.length)


class CallTimes(NamedTuple):
    """One request: nanoseconds altogether, and of these on the response path."""

    total_ns: float
    response_path_ns: float


def run_length(call_ns: float, budget_ns: float = ARM_BUDGET_NS) -> Run:
    """25 requests counted, fewer where they take longer than ``RUN_NS`` or half the budget, never under 5."""
    affordable = int(min(RUN_NS, budget_ns / BLOCKS_WANTED) / call_ns)
    dropped = DROPPED if affordable >= RUN_LENGTH + DROPPED else DROPPED_WHERE_SLOW
    return Run(length=min(RUN_LENGTH, max(SHORTEST_RUN, affordable - dropped)), dropped=dropped)


def blocks_within(run: Run, call_ns: float, budget_ns: float = ARM_BUDGET_NS) -> int:
    """How many runs of an arm the budget holds: 1 to 40. A single shortest run may exceed the budget."""
    return min(BLOCKS_AT_MOST, max(1, int(budget_ns / (run.requests * call_ns))))


def schedule_round(
    arms: int, slowest_call_ns: float, rng: random.Random, budget_ns: float = ARM_BUDGET_NS
) -> Schedule:
    """The schedule of one round of ``arms`` arms, each block in an order of its own.

    ``slowest_call_ns`` is the latency of the slowest arm, since all arms get runs of the same length. Give
    each round its own ``rng``, seeded from the plan's seed, so that a record can be replayed.
    """
    run = run_length(slowest_call_ns, budget_ns)
    blocks = blocks_within(run, slowest_call_ns, budget_ns)
    orders = tuple(tuple(rng.sample(range(arms), arms)) for _ in range(blocks))
    return Schedule(orders=orders, length=run.length, dropped=run.dropped)


def schedule_parallel(
    arms: int,
    slowest_request_ns: float,
    parallel: int,
    rng: random.Random,
    budget_ns: float = ARM_BUDGET_NS,
) -> Schedule:
    """As ``schedule_round`` for runs with ``parallel`` requests in flight, which drop one set of them.

    ``slowest_request_ns`` is the time per request of the slowest arm. A run counts so many sets that the last
    one, which ends with ever fewer in flight, is a small part of it where there is time.
    """
    affordable = int(budget_ns / BLOCKS_WANTED / (parallel * slowest_request_ns))
    sets = max(1, min(MOST_SETS, affordable - 1))
    run = Run(length=sets * parallel, dropped=parallel)
    blocks = blocks_within(run, slowest_request_ns, budget_ns)
    orders = tuple(tuple(rng.sample(range(arms), arms)) for _ in range(blocks))
    return Schedule(orders=orders, length=run.length, dropped=run.dropped)


def rounds_within(
    budget_s: float, round_cost_s: float, fewest: int = FEWEST_ROUNDS, most: int = MOST_ROUNDS
) -> int:
    """How many confirming rounds to plan, before the first is measured.

    A budget too small for the fewest rounds gets the fewest: less would show next to nothing. The caller
    compares ``rounds * round_cost_s`` with its budget and says so.
    """
    return max(fewest, min(most, int(budget_s / round_cost_s)))


def round_ns(block_ns: FloatArray) -> FloatArray:
    """The time of each arm in a round: the geometric mean of its middle blocks, in nanoseconds.

    ``block_ns`` has shape (..., blocks, arms), the result (..., arms). Raises ValueError unless all times are
    positive and finite.
    """
    times: FloatArray = np.exp(_middle_mean(_logs(block_ns)))
    return times


def round_log_ratios(block_ns: FloatArray) -> FloatArray:
    """x_r of every arm but the baseline: the interquartile mean over blocks of ln(arm/baseline).

    ``block_ns`` has shape (..., blocks, arms), the baseline first; the result has shape (..., arms - 1).
    The quarter of the blocks with the smallest ratios and that with the largest are left out: where a machine
    changes its speed in the middle of a block, one arm pays for it, by a factor of two. Raises ValueError
    unless all times are positive and finite. See docs/decisions/0002-sequential-bounds.md.
    """
    logs = _logs(block_ns)
    return _middle_mean(logs[..., 1:] - logs[..., :1])


def rest_of_request_ns(live: Sequence[CallTimes], replayed: Sequence[CallTimes]) -> float:
    """What a live request spends outside the response path, less what replay itself adds: medians over calls.

    Negative by noise where there is next to nothing outside; see ``whole_log_ratio``. Raises ValueError
    without calls.
    """
    if not live or not replayed:
        raise ValueError("the rest of a request needs at least one live and one replayed call")
    return _median_outside(live) - _median_outside(replayed)


def whole_log_ratio(baseline_ns: float, remedy_ns: float, rest_ns: float) -> float | None:
    """x_r of the whole request, from replay: ln(1 - (B - V)/L) with L = B + rest.

    B and V are this round's ``round_ns`` of baseline and remedy in replay, ``rest_ns`` comes from
    ``rest_of_request_ns``.
    A live request does all that its replay does, so a negative rest is the noise of one round and taken as
    none. None when it is more than that, ``IMPLAUSIBLE_REST`` of B: replay and live do not agree.

    L is composed, not measured beside B, because of what becomes of their noise. 1 - (B - V)/L is (V + L -
    B)/L: with B and L measured independently at 2 % noise and a remedy that removes 95 % of the request, L -
    B is the small difference of two large noisy numbers, and the ratio's error is 20 times what it need be.
    Taking the rest from each live call together with that same call's response path leaves only the small
    rest noisy. See docs/decisions/0003-whole-request-from-replay.md.
    """
    if rest_ns < -IMPLAUSIBLE_REST * baseline_ns:
        return None
    rest_ns = max(0.0, rest_ns)
    return math.log((remedy_ns + rest_ns) / (baseline_ns + rest_ns))


def _logs(block_ns: FloatArray) -> FloatArray:
    if not (np.isfinite(block_ns).all() and (block_ns > 0).all()):
        raise ValueError("block times must be positive and finite")
    logs: FloatArray = np.log(block_ns)
    return logs


def _middle_mean(values: FloatArray) -> FloatArray:
    """Mean of the middle half over the last axis but one; of all where there are fewer than four."""
    left_out = values.shape[-2] // 4
    ordered = np.sort(values, axis=-2)
    means: FloatArray = ordered[..., left_out : values.shape[-2] - left_out, :].mean(axis=-2)
    return means


def _median_outside(calls: Sequence[CallTimes]) -> float:
    return float(median(call.total_ns - call.response_path_ns for call in calls))
