"""Whole runs of ``advise`` on real apps in processes of their own; each app is advised once a session."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wirespeed.diagnosis.advise import Outcome, advise
from wirespeed.diagnosis.agents import AgentHolder
from wirespeed.diagnosis.round_zero import round_zero
from wirespeed.diagnosis.study import RoundZero
from wirespeed.experiment import confirm
from wirespeed.experiment.events import Listener, ignore
from wirespeed.model.advice import Advice, Arm, Endpoint
from wirespeed.model.plan import AdvicePlan, RequestWishes
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject

APPS = Path(__file__).parent / "apps"
CASES = Path(__file__).parents[1] / "cases"
EXAMPLES = Path(__file__).parents[2] / "examples"

MakePlan = Callable[..., AdvicePlan]


@pytest.fixture(scope="session")
def plan() -> MakePlan:
    """A plan with everything that matters here spelled out; name what a test is about."""

    def plan(
        app: str,
        folder: Path = APPS,
        *,
        named: tuple[Request, ...] = (),
        only: bool = False,
        env: dict[str, str] | None = None,
        **changes: Any,
    ) -> AdvicePlan:
        settings: dict[str, Any] = {
            "budget_s": 60.0,
            "margin": 0.02,
            "alpha": 0.05,
            "live_calls": 3,
            "rounds": 3,
            "seed": 7,
            "deadline_s": 10.0,
        }
        return AdvicePlan(
            subject=AppSubject(app=app, python=Path(sys.executable), folder=folder, env=env or {}),
            wishes=RequestWishes(named=named, only=only),
            **{**settings, **changes},
        )

    return plan


def advise_quickly(plan: AdvicePlan, listener: Listener = ignore) -> Outcome:
    """All of ``advise`` with the shortest arms: enough for everything but the figures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(confirm, "ARM_BUDGETS_NS", confirm.ARM_BUDGETS_NS[-1:])
        return advise(plan, listener)


def look_around(plan: AdvicePlan) -> RoundZero:
    """Round 0 alone: what was found and what would be measured; nothing in it depends on the clock."""
    with AgentHolder(plan.subject, ignore) as holder:
        # Far from any budget: what is screened must not depend on how busy the machine is.
        generous = plan.model_copy(update={"budget_s": 600.0})
        return round_zero(holder, generous, time.monotonic(), ignore)


def endpoint(advice: Advice, request: str) -> Endpoint:
    return next(each for each in advice.endpoints if each.request == request)


def arm(found: Endpoint, name: str) -> Arm:
    return next(each for each in found.arms if each.name == name)


def recommended(found: Endpoint) -> Arm | None:
    return next((each for each in found.arms if each.recommended), None)
