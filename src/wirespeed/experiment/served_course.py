"""How pairs are measured through a server: how long each turn, how many rounds, which pairs. Pure.

Everything is fixed before the first round. Where time is short, each round takes less effort first, then
there are fewer rounds, and then the last pairs are left out: a few rounds of everything would show nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from .confirm import COMFORTABLE_ROUNDS
from .design import MOST_ROUNDS, rounds_within
from .rhythm import ANSWERS_PER_CONNECTION, SLICES, Rhythm, rhythm_of_runs, rhythm_of_slices, round_s

CONNECTIONS = 50
"""Under load."""
FEWEST_ROUNDS = 3
"""Fewer than elsewhere: what was decided directly is looked at once more, and large gains need no more."""

Sides = tuple[float, float]
"""Of the route as it is, and of the remedy."""


class Effort(NamedTuple):
    """How much of a pair is measured in a round."""

    slices: int
    """Of load, for each side."""
    answers: int
    """On every connection in a slice; the first are left out."""
    warm_ups: int
    """Under load, on every connection."""
    pays_for_start: bool
    """Whether turns alone get longer the dearer starting is, as in ``compare``."""


EFFORTS = (
    Effort(SLICES, ANSWERS_PER_CONNECTION, 100, pays_for_start=True),
    Effort(1, ANSWERS_PER_CONNECTION, 2, pays_for_start=True),
    Effort(1, 5, 1, pays_for_start=False),
    Effort(1, 3, 1, pays_for_start=False),
)
"""From generous to the least that shows something."""


@dataclass(frozen=True)
class Costs:
    """About what requests of a pair take, in nanoseconds: latencies alone, time per request under load."""

    alone_ns: Sides
    loaded_ns: Sides

    @property
    def loaded_latency_ns(self) -> Sides:
        """All connections wait for one request each (Little's law)."""
        baseline_ns, remedy_ns = self.loaded_ns
        return baseline_ns * CONNECTIONS, remedy_ns * CONNECTIONS


@dataclass(frozen=True)
class PairRhythm:
    alone: Rhythm
    loaded: Rhythm
    round_s: float


@dataclass(frozen=True)
class Course:
    rounds: int
    rhythms: dict[int, PairRhythm]
    """Of the pairs that there is time for, by their numbers."""


def course_of(
    costs: Mapping[int, Costs], start_s: float, left_s: float, *, rounds: int | None, pairings: int
) -> Course:
    """Share out ``left_s`` among pairs, the first ones first; ``start_s`` is what starting a server takes.

    ``rounds`` fixes their number, however long they take.
    """
    rhythms = _rhythms(costs, start_s, left_s / (rounds or COMFORTABLE_ROUNDS << pairings))
    fewest = rounds or FEWEST_ROUNDS << pairings
    while rhythms and _cost_s(rhythms, start_s) * fewest > left_s and not (rounds and len(rhythms) == 1):
        rhythms.popitem()
    cost_s = max(1e-9, _cost_s(rhythms, start_s))
    return Course(rounds or rounds_within(left_s, cost_s, fewest, MOST_ROUNDS << pairings), rhythms)


def _rhythms(costs: Mapping[int, Costs], start_s: float, round_left_s: float) -> dict[int, PairRhythm]:
    """With the most effort that fits into a round, else the least."""
    for effort in EFFORTS:
        share_s = start_s / len(costs) if effort.pays_for_start and costs else 0.0
        rhythms = {number: _rhythm(each, share_s, effort) for number, each in sorted(costs.items())}
        if _cost_s(rhythms, start_s) <= round_left_s:
            break
    return rhythms


def _rhythm(costs: Costs, start_s: float, effort: Effort) -> PairRhythm:
    alone = rhythm_of_runs(costs.alone_ns, start_s)
    loaded = rhythm_of_slices(costs.loaded_latency_ns, effort.answers)
    loaded = replace(
        loaded, blocks=min(effort.slices, loaded.blocks), warm_up=min(effort.warm_ups, loaded.warm_up)
    )
    took_s = round_s(alone, costs.alone_ns) + round_s(loaded, costs.loaded_latency_ns)
    return PairRhythm(alone, loaded, took_s)


def _cost_s(rhythms: Mapping[int, PairRhythm], start_s: float) -> float:
    return start_s + sum(each.round_s for each in rhythms.values())
