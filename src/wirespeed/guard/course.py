"""What is measured of each request in a round, and the number that comes of it. Pure.

Where others share the machine, a core has half its speed for some milliseconds, and then all of it again,
half of the time or more. Neither pairs nor medians are safe from that: turns of twins that follow each other
differ by 30 %. But the fastest calls met the whole machine, and repeat within a per cent. Noise only ever
adds time (Chen and Revels 2016, "Robust benchmarking in noisy environments"), so what is compared is the
speed that a process has reached in three turns. On a quiet machine that takes a few turns, on a busy one
many. Turns are short, so that many moments are tried.

What cannot be seen in this way: requests that are slower only now and then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from wirespeed.experiment.design import Run

from .trio import BASE, HEAD, HOSTS, SLOW_NS, TWIN, Asked, Turn

MEASURED_SHARE, LEAST_SHARE = 1.5, 0.3
"""Of the time that starting takes: about what all sweeps of a round together take at the most, and at the
least.
"""
FEWEST_TURNS, MOST_TURNS = 8, 60
"""How many a request may get at the most, as there is time."""
REACHED_TIMES, REACHED_WITHIN = 3, 0.01
"""So many turns of a process with a call no more than this share slower than its fastest: it has shown its
full speed.
"""
TURN_NS = 1_500_000
FEWEST_CALLS, MOST_CALLS = 3, 10
"""That count: as many as take ``TURN_NS``, within these; of slow requests, one."""

Block = tuple[Turn, Turn, Turn]
"""A turn of each host, in the order of ``HOSTS``."""


class Stint(NamedTuple):
    """What one request gets in every round: runs of every process, at most so many."""

    run: Run
    most_turns: int


def sweeps_s(start_s: float, left_s: float, rounds: int) -> float:
    """How long all sweeps of a round may take, so that ``rounds`` of them fit into ``left_s`` if that can be.

    Longer sweeps show more on a busy machine, but not what more processes would show.
    """
    return max(LEAST_SHARE * start_s, min(MEASURED_SHARE * start_s, left_s / rounds - start_s))


def stints_of(asked: Sequence[Asked], sweeps_s: float) -> list[Stint]:
    """For all that is measured in a round. Requests share the time equally, so slow ones get fewer turns."""
    share_ns = sweeps_s * 1e9 / (len(asked) * len(HOSTS))
    return [_stint(each, share_ns) for each in asked]


def _stint(asked: Asked, share_ns: float) -> Stint:
    run = Run(length=1, dropped=0)
    # A slow call meets caches of its own making.
    if asked.call_ns < SLOW_NS:
        calls = max(FEWEST_CALLS, min(MOST_CALLS, int(TURN_NS / max(1.0, asked.call_ns))))
        run = Run(length=calls, dropped=1)
    affordable = math.ceil(share_ns / max(1.0, run.requests * asked.call_ns))
    return Stint(run, max(FEWEST_TURNS, min(MOST_TURNS, affordable)))


def is_settled(blocks: Sequence[Block]) -> bool:
    """Whether every process has shown its full speed: further turns would show it again.

    It looks at each process alone, and at no ratio.
    """
    if len(blocks) < REACHED_TIMES:
        return False
    fastest = [_fastest_ns(blocks, host) for host in HOSTS]
    return all(each[-1] <= each[0] * (1 + REACHED_WITHIN) for each in fastest)


def log_ratio(blocks: Sequence[Block]) -> float:
    """x_r of head: ln(head) - (ln(base) + ln(twin))/2, each of them at its full speed.

    Both bases run the same code, so their mean is the better baseline: the variance of x_r is 3/2 that of a
    process, not twice. It hangs together in no way with ln(twin/base), the certificate's figure. Raises
    ValueError unless all times are positive.
    """
    base, twin, head = (_log(blocks, host) for host in (BASE, TWIN, HEAD))
    return head - (base + twin) / 2


def twin_log_ratio(blocks: Sequence[Block]) -> float:
    """The same of the twin: ln(twin/base)."""
    return _log(blocks, TWIN) - _log(blocks, BASE)


def full_speed_ns(blocks: Sequence[Block], host: int) -> float:
    """The geometric mean of the fastest calls of a process's fastest turns."""
    return math.exp(_log(blocks, host))


def _log(blocks: Sequence[Block], host: int) -> float:
    fastest = _fastest_ns(blocks, host)
    return sum(map(math.log, fastest)) / len(fastest)


def _fastest_ns(blocks: Sequence[Block], host: int) -> list[float]:
    return sorted(block[host].fastest_ns for block in blocks)[:REACHED_TIMES]
