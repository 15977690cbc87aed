"""The rounds of a guard: fresh processes, blocks of turns, one number an endpoint; until all is decided.

What lives here: when a round counts, which endpoints are still measured, and when to end. What it must never
know: where base and head come from.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from statistics import fmean
from typing import Protocol

from wirespeed.errors import AgentFailed
from wirespeed.experiment.design import Run, rounds_within
from wirespeed.experiment.events import Listener, RoundFinished, RoundStarted
from wirespeed.experiment.rounds import MOST_STOLEN, REPEATS
from wirespeed.model.guard import GuardDecision
from wirespeed.model.guard_plan import GuardPlan
from wirespeed.subject.machine import cpu_ticks, steal_share

from .course import Block, Stint, is_settled, log_ratio, stints_of, sweeps_s, twin_log_ratio
from .judging import FEWEST_ROUNDS, LOOKS, Judgement, Procedure, is_at_look, judge, looks_within
from .trio import HOSTS, Asked, HostFailed, Turn

MAX_ERRORS = 0.001
"""Share of an endpoint's calls that may fail while it is measured."""


class Stage(Protocol):
    """One round's processes; ``trio.Trio`` is one."""

    def sweep(self, host: int, asked: Sequence[Asked], run: Run) -> Sequence[Turn]: ...


class Theatre(Protocol):
    def __call__(self, asked: Sequence[Asked], rng: random.Random) -> AbstractContextManager[Stage]:
        """Start three processes, warm with what will be asked. Raises HostFailed."""


@dataclass(frozen=True)
class Measured:
    """One round: the blocks of every endpoint that was still open, by its number."""

    blocks: dict[int, tuple[Block, ...]]
    kept: bool

    def log_ratios(self) -> dict[int, float]:
        return {number: log_ratio(blocks) for number, blocks in self.blocks.items()}

    def twin_log_ratios(self) -> dict[int, float]:
        return {number: twin_log_ratio(blocks) for number, blocks in self.blocks.items()}


@dataclass
class Evidence:
    """All that was measured, and what it decides so far."""

    endpoints: int
    procedure: Procedure | None = None
    """None until the first round has shown what one costs."""
    rounds: list[Measured] = field(default_factory=list)
    judgements: dict[int, Judgement] = field(default_factory=dict)
    """The latest of each endpoint; those that are decided are measured no more."""
    overall: Judgement | None = None
    lost: dict[int, HostFailed] = field(default_factory=dict)
    """Endpoints given up: what became of whose process."""
    is_careful: bool = False
    """Whether each endpoint is asked for by itself, as one of them has taken a process down."""
    ended_early: str | None = None
    interrupted: bool = False

    @property
    def kept(self) -> list[Measured]:
        return [each for each in self.rounds if each.kept]

    def blocks_of(self, number: int) -> list[Block]:
        return [block for each in self.rounds for block in each.blocks.get(number, ())]

    def errors_of(self, number: int) -> tuple[int, int, int]:
        """Of each host: calls that failed."""
        blocks = self.blocks_of(number)
        base, twin, head = (sum(block[host].errors for block in blocks) for host in HOSTS)
        return base, twin, head

    def is_failing(self, number: int) -> bool:
        """Whether too many calls failed, on any side, for its times to mean anything."""
        calls = sum(turn.calls for block in self.blocks_of(number) for turn in block)
        return sum(self.errors_of(number)) > calls * MAX_ERRORS

    @property
    def sound(self) -> list[int]:
        """Endpoints that nothing speaks against."""
        numbers = range(self.endpoints)
        return [number for number in numbers if number not in self.lost and not self.is_failing(number)]

    @property
    def open(self) -> list[int]:
        """Endpoints to measure: the undecided, and while overall is undecided, all.

        Where one is proven to be too slow, overall decides nothing any more.
        """
        undecided = [number for number in self.sound if _is_open(self.judgements.get(number))]
        has_failed = any(each.decision is GuardDecision.FAIL for each in self.judgements.values())
        is_settled = not undecided and has_failed
        return self.sound if _is_open(self.overall) and not is_settled else undecided

    def measured(self, number: int) -> list[tuple[Block, ...]]:
        """An endpoint's blocks, round by round."""
        return [each.blocks[number] for each in self.kept if number in each.blocks]

    def log_ratios_of(self, number: int) -> list[float]:
        return [log_ratio(blocks) for blocks in self.measured(number)]

    def twin_log_ratios_of(self, number: int) -> list[float]:
        return [twin_log_ratio(blocks) for blocks in self.measured(number)]

    def overall_log_ratios(self) -> list[float]:
        return [fmean(map(log_ratio, blocks)) for blocks in self._together()]

    def overall_twin_log_ratios(self) -> list[float]:
        return [fmean(map(twin_log_ratio, blocks)) for blocks in self._together()]

    def _together(self) -> list[list[tuple[Block, ...]]]:
        """The blocks of all sound endpoints, of every round that measured all of them."""
        sound = self.sound
        whole = [each.blocks for each in self.kept if sound and each.blocks.keys() >= set(sound)]
        return [[blocks[number] for number in sound] for blocks in whole]


def _is_open(judgement: Judgement | None) -> bool:
    return judgement is None or judgement.decision is GuardDecision.INCONCLUSIVE


