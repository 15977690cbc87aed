"""How arms take turns in a round, fixed before the first round. Pure.

Time is spent where it helps: a round costs a start of every process, so the dearer starting is, the longer a
round measures. But more blocks never replace rounds, so not without end.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .design import ARM_BUDGET_NS, Run, blocks_within, run_length

LONGEST_ARM_BUDGET_NS = 500_000_000
START_SHARE = 0.5
"""Of the time that starting takes: what all arms together measure at the least."""
SETTLE_NS = 1_000_000
"""How long the requests are dropped that find the caches of another arm; at least three are in any case."""
MOST_DROPPED = 25
SLICE_S = 0.2
ANSWERS_PER_CONNECTION = 10
SLICES = 3
"""Blocks of a round under load."""
WARM_UP_NS = 100_000_000
FEWEST_WARM_UPS, MOST_WARM_UPS = 2, 100


class Slice(NamedTuple):
    """Load for a time."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Rhythm:
    """A block gives every arm one ``turn``."""

    blocks: int
    turn: Run | Slice
    warm_up: int
    """Requests on every connection before the first block."""

    def orders(self, arms: Sequence[int], rng: random.Random) -> list[list[int]]:
        """For every block, the arms in an order of its own."""
        return [rng.sample(arms, len(arms)) for _ in range(self.blocks)]


def rhythm_of_runs(call_ns: Sequence[float], start_s: float) -> Rhythm:
    """Runs of consecutive requests; ``call_ns`` is each arm's latency, ``start_s`` what starting a round's
    processes takes.
    """
    slowest_ns = max(call_ns)
    budget_ns = min(LONGEST_ARM_BUDGET_NS, max(ARM_BUDGET_NS, START_SHARE * start_s * 1e9 / len(call_ns)))
    run = run_length(slowest_ns, budget_ns)
    run = Run(run.length, max(run.dropped, min(MOST_DROPPED, math.ceil(SETTLE_NS / min(call_ns)))))
    blocks = blocks_within(run, slowest_ns, budget_ns)
    return Rhythm(blocks, run, _warm_up(slowest_ns))


def rhythm_of_slices(slowest_ns_per_request: float, connections: int) -> Rhythm:
    """Slices of load, long enough for the slowest arm to give ten answers on every connection."""
    latency_ns = slowest_ns_per_request * connections
    seconds = max(SLICE_S, ANSWERS_PER_CONNECTION * latency_ns / 1e9)
    return Rhythm(SLICES, Slice(seconds), _warm_up(latency_ns))


def round_s(rhythm: Rhythm, latencies_ns: Sequence[float]) -> float:
    """About how long the requests of a round take; one latency an arm."""
    latency_s = sum(latencies_ns) / 1e9
    match rhythm.turn:
        case Slice(seconds):
            # Every slice ends with the answers to what was under way.
            block_s = seconds * len(latencies_ns) + latency_s
        case Run() as run:
            block_s = run.requests * latency_s
    return rhythm.warm_up * latency_s + rhythm.blocks * block_s


def _warm_up(latency_ns: float) -> int:
    return max(FEWEST_WARM_UPS, min(MOST_WARM_UPS, int(WARM_UP_NS / latency_ns)))
