"""How often verdicts on the direct lens are right on this machine, in short rounds.

    python benchmarks/verdicts.py [COMPARISONS [SERIES…]]

Three series of 100 comparisons: `twins`, an endpoint against its twin, at the default margin of 2 %;
`planted-5`, a planted busy wait of 5 % of the request, same margin, in shorter turns, since it
shows in them; `planted-2`, one of 2 %, at a margin of 0.5 %. Twenty-five pairs share the processes of their
rounds, each pair is a comparison of its own, by the sequential procedure.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wirespeed.experiment.design import schedule_round
from wirespeed.experiment.events import ignore
from wirespeed.experiment.sequence import Comparison, compare_pairs
from wirespeed.experiment.stopping import SequentialPlan
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject
from wirespeed.subject.agent import AgentProcess

APPS = Path(__file__).parent / "apps"
PAIRS = 25
CALIBRATIONS, CALIBRATION_NS, TYPICAL_CALL_NS = 9, 200_000_000, 300_000
CALIBRATION_TURNS = 2_000
ROUNDS = 40


@dataclass(frozen=True, slots=True)
class Series:
    title: str
    other: str
    planted: float
    margin: float
    arm_budget_ns: int


SERIES = {
    "twins": Series("twins, margin 2 %", "b", 0.0, 0.02, 80_000_000),
    "planted-5": Series("planted 5 %, margin 2 %", "slow", 0.05, 0.02, 30_000_000),
    "planted-2": Series("planted 2 %, margin 0.5 %", "slow", 0.02, 0.005, 80_000_000),
}


def boot_with(turns: int) -> Callable[[], AbstractContextManager[AgentProcess]]:
    subject = AppSubject(
        app="planted.py", python=Path(sys.executable), folder=APPS, env={"PLANTED_TURNS": str(turns)}
    )

    @contextmanager
    def boot() -> Iterator[AgentProcess]:
        with AgentProcess(subject) as agent:
            agent.boot()
            yield agent

    return boot


def run(series: Series, comparisons: int, share_of_a_turn: float) -> None:
    started = time.monotonic()
    boot = boot_with(round(series.planted / share_of_a_turn))
    done: list[Comparison] = []
    for batch in range(comparisons // PAIRS):
        pairs = [
            (Request(method="GET", path=f"/a{n}"), Request(method="GET", path=f"/{series.other}{n}"))
            for n in range(PAIRS)
        ]
        plan = SequentialPlan(margin=series.margin)
        done += compare_pairs(
            boot,
            pairs,
            plan,
            rounds=ROUNDS,
            seed=batch,
            arm_budget_ns=series.arm_budget_ns,
            listener=ignore,
        )
    verdicts = Counter(str(each.decision.verdict) if each.decision else "undecided" for each in done)
    spread = float(np.median([np.std(each.log_ratios, ddof=1) for each in done]))
    effect = float(np.median([np.mean(each.log_ratios) for each in done]))
    rounds = float(np.median([len(each.log_ratios) for each in done]))
    told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    print(
        f"{series.title:34s} {told:58s} median ratio {np.exp(effect):.4f}, round sd {spread:.2%}, "
        f"{rounds:.0f} rounds, {time.monotonic() - started:.0f} s",
        flush=True,
    )


def calibrate() -> float:
    """Share of a plain request that one planted turn takes, as the series will meet both: in warm processes.

    Both are timed in the same runs, since the machine's speed changes from minute to minute.
    """
    requests = [Request(method="GET", path=path).for_agent() for path in ("/a0", "/slow0")]
    boot, shares = boot_with(CALIBRATION_TURNS), []
    for seed in range(CALIBRATIONS):
        schedule = schedule_round(2, TYPICAL_CALL_NS, random.Random(seed), CALIBRATION_NS)
        args = {"requests": requests, "schedule": schedule.model_dump(mode="json"), "deadline_s": 60}
        with boot() as agent:
            report = agent.call("contest", args, deadline_s=60, doing="calibrating")
        plain, slow = (np.array([median_ns for median_ns, *_ in runs]) for runs in report["runs"])
        shares.append(float(np.median(slow / plain)) - 1)
    return float(np.median(shares)) / CALIBRATION_TURNS


def main() -> None:
    comparisons = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    chosen = sys.argv[2:] or list(SERIES)
    share = calibrate()
    print(f"1 % of a request is {0.01 / share:.0f} turns; {comparisons} comparisons a series", flush=True)
    for name in chosen:
        run(SERIES[name], comparisons, share)


if __name__ == "__main__":
    main()
