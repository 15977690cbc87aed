import sys
from typing import Any

import pytest

from wirespeed.testing import MeasuringRefused, compare
from wirespeed.testing.refusal import reason_to_refuse


def nothing() -> None:
    pass


def test_nothing_is_refused_in_a_quiet_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)

    assert reason_to_refuse() is None


def test_a_worker_beside_others_measures_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "4")

    with pytest.raises(MeasuringRefused, match=r"while 4 workers run tests in parallel.*pytest -n0"):
        compare(nothing, nothing)


def test_a_worker_that_is_alone_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "1")

    assert reason_to_refuse() is None


@pytest.mark.parametrize("kind", ["trace", "profile"])
def test_a_traced_process_measures_nothing(kind: str) -> None:
    def hook(frame: Any, event: str, argument: Any) -> None:
        return None

    before = getattr(sys, f"get{kind}")()
    getattr(sys, f"set{kind}")(hook)
    try:
        reason = reason_to_refuse()
    finally:
        getattr(sys, f"set{kind}")(before)

    assert reason is not None
    assert reason.startswith("wirespeed measures nothing under a ")
    assert __name__ in reason


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12")
def test_a_monitored_process_measures_nothing() -> None:
    monitoring = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
    monitoring.use_tool_id(monitoring.COVERAGE_ID, "a coverage tool")
    try:
        reason = reason_to_refuse()
    finally:
        monitoring.free_tool_id(monitoring.COVERAGE_ID)

    assert reason is not None
    assert "a monitoring tool (a coverage tool)" in reason
