"""How often wirespeed's verdicts are wrong, by simulation with the functions that decide.

    python benchmarks/simulation.py [EXPERIMENTS]

Noise is put where it arises: on the time of each block, of each arm, with a part that a whole round shares.
The log ratio of a round is then made as the experiment makes it. Prints every figure with its limit, and ends
with 1 when one exceeds it. The tests hold the same figures.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wirespeed.experiment.design import round_log_ratios
from wirespeed.experiment.stopping import ConfirmPlan, SequentialPlan, Verdicts, confirm, stop_sequentially
from wirespeed.stats import (
    LOOKS,
    FloatArray,
    Interval,
    Look,
    looks_within,
    mean_interval,
    pair_rounds,
    sequential_bounds,
    smallest_effect,
    t_bound,
    t_interval,
)

EXPERIMENTS = 20_000
CHUNK = 1_000
BLOCKS = 4
ROUND_SD = 0.01
CANDIDATES = 20

FALSE_AT_MOST = 0.055
COVERED_AT_LEAST = 0.945

Noise: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], FloatArray]


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    return 1 + 0.03 * rng.standard_normal(shape)


def log_normal(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    return np.exp(0.3 * rng.standard_normal(shape))


def disturbed(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    return normal(rng, shape) * np.where(rng.random(shape) < 0.05, 10, 1)


NORMAL = "block times normal, 3 %"
NOISES: dict[str, Noise] = {
    NORMAL: normal,
    "block times log-normal, σ 0.3": log_normal,
    "5 % of blocks take 10 times as long": disturbed,
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One simulated share; ``at_most`` or ``at_least`` where it has a limit."""

    what: str
    noise: str
    share: float
    at_most: float | None = None
    at_least: float | None = None

    @property
    def holds(self) -> bool:
        too_high = self.at_most is not None and self.share > self.at_most
        too_low = self.at_least is not None and self.share < self.at_least
        return not (too_high or too_low)


def log_ratios(
    noise: Noise, seed: int, experiments: int, rounds: int, *, ratio: float = 1.0, candidates: int = 1
) -> FloatArray:
    """Simulated rounds of candidates that share a baseline: shape (experiments, candidates, rounds)."""
    rng = np.random.default_rng(seed)
    true_times = np.array([1.0] + [ratio] * candidates)

    def chunk(size: int) -> FloatArray:
        per_round = np.exp(ROUND_SD * rng.standard_normal((size, rounds, 1, candidates + 1)))
        per_block = noise(rng, (size, rounds, BLOCKS, candidates + 1))
        return round_log_ratios(true_times * per_round * per_block)

    sizes = [min(CHUNK, experiments - start) for start in range(0, experiments, CHUNK)]
    return np.concatenate([chunk(size) for size in sizes]).swapaxes(1, 2)


def autocorrelated_log_ratios(rho: float, seed: int, experiments: int, rounds: int) -> FloatArray:
    """Rounds of equals that remember the round before, a stationary AR(1): shape (experiments, rounds)."""
    rng = np.random.default_rng(seed)
    x = ROUND_SD * rng.standard_normal((experiments, rounds))
    x[:, 0] /= np.sqrt(1 - rho**2)
    for now in range(1, rounds):
        x[:, now] += rho * x[:, now - 1]
    return x


def sequential(noise: str, looks: tuple[int, ...] = LOOKS, experiments: int = EXPERIMENTS) -> list[Figure]:
    """Equals compared: called different, the interval of any look wrong, and the interval at the stop right.

    The second has no margin to help it: 5.2 to 5.5 %, too near the limit to be held to it by simulation.
    """
    plan = SequentialPlan(looks=looks)
    x = log_ratios(NOISES[noise], 1, experiments, looks[-1])[:, 0]
    stopping = stop_sequentially(x, plan.bounds, plan.delta)
    different = float(_different(stopping.verdict).mean())
    any_wrong = _wrong_at_any_look(x, plan.bounds)
    covered = _covered(stopping.interval, 0.0)
    named = f"looks at {', '.join(map(str, looks))}"
    return [
        Figure(f"equals called different, {named}", noise, different, FALSE_AT_MOST),
        Figure("  interval of any look wrong", noise, any_wrong),
        Figure("  interval at the stop holds 1", noise, covered, at_least=COVERED_AT_LEAST),
    ]


def sequential_coverage(noise: str, ratio: float, experiments: int = EXPERIMENTS) -> Figure:
    """A true difference compared: whether the interval at the stop holds it."""
    plan = SequentialPlan()
    x = log_ratios(NOISES[noise], 2, experiments, plan.looks[-1], ratio=ratio)[:, 0]
    interval = stop_sequentially(x, plan.bounds, plan.delta).interval
    covered = _covered(interval, math.log(ratio))
    return Figure(f"interval at the stop holds {ratio}", noise, covered, at_least=COVERED_AT_LEAST)


