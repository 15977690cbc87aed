"""SARIF 2.1.0: findings at their lines, for code scanning and editors.

A result without a location is allowed by the standard, but GitHub then refuses the whole file. So what stands
in no file of the repository is a notification of the run instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from wirespeed.diagnosis.rules import all_rules
from wirespeed.model.advice import Advice
from wirespeed.model.guard import Guard

from ._format import Format, Setting
from ._guard import BEHAVIOUR, SLOWER, UNDECIDED, guard_problems
from ._problems import Level, Problem, advice_problems

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "wirespeedRuleAndRequest/v1"
_UNKNOWN = "A rule of another version of wirespeed, which explains it: `wirespeed rule CODE`."
_ARGUMENT = re.compile(r"\{(\d+)\}")
_LINK = re.compile(r"\[([^][]*\]\()")


@dataclass(frozen=True, slots=True)
class RuleHelp:
    """What a reader of a result is told about its rule."""

    summary: str
    page: str
    """Markdown."""
    level: Level = "warning"


def sarif(
    problems: Iterable[Problem],
    known: Mapping[str, RuleHelp],
    *,
    name: str,
    version: str | None,
    created: datetime,
    complete: bool,
) -> str:
    """One run of the tool; ``name`` tells this kind of run from others in the same repository."""
    told = list(problems)
    rules = {problem.rule: known.get(problem.rule) for problem in told}
    run = {
        "tool": {"driver": {"name": "wirespeed", **_version(version), "rules": _rules(rules)}},
        "automationDetails": {"id": f"wirespeed/{name}/"},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
        "invocations": [_invocation(told, list(rules), created, complete)],
        "results": [_result(problem, list(rules)) for problem in told if problem.place is not None],
    }
    return (
        json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)
        + "\n"
    )


def _version(version: str | None) -> dict[str, str]:
    return {} if version is None else {"version": version}


def _rules(rules: Mapping[str, RuleHelp | None]) -> list[dict[str, Any]]:
    """In the order in which results name them; GitHub demands descriptions even of those we do not know."""
    return [_rule(code, found or RuleHelp(code, _UNKNOWN)) for code, found in rules.items()]


def _rule(code: str, found: RuleHelp) -> dict[str, Any]:
    return {
        "id": code,
        "shortDescription": {"text": found.summary},
        "fullDescription": {"text": found.summary},
        "help": {"text": found.page, "markdown": found.page},
        "defaultConfiguration": {"level": found.level},
        "properties": {"tags": ["performance"]},
    }


def _invocation(
    problems: Sequence[Problem], rules: Sequence[str], created: datetime, complete: bool
) -> dict[str, Any]:
    elsewhere = [_notification(problem, rules) for problem in problems if problem.place is None]
    return {
        "executionSuccessful": complete,
        "endTimeUtc": f"{created.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        **({"toolExecutionNotifications": elsewhere} if elsewhere else {}),
    }


def _result(problem: Problem, rules: Sequence[str]) -> dict[str, Any]:
    assert problem.place is not None
    place = {
        "artifactLocation": {"uri": problem.place.uri, "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": problem.place.line},
    }
    return {
        "ruleId": problem.rule,
        "ruleIndex": rules.index(problem.rule),
        "level": problem.level,
        "message": {"text": _message(problem)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {FINGERPRINT: problem.fingerprint},
    }


def _notification(problem: Problem, rules: Sequence[str]) -> dict[str, Any]:
    return {
        "associatedRule": {"id": problem.rule, "index": rules.index(problem.rule)},
        "level": problem.level,
        "message": {"text": _message(problem)},
    }


def _message(problem: Problem) -> str:
    """Numbers in braces would be arguments, and brackets before a parenthesis links (3.11.5 and 3.11.6)."""
    text = _ARGUMENT.sub(r"{{\1}}", problem.message)
    return _LINK.sub(r"\\[\1", text)


def _of_advice(advice: Advice, setting: Setting) -> str:
    pages = {code: RuleHelp(rule.problem, rule.page) for code, rule in all_rules().items()}
    return sarif(
        advice_problems(advice, setting),
        pages,
        name="advise",
        version=advice.wirespeed,
        created=advice.created,
        complete=advice.complete,
    )


_GUARD_RULES = {
    SLOWER: RuleHelp(
        "An endpoint is slower than at the base by more than the limit.",
        "Base and head were measured side by side, in rounds of fresh processes, and the whole interval of "
        "the slowdown lies beyond `--max-slowdown`. `wirespeed compare --revision` looks closer at one.",
        "error",
    ),
    BEHAVIOUR: RuleHelp(
        "Clients would see another answer than from the base.",
        "Status, headers or body of the same request differ between base and head. Where that is meant, "
        "`--allow-body-change PATH` says so.",
        "error",
    ),
    UNDECIDED: RuleHelp(
        "The guard could neither prove nor exclude a slowdown.",
        "More rounds (`--budget`) or a quieter machine would decide. Where base differs from itself, the "
        "machine is unfit for such a limit.",
    ),
}


def _of_guard(guard: Guard, setting: Setting) -> str:
    return sarif(
        guard_problems(guard, setting),
        _GUARD_RULES,
        name="guard",
        version=guard.wirespeed,
        created=guard.created,
        complete=guard.complete,
    )


FORMAT = Format(
    name="sarif",
    describes="SARIF 2.1.0 for code scanning: findings at their lines, with the pages of their rules",
    views={Advice: _of_advice, Guard: _of_guard},
)
