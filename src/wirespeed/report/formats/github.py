"""GitHub Actions: annotations as workflow commands, and Markdown for the summary of the job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from wirespeed.model.advice import Advice
from wirespeed.model.comparison import Comparison
from wirespeed.model.guard import Guard
from wirespeed.model.verdict import Verdict
from wirespeed.report.comparison_view import comparison_view
from wirespeed.report.text import counted

from ._format import Format, Host, Setting
from ._guard import guard_problems
from ._problems import Level, Problem, advice_problems
from .markdown import FORMAT as MARKDOWN

SHOWN = 10
"""GitHub shows so many of each level for a step, and drops the others without a word."""
_COMMANDS: dict[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}


def workflow_commands(problems: Iterable[Problem]) -> str:
    """One command a line, errors first."""
    by_level: dict[Level, list[Problem]] = {level: [] for level in _COMMANDS}
    for problem in problems:
        by_level[problem.level].append(problem)
    lines = (line for level, found in by_level.items() for line in _of_level(level, found))
    return "".join(f"{line}\n" for line in lines)


def _of_level(level: Level, problems: list[Problem]) -> Iterator[str]:
    shown = len(problems) if len(problems) <= SHOWN else SHOWN - 1
    yield from map(_command, islice(problems, shown))
    if rest := len(problems) - shown:
        told = f"{counted(rest, 'more finding')} of this level: the summary of the job has them"
        yield f"::{_COMMANDS[level]} title=wirespeed::{_data(told)}"


def _command(problem: Problem) -> str:
    properties = {"title": f"{problem.rule} {problem.title}"}
    if problem.place is not None:
        properties |= {"file": str(problem.place.file), "line": str(problem.place.line)}
    spelled = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[problem.level]} {spelled}::{_data(problem.message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _of_advice(advice: Advice, setting: Setting) -> str:
    return workflow_commands(advice_problems(advice, setting))


def _of_guard(guard: Guard, setting: Setting) -> str:
    return workflow_commands(guard_problems(guard, setting))


def _of_comparison(comparison: Comparison, setting: Setting) -> str:
    return workflow_commands(_comparison_problems(comparison, setting))


def _comparison_problems(comparison: Comparison, setting: Setting) -> Iterator[Problem]:
    view = comparison_view(comparison)
    for reason in view.reasons:
        yield Problem("invalid", "error", view.title, reason, None, "")
    verdicts = {each.arm: each.verdict for each in comparison.estimates if each.verdict is not None}
    for arm, told in zip(comparison.arms[1:], view.verdicts, strict=True):
        verdict = verdicts.get(arm.name)
        if verdict is not None and verdict is not Verdict.INVALID:
            level: Level = "error" if verdict in setting.failing else "note"
            outcome = "".join(piece.text for piece in told.outcome)
            yield Problem(str(verdict), level, view.title, f"{told.arm}: {outcome}", None, "")


FORMAT = Format(
    name="github",
    describes="GitHub Actions: annotations on stdout, and Markdown in the summary of the job",
    views={Advice: _of_advice, Guard: _of_guard, Comparison: _of_comparison},
    host=Host("GITHUB_STEP_SUMMARY", MARKDOWN.views),
)
