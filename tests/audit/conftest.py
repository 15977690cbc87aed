"""Fixtures by name, audited as the command does it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.audit.audit import Output, audit
from wirespeed.model.audit import Asked, Audit, AuditedFile, LatencyFigures, Percentile, ToolRun

FIXTURES = Path(__file__).parent / "fixtures"


def audited(*names: str, asked: Asked | None = None) -> Audit:
    outputs = [Output(Path(name).name, (FIXTURES / name).read_bytes()) for name in names]
    return audit(outputs, asked or Asked())


def one(name: str, **asked: float | None) -> AuditedFile:
    return audited(name, asked=Asked.model_validate(asked)).files[0]


def severities(file: AuditedFile) -> dict[str, str]:
    """The worst severity of each check that found something."""
    return {finding.check: finding.severity for finding in reversed(file.findings)}


def run(**changed: object) -> ToolRun:
    """A sound run: ten connections, 1,000 answers of 10 ms a second, for ten seconds."""
    figures: dict[str, object] = {
        "tool": "x",
        "layout": "x's summary",
        "connections": 10,
        "open_loop": False,
        "duration_s": 10.0,
        "requests_per_s": 1000.0,
        "answered": 10_000,
        "refused": 0,
        "unanswered": {},
        "timeouts": 0,
        "latency": latency(),
    }
    return ToolRun.model_validate({**figures, **changed})


def latency(**changed: object) -> LatencyFigures:
    figures: dict[str, object] = {
        "min_s": 0.005,
        "mean_s": 0.01,
        "max_s": 0.03,
        "percentiles": (Percentile(share=0.5, value_s=0.01), Percentile(share=0.99, value_s=0.02)),
        "samples": 10_000,
        "of": "answers",
    }
    return LatencyFigures.model_validate({**figures, **changed})


@pytest.fixture(name="one")
def one_fixture() -> Callable[..., AuditedFile]:
    return one


@pytest.fixture(name="audited")
def audited_fixture() -> Callable[..., Audit]:
    return audited


@pytest.fixture(name="severities")
def severities_fixture() -> Callable[[AuditedFile], dict[str, str]]:
    return severities


@pytest.fixture(name="run")
def run_fixture() -> Callable[..., ToolRun]:
    return run


@pytest.fixture(name="latency")
def latency_fixture() -> Callable[..., LatencyFigures]:
    return latency
