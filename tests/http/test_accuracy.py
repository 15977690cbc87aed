"""Figures against a server whose delays are known to the microsecond. Slow, for stalls take their time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.http.outcomes import Distribution, Tally
from wirespeed.http.plan import LoadPlan
from wirespeed.http.processes import run_load
from wirespeed.http.target import parse_target

pytestmark = pytest.mark.slow

PLAN = LoadPlan(connections=1, requests=None, duration_s=5.0)
DELAY_NS = 5_000_000
SCHEDULING_NS = 600_000
"""Two processes have to be woken for a request, on a machine that may be busy. Idle ones need about 100 µs.
"""


@pytest.fixture
def precise() -> Iterator[Callable[[str], str]]:
    """``precise("steady")`` gives the URL of a server that runs until the test ends."""
    processes: list[subprocess.Popen[str]] = []

    def start(kind: str) -> str:
        script = Path(__file__).with_name("precise_server.py")
        process = subprocess.Popen([sys.executable, str(script), kind], stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        return f"http://127.0.0.1:{int(process.stdout.readline())}/"

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def load(url: str, **changes: object) -> Tally:
    return run_load(parse_target(url), replace(PLAN, **changes)).tally


def percentile_ns(distribution: Distribution, share: float) -> int:
    value = distribution.histogram.percentile_ns(share)
    assert value is not None
    return value


OPEN = {"rate": 50.0, "connections": 4}


@pytest.mark.parametrize("pace", [{}, OPEN, {**OPEN, "poisson": True}])
def test_a_known_delay_is_what_is_measured_in_closed_and_open_loops(
    pace: dict[str, float], precise: Callable[[str], str]
) -> None:
    tally = load(precise("steady"), **pace)
    assert DELAY_NS <= percentile_ns(tally.service, 0.5) <= DELAY_NS + SCHEDULING_NS
    assert DELAY_NS <= percentile_ns(tally.response, 0.5) <= DELAY_NS + SCHEDULING_NS


def test_a_second_of_stall_in_ten_shows_where_it_must(precise: Callable[[str], str]) -> None:
    """One request in ten falls due during the stall, and waits for what is left of it: 0 to 1 s."""
    tally = load(precise("stalling"), rate=100.0, connections=20, duration_s=20.0)
    assert tally.due == tally.answered == 2000
    assert percentile_ns(tally.response, 0.99) == pytest.approx(0.9e9, rel=0.02)
    assert percentile_ns(tally.response, 0.95) == pytest.approx(0.5e9, rel=0.04)
    assert DELAY_NS <= percentile_ns(tally.response, 0.5) <= DELAY_NS + SCHEDULING_NS


def test_timing_from_the_send_hides_the_stall(precise: Callable[[str], str]) -> None:
    tally = load(precise("stalling"), rate=100.0, connections=2, duration_s=10.0)
    assert percentile_ns(tally.response, 0.99) > 0.5e9
    assert percentile_ns(tally.service, 0.99) < 0.1e9
