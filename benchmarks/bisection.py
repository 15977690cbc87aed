"""Whether `bisect` finds the releases of FastAPI that are known to have changed the speed of two apps.

    python benchmarks/bisection.py [CASE…]

`typed`: the fast path for declared response types came in 0.130.0. `untyped`: without a type it never came,
so there is nothing to find. `included`: the last of a hundred included routes is matched more slowly since
0.137.0. Environments are made by uv from the package index it is configured for, and kept in the user's
caches, so the first run takes longer. Prints what was found beside what is known.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from wirespeed.bisect.bisect import bisect
from wirespeed.bisect.story import StepStarted, Told
from wirespeed.model.bisection import Bisection
from wirespeed.model.bisection_plan import BisectionPlan, PackageRange
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject, ServerSettings
from wirespeed.report.bisection import print_bisection

ROOT = Path(__file__).parents[1]
APPS = Path(__file__).parent / "apps"
BUDGET_S = 900.0
SEED = 20


@dataclass(frozen=True, slots=True)
class Case:
    folder: Path
    app: str
    path: str
    expected: str


CASES = {
    "typed": Case(ROOT / "examples", "users.py", "/typed", "0.130.0"),
    "untyped": Case(ROOT / "examples", "users.py", "/untyped", "none"),
    "included": Case(APPS, "included.py", "/api/items-99", "0.137.0"),
}


def plan_of(case: Case) -> BisectionPlan:
    return BisectionPlan(
        app=AppSubject(app=case.app, python=Path(sys.executable), folder=case.folder),
        request=Request(method="GET", path=case.path),
        range=PackageRange(package="fastapi", first="0.129.0", last="0.165.0"),
        requirements=(),
        lens="direct",
        server=ServerSettings(),
        margin=0.02,
        alpha=0.05,
        budget_s=BUDGET_S,
        max_errors=0.001,
        allow_different=False,
        timeout_s=30.0,
        seed=SEED,
    )


def found(document: Bisection) -> str:
    """The release, or why there is none."""
    return document.change.at if document.change is not None else document.outcome


def tell(told: Told) -> None:
    if isinstance(told, StepStarted):
        print(f"… {told.doing}, at most {told.left} comparisons left", file=sys.stderr, flush=True)


def main() -> None:
    names = sys.argv[1:] or list(CASES)
    verdicts = []
    for name in names:
        case = CASES[name]
        document = bisect(plan_of(case), tell).document
        print_bisection(document, Console(width=110, highlight=False))
        rounds = sum(each.rounds for each in document.comparisons)
        verdicts.append(
            f"{name}: {document.outcome}, {found(document)}; known: {case.expected}; "
            f"{len(document.comparisons)} comparisons, {rounds} rounds, {document.elapsed_s:.0f} s"
        )
        print()
    print("\n".join(verdicts))


if __name__ == "__main__":
    main()
