"""GitLab's code quality report: what ``artifacts:reports:codequality`` takes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from wirespeed.model.advice import Advice
from wirespeed.model.guard import Guard

from ._format import Format, Setting
from ._guard import guard_problems
from ._problems import Level, Problem, advice_problems

_SEVERITIES: dict[Level, str] = {"error": "major", "warning": "minor", "note": "info"}


def code_quality(problems: Iterable[Problem]) -> str:
    """What stands in no file of the repository is left out: GitLab has no place for it."""
    entries = [entry for problem in problems if (entry := _entry(problem)) is not None]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def _entry(problem: Problem) -> dict[str, Any] | None:
    if problem.place is None:
        return None
    return {
        "description": problem.message,
        "check_name": problem.rule,
        "fingerprint": problem.fingerprint,
        "severity": _SEVERITIES[problem.level],
        "location": {"path": str(problem.place.file), "lines": {"begin": problem.place.line}},
    }


def _of_advice(advice: Advice, setting: Setting) -> str:
    return code_quality(advice_problems(advice, setting))


def _of_guard(guard: Guard, setting: Setting) -> str:
    return code_quality(guard_problems(guard, setting))


FORMAT = Format(
    name="gitlab",
    describes="JSON for GitLab's code quality widget: findings at their lines",
    views={Advice: _of_advice, Guard: _of_guard},
)