def whole_table(noise: str, rounds: int, experiments: int = EXPERIMENTS) -> list[Figure]:
    """A table of candidates that all equal the baseline: how often anything in it is wrong."""
    plan = ConfirmPlan()
    x = log_ratios(NOISES[noise], 3, experiments, rounds, candidates=CANDIDATES)
    verdicts, interval = confirm(x, plan, CANDIDATES)
    different = _different(verdicts).any(axis=-1)
    missed = ((interval.low > 0) | (interval.high < 0)).any(axis=-1)
    named = f"table of {CANDIDATES} equals, {rounds} rounds"
    return [
        Figure(f"{named}: any called different", noise, float(different.mean()), FALSE_AT_MOST),
        Figure(f"{named}: any interval wrong", noise, float(missed.mean()), FALSE_AT_MOST),
    ]


def naive_peeking(noise: str, experiments: int = EXPERIMENTS) -> Figure:
    """What a 95 % t-interval looked at after every round would do, were it used instead."""
    naive = tuple(Look(rounds, z=1.96, t=t_bound(rounds, 0.05)) for rounds in range(3, 41))
    x = log_ratios(NOISES[noise], 1, experiments, 40)[:, 0]
    return Figure(
        "naive: 95 % t-interval after every round", noise, _wrong_at_any_look(x, naive), at_least=0.20
    )


def autocorrelation(rho: float, pairings: int, experiments: int = EXPERIMENTS) -> Figure:
    """Equals called different where rounds remember the one before; no limit, pairing only softens it."""
    plan = SequentialPlan(pairings=pairings)
    x = pair_rounds(autocorrelated_log_ratios(rho, 4, experiments, plan.looks[-1]), pairings)
    treatment = ["as they are", "in pairs", "in pairs of pairs"][pairings]
    return Figure(f"rounds taken {treatment}", f"autocorrelation {rho}", _wrong_at_any_look(x, plan.bounds))


def skewed(experiments: int = EXPERIMENTS) -> Figure:
    """Rounds skewed to one side, as noise of equal arms never makes them; shown without a limit."""
    x = ROUND_SD * (np.random.default_rng(5).exponential(size=(experiments, 40)) - 1)
    return Figure(
        "equals called different", "x_r exponential", _wrong_at_any_look(x, SequentialPlan().bounds)
    )


def power(rounds: int, experiments: int = EXPERIMENTS) -> Figure:
    """Whether the effect called the smallest that can be shown is shown in 80 % of experiments."""
    saving = smallest_effect(ROUND_SD, rounds, 0.05, CANDIDATES)
    rng = np.random.default_rng(6)
    x = np.log1p(-saving) + ROUND_SD * rng.standard_normal((experiments, rounds))
    shown = float((t_interval(x, 0.05, CANDIDATES).high < 0).mean())
    return Figure(
        f"smallest effect of {rounds} rounds shown", "x_r normal", shown, at_most=0.82, at_least=0.78
    )


def figures(experiments: int = EXPERIMENTS) -> Iterator[Figure]:
    for noise in NOISES:
        yield from sequential(noise, experiments=experiments)
        for ratio in (0.9, 0.985, 1.02):
            yield sequential_coverage(noise, ratio, experiments)
        for rounds in (5, 8, 12):
            yield from whole_table(noise, rounds, experiments)
    for budget in (9, 12, 20, 30):
        yield from sequential(NORMAL, looks_within(budget), experiments)
    yield naive_peeking(NORMAL, experiments)
    for rho in (0.1, 0.3):
        for pairings in (0, 1, 2):
            yield autocorrelation(rho, pairings, experiments)
    yield skewed(experiments)
    for rounds in (5, 8, 12):
        yield power(rounds, experiments)


def _different(verdicts: Verdicts) -> NDArray[np.bool_]:
    return np.isin(verdicts, ["faster", "slower"])


def _wrong_at_any_look(x: FloatArray, bounds: tuple[Look, ...]) -> float:
    intervals = (mean_interval(x[:, : look.rounds], look.t) for look in bounds)
    return float(np.any([(i.low > 0) | (i.high < 0) for i in intervals], axis=0).mean())


def _covered(interval: Interval, truth: float) -> float:
    return float(((interval.low <= truth) & (truth <= interval.high)).mean())


def _limit(figure: Figure) -> str:
    at_least = f">= {figure.at_least:.1%}" if figure.at_least is not None else ""
    at_most = f"<= {figure.at_most:.1%}" if figure.at_most is not None else ""
    return f"{at_least} {at_most}".strip()


def main() -> int:
    experiments = int(sys.argv[1]) if len(sys.argv) > 1 else EXPERIMENTS
    print(f"{'rounds':>6} {'z':>6} {'t':>6}")
    for look in sequential_bounds():
        print(f"{look.rounds:6} {look.z:6.2f} {look.t:6.2f}")
    print(f"\n{experiments} experiments each, {BLOCKS} blocks a round, rounds differ by {ROUND_SD:.0%}\n")
    broken = 0
    for figure in figures(experiments):
        broken += not figure.holds
        mark = "" if figure.holds else "  BROKEN"
        print(f"{figure.what:58} {figure.noise:36} {figure.share:6.2%}  {_limit(figure)}{mark}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
