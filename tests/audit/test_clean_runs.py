"""Sound runs raise no alarm: a check that cries wolf is not read twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.model.audit import AuditedFile

FIXTURES = Path(__file__).parent / "fixtures"
CLEAN = sorted(path.relative_to(FIXTURES).as_posix() for path in FIXTURES.rglob("clean*"))


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_run_raises_no_alarm(name: str, one: Callable[..., AuditedFile]) -> None:
    alarms = [finding for finding in one(name).findings if finding.severity != "note"]

    assert alarms == []


def test_there_are_clean_runs_of_every_real_tool_at_several_concurrencies(
    one: Callable[..., AuditedFile],
) -> None:
    runs = [one(name).run for name in CLEAN if name.startswith("real/")]
    tools = {run.tool: {other.connections for other in runs if other.tool == run.tool} for run in runs}

    assert set(tools) == {"hey", "wrk", "ab", "autocannon"}
    assert all(len(connections) >= 3 for connections in tools.values())


def test_the_connections_that_somebody_tells_agree_with_a_clean_run(one: Callable[..., AuditedFile]) -> None:
    assert "littles-law" in one("real/clean-c1.hey.txt", connections=1).passed
    assert "littles-law" in one("real/clean-c10.hey.csv", connections=10).passed
