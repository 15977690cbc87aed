"""``selfcheck``: one request against itself in many fresh processes; what differs is the machine's noise."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

import wirespeed
from wirespeed.model.plan import SelfcheckPlan
from wirespeed.model.request import Request
from wirespeed.model.selfcheck import Kind, Selfcheck
from wirespeed.model.subject import AppSubject, Booted
from wirespeed.stats import lag1_autocorrelation, pairings_needed, smallest_effect
from wirespeed.stats.autocorrelation import CALIBRATION_ROUNDS
from wirespeed.subject.agent import AgentProcess
from wirespeed.subject.machine import cpu_ticks, environment

from .events import Listener, ignore
from .sequence import Comparison, compare_pairs

PATHS = ("/small", "/thread", "/large")
ARM_BUDGET_NS = 60_000_000


def selfcheck(plan: SelfcheckPlan, listener: Listener = ignore) -> Selfcheck:
    """Compare three kinds of request with themselves for ``plan.rounds`` rounds; Ctrl-C keeps the complete
    ones.

    Raises SubjectError where the interpreter has no FastAPI to measure with.
    """
    started = time.monotonic()
    ticks = cpu_ticks()
    subject = AppSubject(app="selfcheck.py", python=plan.python, folder=Path(__file__).parent / "apps")
    booted: list[Booted] = []

    @contextmanager
    def boot() -> Iterator[AgentProcess]:
        with AgentProcess(subject) as agent:
            booted.append(agent.boot())
            yield agent

    requests = [Request(method="GET", path=path) for path in PATHS]
    comparisons = compare_pairs(
        boot,
        [(request, request) for request in requests],
        None,
        rounds=plan.rounds,
        seed=plan.seed,
        arm_budget_ns=ARM_BUDGET_NS,
        listener=listener,
    )
    return Selfcheck(
        created=datetime.now(UTC),
        wirespeed=wirespeed.__version__,
        python=booted[0].python,
        packages=booted[0].packages,
        environment=environment(booted[0].event_loop, ticks),
        seed=plan.seed,
        complete=all(len(each.log_ratios) == plan.rounds for each in comparisons),
        elapsed_s=time.monotonic() - started,
        kinds=tuple(kind_of(each) for each in comparisons if len(each.log_ratios) >= 2),
    )


def kind_of(comparison: Comparison) -> Kind:
    """What the rounds of one request against itself show; at least two of them."""
    log_ratios = np.array(comparison.log_ratios)
    round_sd = float(log_ratios.std(ddof=1))
    known = log_ratios.size >= CALIBRATION_ROUNDS
    return Kind(
        request=comparison.pair[0].name,
        call_ns=round(comparison.slowest_call_ns),
        rounds=log_ratios.size,
        round_sd=round_sd,
        autocorrelation=lag1_autocorrelation(log_ratios) if known else None,
        pairings=pairings_needed(log_ratios) if known else None,
        smallest_effect_8=smallest_effect(round_sd, 8),
        smallest_effect_40=smallest_effect(round_sd, 40),
    )
