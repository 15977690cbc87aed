"""How often guards are right on this machine: unchanged code, planted slowdowns, changed answers, versions.

    python benchmarks/guard.py [SERIES…] [COUNT]

Every guard is a run of the command on a repository of its own, with an app of ten endpoints, at
`--max-slowdown 2% --budget 10s`. Series: `unchanged` (100 guards), `planted-10` and `planted-5` (40 each; one
endpoint is made slower by a busy wait of that share of its request), `behaviour` (10; an answer is changed)
and `versions` (5; FastAPI 0.165 against 0.129). Each guard adds a line to
`.wirespeed/benchmarks/guard.jsonl`; run again, it goes on where it ended. COUNT guards of each series are
wanted altogether.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

APP = Path(__file__).parent / "apps" / "guarded.py"
LINES = Path(".wirespeed", "benchmarks", "guard.jsonl")
SCRIPT = Path(sys.executable).with_name("wirespeed")
SLOWED = "GET /orders/7"
OPTIONS = ("--max-slowdown", "2%", "--budget", "10s", "--json", "--no-save")


@dataclass(frozen=True)
class Series:
    count: int
    title: str
    edit: tuple[str, str] | None = None
    """What head has in place of what base has."""
    options: tuple[str, ...] = ()
    expected: str = "pass"


def planted(share: str) -> tuple[str, str]:
    assignment = 'SLOWED, PLANTED = "/orders/7", '
    return f"{assignment}0.0", f"{assignment}{share}"


SERIES = {
    "unchanged": Series(100, "unchanged code"),
    "planted-10": Series(40, "planted 10 % in one of ten", planted("0.10"), expected="fail"),
    "planted-5": Series(40, "planted 5 % in one of ten", planted("0.05"), expected="fail"),
    "behaviour": Series(10, "a changed body", ('GREETING = "hello"', 'GREETING = "bye"'), expected="fail"),
    "versions": Series(
        5,
        "FastAPI 0.165 against 0.129",
        options=("--base-with", "fastapi==0.165.0", "--head-with", "fastapi==0.129.0"),
        expected="fail",
    ),
}


def main() -> None:
    arguments = sys.argv[1:]
    counts = [int(each) for each in arguments if each.isdigit()]
    chosen = [each for each in arguments if not each.isdigit()] or list(SERIES)
    for name in chosen:
        if name not in SERIES:
            sys.exit(f"there is no series {name!r}; there are {', '.join(SERIES)}")
    for name in chosen:
        series = SERIES[name]
        wanted = counts[0] if counts else series.count
        for seed in range(len(list(done(name))), wanted):
            keep(name, run(series, seed))
        print(told(series, list(done(name))[:wanted]), flush=True)


def run(series: Series, seed: int) -> dict[str, Any]:
    """One guard: its decision, which endpoints it blames, what of behaviour, and how long it took."""
    with TemporaryDirectory(prefix="guarded-") as name:
        folder = Path(name)
        repository_in(folder, series)
        command = [SCRIPT, "guard", "guarded:app", "--base", "HEAD", "--seed", str(seed), *OPTIONS]
        started = time.monotonic()
        ended = subprocess.run([*command, *series.options], cwd=folder, capture_output=True, text=True)
        took_s = time.monotonic() - started
    if ended.returncode not in (0, 1):
        sys.exit(f"the guard ended with {ended.returncode}:\n{ended.stderr}")
    document = json.loads(ended.stdout)
    return {
        "seed": seed,
        "decision": document["decision"],
        "exit": ended.returncode,
        "slower": [each["request"] for each in document["endpoints"] if each["decision"] == "fail"],
        "overall": document["overall"]["decision"],
        "undecided": [
            each["request"] for each in document["endpoints"] if each["decision"] == "inconclusive"
        ],
        "behaviour": [each["request"] for each in document["behaviour"]],
        "packages": [each["name"] for each in document["package_changes"]],
        "fit": document["certificate"]["fit"],
        "rounds": len(document["rounds"]),
        "spread": spread(document),
        "seconds": round(took_s, 2),
    }


def repository_in(folder: Path, series: Series) -> None:
    """The app as it was committed, and head's change in the working tree."""
    source = APP.read_text(encoding="utf-8")
    file = folder / "guarded.py"
    file.write_text(source, encoding="utf-8")
    identity = ("-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.org")
    for arguments in (("init", "--quiet"), ("add", "."), (*identity, "commit", "--quiet", "-m", "base")):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    if series.edit is not None:
        before, after = series.edit
        if before not in source:
            sys.exit(f"{APP} has no {before!r}")
        file.write_text(source.replace(before, after), encoding="utf-8")


def spread(document: dict[str, Any]) -> float:
    """Standard deviation of a round's log ratio: the median over endpoints."""
    series: dict[str, list[float]] = {}
    for each in document["rounds"]:
        for request, ratio in each["log_ratios"].items():
            series.setdefault(request, []).append(ratio)
    return round(median([deviation(each) for each in series.values() if len(each) > 1] or [0.0]), 5)


def deviation(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5


def done(name: str) -> Iterator[dict[str, Any]]:
    """What earlier runs have measured of a series."""
    if LINES.exists():
        for line in LINES.read_text(encoding="utf-8").splitlines():
            content = json.loads(line)
            if content["series"] == name:
                yield content


def keep(name: str, result: dict[str, Any]) -> None:
    LINES.parent.mkdir(parents=True, exist_ok=True)
    with LINES.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"series": name, **result}) + "\n")


def told(series: Series, results: Sequence[dict[str, Any]]) -> str:
    decisions = Counter(each["decision"] for each in results)
    seconds = [each["seconds"] for each in results]
    named = sum(SLOWED in each["slower"] for each in results)
    others = sum(any(name != SLOWED for name in each["slower"]) for each in results)
    parts = [
        f"{series.title}: {len(results)} guards, {decisions[series.expected]} {series.expected} as expected",
        ", ".join(f"{count} {decision}" for decision, count in sorted(decisions.items())),
        f"{named} name {SLOWED}, {others} another as slower",
        f"{sum(bool(each['behaviour']) for each in results)} by behaviour",
        f"{sum(not each['fit'] for each in results)} unfit",
        f"median {median(seconds):.1f} s, longest {max(seconds):.1f} s",
        f"{median(each['rounds'] for each in results):.0f} rounds",
        f"round sd {median(each['spread'] for each in results):.2%}",
    ]
    return "; ".join(parts)


if __name__ == "__main__":
    main()