def measure_rounds(
    theatre: Theatre,
    asked: Sequence[Asked],
    plan: GuardPlan,
    *,
    start_s: float,
    ends: float,
    listener: Listener,
) -> Evidence:
    """Measure until overall and every endpoint are decided, or the last look is taken.

    ``ends``, a reading of ``time.monotonic()``, fixes how many rounds there are; the fewest are measured in
    any case. Ctrl-C, and processes that do not start again, keep the rounds that are complete.
    """
    evidence = Evidence(len(asked))
    left_s = ends - time.monotonic()
    stints = stints_of(asked, sweeps_s(start_s, left_s, FEWEST_ROUNDS << plan.pairings))
    index, last = 0, LOOKS[-1]
    try:
        while evidence.open and index < last * (1 + REPEATS) and _is_short_of(last, evidence):
            listener(RoundStarted(len(evidence.kept) + 1, last))
            began = time.monotonic()
            measured = _one_round(theatre, asked, stints, evidence, random.Random(f"{plan.seed}/{index}"))
            index += 1
            if measured is None:
                continue
            evidence.rounds.append(measured)
            if evidence.procedure is None:
                evidence.procedure = _procedure(plan, len(asked), time.monotonic() - began, ends)
                last = evidence.procedure.looks[-1]
            listener(RoundFinished(len(evidence.kept), last))
            _decide(evidence, evidence.procedure)
            is_late = time.monotonic() > ends and len(evidence.kept) >= FEWEST_ROUNDS << plan.pairings
            if is_late and (len(evidence.kept) >= last or is_at_look(len(evidence.kept), evidence.procedure)):
                break
    except KeyboardInterrupt:
        evidence.interrupted = True
        evidence.ended_early = f"interrupted after {len(evidence.rounds)} rounds"
    except HostFailed as failure:
        evidence.ended_early = f"a process did not start again: {failure}"
    return evidence


def _is_short_of(rounds: int, evidence: Evidence) -> bool:
    """Whether an endpoint that is still open has fewer rounds than that."""
    return any(len(evidence.measured(number)) < rounds for number in evidence.open)


def _procedure(plan: GuardPlan, endpoints: int, round_s: float, ends: float) -> Procedure:
    """Fixed by what the first round cost, before anybody has looked at what it showed."""
    left_s = max(0.0, ends - time.monotonic()) + round_s
    fewest = FEWEST_ROUNDS << plan.pairings
    return Procedure(
        endpoints=endpoints,
        max_slowdown=plan.max_slowdown,
        looks=looks_within(rounds_within(left_s, round_s, fewest, LOOKS[-1])),
        alpha=plan.alpha,
        pairings=plan.pairings,
    )


def _one_round(
    theatre: Theatre, asked: Sequence[Asked], stints: Sequence[Stint], evidence: Evidence, rng: random.Random
) -> Measured | None:
    """None where an endpoint took a process down: then the round is made again, without it once it is known.

    Raises HostFailed where a process does not start.
    """
    ticks, numbers = cpu_ticks(), evidence.open
    blocks: dict[int, list[Block]] = {number: [] for number in numbers}
    with theatre([asked[number] for number in numbers], rng) as stage:
        while due := _due(blocks, stints, rng, alone=evidence.is_careful):
            for group, run in due:
                try:
                    turns = _all_hosts(stage, [asked[number] for number in group], run, rng)
                except HostFailed as failure:
                    _note_loss(evidence, group, failure)
                    return None
                for number, block in zip(group, turns, strict=True):
                    blocks[number].append(block)
    now = cpu_ticks()
    stolen = None if now is None else steal_share(now, ticks)
    figures = {number: tuple(each) for number, each in blocks.items()}
    return Measured(figures, stolen is None or stolen <= MOST_STOLEN)


def _due(
    blocks: dict[int, list[Block]], stints: Sequence[Stint], rng: random.Random, *, alone: bool
) -> list[tuple[list[int], Run]]:
    """Endpoints that every process is asked for in the next sweep, those with runs of one kind together."""
    due = [
        number
        for number, done in blocks.items()
        if len(done) < stints[number].most_turns and not is_settled(done)
    ]
    rng.shuffle(due)
    if alone:
        return [([number], stints[number].run) for number in due]
    runs = dict.fromkeys(stints[number].run for number in due)
    return [([number for number in due if stints[number].run == run], run) for run in runs]


def _all_hosts(stage: Stage, asked: Sequence[Asked], run: Run, rng: random.Random) -> list[Block]:
    """A block of each request."""
    turns = {host: stage.sweep(host, asked, run) for host in rng.sample(HOSTS, len(HOSTS))}
    return list(zip(*(turns[host] for host in HOSTS), strict=True))


def _note_loss(evidence: Evidence, group: Sequence[int], failure: HostFailed) -> None:
    if isinstance(failure.error, AgentFailed):
        raise failure.error from failure
    if len(group) == 1:
        evidence.lost[group[0]] = failure
    evidence.is_careful = True


def _decide(evidence: Evidence, procedure: Procedure) -> None:
    if _is_open(evidence.overall):
        overall = evidence.overall_log_ratios()
        evidence.overall = judge(overall, procedure.alpha_overall, procedure)
    for number in evidence.sound:
        if _is_open(evidence.judgements.get(number)):
            judgement = judge(evidence.log_ratios_of(number), procedure.alpha_endpoint, procedure)
            if judgement is not None:
                evidence.judgements[number] = judgement
