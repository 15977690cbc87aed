"""From runs and blocks of one process to what may be said of them. Pure.

One process tells nothing of how processes differ (a per cent or two), so there is no interval here and no
verdict, and nothing below a factor that no process explains away. What is shown beside a factor is how far
its blocks were apart.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

from .kept import Call

SHOWN_FROM = 1.5
"""A smaller gain in the whole request is not shown."""

ARM_BUDGET_NS = 150_000_000
RUN_NS = 4_000_000
LONGEST_RUN, SHORTEST_RUN = 25, 3
MOST_BLOCKS, FEWEST_BLOCKS = 40, 4
DROPPED = 2

Runs = Sequence[Sequence[Sequence[float]]]
"""[arm][block][median, mean, GC, calls, fastest], in nanoseconds; the unchanged route first."""


class Gain(NamedTuple):
    """arm/baseline ratios of time, below 1 is faster; ``spread`` is the middle half of the blocks."""

    ratio: float
    spread: tuple[float, float]


class Estimated(NamedTuple):
    """What a remedy does to one captured answer."""

    whole: Gain
    response_path: Gain
    before_ns: float
    """The response path as it is."""
    after_ns: float

    @property
    def is_shown(self) -> bool:
        """Whether even the block that is a quarter from the worst gains as much."""
        return self.whole.spread[1] * SHOWN_FROM <= 1


def schedule(arms: int, slowest_ns: float, rng: random.Random) -> dict[str, Any]:
    """Runs of consecutive calls, one of every arm a block, in random order: ``direct.run_blocks`` reads it.

    About 0.15 s an arm; of slow ones the fewest calls that still make four blocks.
    """
    affordable = int(RUN_NS / max(1.0, slowest_ns)) - DROPPED
    length = max(SHORTEST_RUN, min(LONGEST_RUN, affordable))
    dropped = DROPPED if affordable >= SHORTEST_RUN else 1
    blocks = int(ARM_BUDGET_NS / ((length + dropped) * max(1.0, slowest_ns)))
    number = max(FEWEST_BLOCKS, min(MOST_BLOCKS, blocks))
    return {
        "orders": [rng.sample(range(arms), arms) for _ in range(number)],
        "length": length,
        "dropped": dropped,
    }


def rest_of_request_ns(calls: Sequence[Call], body_bytes: int, replayed_outside_ns: float) -> float:
    """What a request takes beside its response path, less what a replay adds to that.

    The quickest of the tests' calls with an answer of at least half this size: tests call cold, and coldness
    only adds. Never negative.
    """
    alike = [call for call in calls if 2 * call.body_bytes >= body_bytes] or calls
    outside = min((call.total_ns - call.response_path_ns for call in alike), default=0)
    return max(0.0, outside - replayed_outside_ns)


def estimate(runs: Runs, arm: int, rest_ns: float) -> Estimated:
    """Of the arm's blocks the middle half: ln(arm/baseline) of the medians of each block's runs."""
    medians = [[block[0] for block in each] for each in (runs[0], runs[arm])]
    logs = [math.log(new / old) for old, new in zip(*medians, strict=True)]
    path = _gain(logs)
    before_ns = math.exp(_middle_mean([math.log(each) for each in medians[0]]))

    def whole(ratio: float) -> float:
        return (before_ns * ratio + rest_ns) / (before_ns + rest_ns)

    gain = Gain(whole(path.ratio), (whole(path.spread[0]), whole(path.spread[1])))
    return Estimated(gain, path, before_ns, before_ns * path.ratio)


def best_possible(before_ns: float, floor_ns: float, rest_ns: float) -> float:
    """By which factor the whole request gets faster where its bytes are ready."""
    return (before_ns + rest_ns) / max(1.0, min(before_ns, floor_ns) + rest_ns)


def _gain(logs: Sequence[float]) -> Gain:
    low, _, high = statistics.quantiles(logs, n=4, method="inclusive")
    return Gain(math.exp(_middle_mean(logs)), (math.exp(low), math.exp(high)))


def _middle_mean(values: Sequence[float]) -> float:
    left_out = len(values) // 4
    ordered = sorted(values)
    return statistics.fmean(ordered[left_out : len(ordered) - left_out])
