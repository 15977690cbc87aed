"""What ``compare`` concludes about one endpoint under two names, beside what is usually done.

    python benchmarks/precision.py [COMPARISONS]

Both names answer with the same function, so every winner is a false alarm. Three procedures:

- *compare*: rounds of fresh processes, random order, looks whose error is shared out, a margin of 2 %,
  within 45 s.
- *one after the other*: one server, 2,000 requests to the one name, then 2,000 to the other, and the means
  compared, as with hey. Where hey is not installed, our own engine sends the same requests in the same order.
- *peeking*: one server, runs of both names in turn, a 95 % interval after every pair from the 50th on, until
  it excludes zero or 150 pairs are in; tachometer samples like this.
"""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from wirespeed.experiment.compare import compare
from wirespeed.experiment.design import Run
from wirespeed.experiment.events import ignore
from wirespeed.experiment.stage import Stage
from wirespeed.experiment.subjects import cast_of, lens_of
from wirespeed.model.comparison_plan import ArmPlan, ComparisonPlan, HostedApp
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject, ServerSettings
from wirespeed.subject.server import served

APPS = Path(__file__).parent / "apps"
MARGIN = 0.02
BUDGET_S = 37.0
"""So that even a comparison that needs all of it is over within 45 s, however long its last rounds take."""
PATHS = ("/a0", "/b0")
REQUESTS = 2000
FEWEST_PAIRS, MOST_PAIRS = 50, 150
RUN = Run(length=25, dropped=3)
Z95 = 1.96

APP = HostedApp(
    app=AppSubject(app="planted.py", python=Path(sys.executable), folder=APPS), server=ServerSettings()
)


def plan(seed: int) -> ComparisonPlan:
    arms = tuple(
        ArmPlan(name=f"GET {path}", subject=APP, request=Request(method="GET", path=path)) for path in PATHS
    )
    return ComparisonPlan(
        arms=arms,
        lens="service",
        connections=1,
        metric="median_service_time",
        margin=MARGIN,
        alpha=0.05,
        budget_s=BUDGET_S,
        max_errors=0.001,
        allow_different=False,
        timeout_s=30,
        verify_tls=True,
        seed=seed,
        folder=APPS,
    )


def with_compare(seed: int) -> tuple[str, str]:
    document = compare(plan(seed)).document
    (found,) = (each for each in document.estimates if each.verdict is not None)
    ratio = "no estimate" if found.ratio is None else f"{found.ratio - 1:+.1%}"
    return str(found.verdict), f"{ratio}, {len(document.rounds)} rounds"


def one_after_the_other(seed: int) -> tuple[str, str]:
    """Nobody who does this says "equivalent": whatever is more than the margin apart is called different."""
    if shutil.which("hey"):
        with served(APP.app, APP.server) as app:
            means = [mean_by_hey(app.base_url + path) for path in PATHS]
    else:
        with one_stage(seed) as stage:
            means = [float(stage.sample(arm, Run(REQUESTS, 0), 200).latencies_ns.mean()) for arm in (0, 1)]
    ratio = means[1] / means[0]
    return called(math.log(ratio)), f"{ratio - 1:+.1%}"


def mean_by_hey(url: str) -> float:
    """Seconds a request, from the rate: hey prints its average with four decimals only."""
    done = subprocess.run(
        ["hey", "-n", str(REQUESTS), "-c", "1", url], capture_output=True, text=True, check=True
    )
    found = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    assert found is not None, done.stdout
    return 1 / float(found[1])


def peeking(seed: int) -> tuple[str, str]:
    means: list[list[float]] = [[], []]
    with one_stage(seed) as stage:
        for arm in (0, 1):
            stage.warm_up(arm, 100)
        for pair in range(MOST_PAIRS):
            for arm in (0, 1):
                means[arm].append(float(stage.sample(arm, RUN, 200).latencies_ns.mean()))
            if pair + 1 >= FEWEST_PAIRS:
                ratio, error = relative_difference(np.array(means[0]), np.array(means[1]))
                if abs(ratio) > Z95 * error:
                    return "slower" if ratio > 0 else "faster", f"{ratio:+.1%}, {pair + 1} pairs"
    return "no difference", f"{ratio:+.1%}, {MOST_PAIRS} pairs"


def relative_difference(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """(other - one)/one and its standard error."""
    ratio = other.mean() / one.mean()
    spreads = [float(side.var(ddof=1)) / side.size / float(side.mean()) ** 2 for side in (one, other)]
    return float(ratio) - 1, float(ratio) * math.sqrt(sum(spreads))


def called(log_ratio: float) -> str:
    if abs(log_ratio) <= math.log1p(MARGIN):
        return "no difference"
    return "slower" if log_ratio > 0 else "faster"


@contextmanager
def one_stage(seed: int) -> Iterator[Stage]:
    with cast_of(plan(seed), ignore) as cast, lens_of(plan(seed), cast) as lens, lens.stage([0, 1]) as stage:
        yield stage


SENDER = "hey" if shutil.which("hey") else "our engine, as hey is not installed"
PROCEDURES = {
    "compare": with_compare,
    f"one after the other ({SENDER})": one_after_the_other,
    "peeking": peeking,
}


def main() -> None:
    comparisons = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print(f"{comparisons} comparisons of an endpoint with itself; every winner is a false alarm")
    for name, procedure in PROCEDURES.items():
        print(f"\n{name}")
        verdicts, seconds = Counter[str](), []
        for seed in range(comparisons):
            began = time.monotonic()
            verdict, figures = procedure(seed)
            seconds.append(time.monotonic() - began)
            verdicts[verdict] += 1
            print(f"  {verdict:14s} {figures:24s} {seconds[-1]:5.1f} s", flush=True)
        told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
        false = verdicts["faster"] + verdicts["slower"]
        print(f"  {told}: {false} of {comparisons} name a winner; {max(seconds):.0f} s at most", flush=True)


if __name__ == "__main__":
    main()
