"""What ``pytest --wirespeed`` costs a suite of TestClient tests while it runs, and at its end.

    python benchmarks/suite_cost.py [--tests 1000] [--turns 7]

The same suite runs with and without the option in turn, in an order drawn anew for every turn, each time in a
process of its own. The suite's time is the one from the beginning of the first test to the end of the last,
without what the option does afterwards, which is told apart. Exits with 1 if the suite takes more than 10 %
longer.

The suite is unkind: tests of one request each, a third of them for lists that are kept, and nothing else that
would take time beside the requests. Real suites set up databases.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

MOST = 1.10

APP = """
from fastapi import Depends, FastAPI
from pydantic import BaseModel


class Order(BaseModel):
    id: int
    name: str


def orders(count):
    return [{"id": number, "name": f"order {number}"} for number in range(count)]


def page(size: int = 20):
    return size


app = FastAPI()


@app.get("/typed")
async def typed(size: int = Depends(page)) -> list[Order]:
    return orders(size)


@app.get("/untyped")
async def untyped(size: int = Depends(page)):
    return orders(size)


@app.post("/orders", status_code=201)
def create(order: Order):
    return {"created": order, "at": "now"}
"""

TESTS = """
import pytest
from fastapi.testclient import TestClient

from main import app


@pytest.fixture(scope="session")
def client():
    with TestClient(app) as opened:
        yield opened


@pytest.mark.parametrize("number", range(COUNT))
def test_it(client, number):
    if number % 3 == 0:
        assert len(client.get("/typed").json()) == 20
    elif number % 3 == 1:
        assert len(client.get(f"/untyped?size={20 + number % 7}").json()) >= 20
    else:
        assert client.post("/orders", json={"id": number, "name": "new"}).status_code == 201
"""

CONFTEST = """
import json
import time

import pytest


class Clock:
    began = None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    if Clock.began is None:
        Clock.began = time.perf_counter()
    result = yield
    Clock.ended = time.perf_counter()
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    began = time.perf_counter()
    result = yield
    times = {"suite_s": Clock.ended - Clock.began, "end_s": time.perf_counter() - began}
    with open(session.config.rootpath / "times.json", "w") as file:
        json.dump(times, file)
    return result
"""


class Times(NamedTuple):
    suite_s: float
    end_s: float
    """From the last test to the end of the session: with the option, measuring."""


def run_once(folder: Path, *options: str) -> Times:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    done = subprocess.run([*command, *options, str(folder)], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"the suite failed:\n{done.stdout}{done.stderr}")
    return Times(**json.loads((folder / "times.json").read_text()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=7)
    chosen = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "main.py").write_text(APP)
        (folder / "test_it.py").write_text(TESTS.replace("COUNT", str(chosen.tests)))
        (folder / "conftest.py").write_text(CONFTEST)
        without, watched = measure(folder, chosen.turns)
    return report(without, watched, chosen.tests)


def measure(folder: Path, turns: int) -> tuple[list[Times], list[Times]]:
    """One run of each kind a turn, after one of each that finds caches cold."""
    kinds: dict[str, tuple[str, ...]] = {"without": (), "watched": ("--wirespeed",)}
    seen: dict[str, list[Times]] = {name: [] for name in kinds}
    rng = random.Random(0)
    for turn in range(turns + 1):
        for name in rng.sample(list(kinds), len(kinds)):
            times = run_once(folder, *kinds[name])
            if turn:
                seen[name].append(times)
    return seen["without"], seen["watched"]


def report(without: list[Times], watched: list[Times], tests: int) -> int:
    ratios = [ours.suite_s / plain.suite_s for plain, ours in zip(without, watched, strict=True)]
    ratio = statistics.median(ratios)
    plain_ms = statistics.median(each.suite_s for each in without) / tests * 1e3
    print(f"{tests} tests of one request, {len(ratios)} turns: {plain_ms:.2f} ms a test without the option")
    print(f"suite: {ratio:.3f} times as long, turns from {min(ratios):.3f} to {max(ratios):.3f}")
    end_s = [each.end_s for each in watched]
    print(f"end:   {statistics.median(end_s):.1f} s, turns from {min(end_s):.1f} to {max(end_s):.1f} s")
    if ratio > MOST:
        print(f"more than {MOST:.2f}", file=sys.stderr)
    return int(ratio > MOST)


if __name__ == "__main__":
    sys.exit(main())
