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

from .design import ARM_BUDGET_NS, Run, run_length

LONGEST_ARM_BUDGET_NS = 500_000_000
START_SHARE = 1.0
"""Of the time that starting takes: what all arms together measure at the least. Where blocks spread five
times as much as processes do, and take a fiftieth of a start, beyond this more rounds are worth more.
"""
MOST_BLOCKS = 80
SETTLE_NS = 1_000_000
"""How long the requests are dropped that find the caches of another arm; at least three are in any case."""
MOST_DROPPED = 25
SLICE_S = 0.2
ANSWERS_PER_CONNECTION = 10
SLICES = 3
"""Blocks of a round under load, while the longest slices take no more than ``SLICES_S`` together."""
SLICES_S = 1.5
WARM_UP_NS = 100_000_000
FEWEST_WARM_UPS, MOST_WARM_UPS = 2, 100


class Slice(NamedTuple):
    """Load for a time."""

    seconds: float


Turn = Run | Slice


@dataclass(frozen=True, slots=True)
class Rhythm:
    """A block gives every arm its turn."""

    blocks: int
    turns: tuple[Turn, ...]
    """One an arm."""
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
    blocks = max(1, min(MOST_BLOCKS, int(budget_ns / (run.requests * slowest_ns))))
    return Rhythm(blocks, (run,) * len(call_ns), _warm_up(slowest_ns))


def rhythm_of_slices(latencies_ns: Sequence[float], answers: int = ANSWERS_PER_CONNECTION) -> Rhythm:
    """Slices of load, long enough for an arm to give ``answers`` on every connection; one latency an arm."""
    lengths_s = [max(SLICE_S, answers * latency_ns / 1e9) for latency_ns in latencies_ns]
    blocks = max(1, min(SLICES, int(SLICES_S / max(lengths_s))))
    return Rhythm(blocks, tuple(map(Slice, lengths_s)), _warm_up(max(latencies_ns)))


def round_s(rhythm: Rhythm, latencies_ns: Sequence[float]) -> float:
    """About how long the requests of a round take; one latency an arm."""
    block_s = sum(_turn_s(*pair) for pair in zip(rhythm.turns, latencies_ns, strict=True))
    return rhythm.blocks * block_s + rhythm.warm_up * sum(latencies_ns) / 1e9


def _turn_s(turn: Turn, latency_ns: float) -> float:
    match turn:
        case Slice(seconds):
            # It ends with the answers to what was under way.
            return seconds + latency_ns / 1e9
        case Run():
            return turn.requests * latency_ns / 1e9


def _warm_up(latency_ns: float) -> int:
    return max(FEWEST_WARM_UPS, min(MOST_WARM_UPS, int(WARM_UP_NS / latency_ns)))
