"""How arms take turns in a round, fixed before the first round. Pure.

Time is spent where it helps: a round costs a start of every process, so the dearer starting is, and the more
blocks spread, the longer a round measures. But more blocks never replace rounds, so not without end.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .design import ARM_BUDGET_NS, Run, run_length

LONGEST_ARM_BUDGET_NS = 500_000_000
MOST_BLOCKS = 80
"""Both where blocks are not known to spread widely. All arms together then measure as long as starting takes.
"""
PROCESS_SPREAD = 0.005
"""Taken for the standard deviation of what fresh processes add to a round's log ratio."""
MOST_START_SHARE = 2.0
"""Of the time that starting takes: what all arms together measure at the most, however much blocks spread.
What blocks cannot average away comes back with every round.
"""
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


def rhythm_of_runs(call_ns: Sequence[float], start_s: float, block_spread: float | None = None) -> Rhythm:
    """Runs of consecutive requests; ``call_ns`` is each arm's latency, ``start_s`` what starting a round's
    processes takes, ``block_spread`` the standard deviation of a block's log ratio, where it is known.
    """
    run, slowest_ns = run_of(call_ns), max(call_ns)
    arm_ns, share_ns = run.requests * slowest_ns, start_s * 1e9 / len(call_ns)
    blocks = min(MOST_BLOCKS, min(LONGEST_ARM_BUDGET_NS, max(ARM_BUDGET_NS, share_ns)) / arm_ns)
    if block_spread is not None:
        # The mean of all rounds then has its smallest error for the time it takes (two-stage sampling:
        # Cochran, 1977, "Sampling techniques", section 10.6).
        best = block_spread / PROCESS_SPREAD * math.sqrt(share_ns / arm_ns)
        blocks = max(blocks, min(best, MOST_START_SHARE * share_ns / arm_ns))
    return Rhythm(max(1, int(blocks)), (run,) * len(call_ns), _warm_up(slowest_ns))


def run_of(call_ns: Sequence[float]) -> Run:
    """What arms of these latencies run in every block."""
    run = run_length(max(call_ns))
    return Run(run.length, max(run.dropped, min(MOST_DROPPED, math.ceil(SETTLE_NS / min(call_ns)))))


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
