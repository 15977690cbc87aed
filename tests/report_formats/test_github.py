"""Workflow commands, read as GitHub's runner reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from wirespeed.model._base import Document
from wirespeed.model.advice import Advice
from wirespeed.model.comparison import Comparison
from wirespeed.model.guard import Guard
from wirespeed.report.formats import Setting, all_formats
from wirespeed.report.formats._problems import Problem
from wirespeed.report.formats.github import SHOWN, workflow_commands

from ..report.conftest import big  # noqa: TID252
from .conftest import EVIL

GITHUB = all_formats()["github"]
_COMMAND = re.compile(r"::(?P<command>\w+) (?P<properties>[^:]*)::(?P<message>.*)")


class Annotation(NamedTuple):
    command: str
    properties: dict[str, str]
    message: str


def read(text: str) -> list[Annotation]:
    """As the runner does it: line by line, with the escapes undone in the opposite order."""
    found = []
    for line in text.splitlines():
        match = _COMMAND.fullmatch(line)
        assert match is not None, line
        pairs = [pair.split("=", 1) for pair in match["properties"].split(",")]
        properties = {name: _data(value.replace("%3A", ":").replace("%2C", ",")) for name, value in pairs}
        found.append(Annotation(match["command"], properties, _data(match["message"])))
    return found


def _data(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def written(document: Document, setting: Setting) -> list[Annotation]:
    return read(GITHUB.views[type(document)](document, setting))


def test_a_recommended_remedy_is_a_warning_at_its_line(design: Advice, setting: Setting) -> None:
    (annotation,) = written(design, setting)
    assert annotation.command == "warning"
    assert annotation.properties == {
        "title": "WS101 GET /untyped",
        "file": "shop/users.py",
        "line": "31",
    }
    assert annotation.message.startswith("GET /untyped: no response type, so every value goes through")
    assert "18.6× faster [17.9, 19.3]" in annotation.message


def test_one_that_fails_a_check_is_an_error(design: Advice, setting: Setting) -> None:
    (annotation,) = written(design, replace(setting, failing=("WS101",)))
    assert annotation.command == "error"


def test_a_finding_without_a_remedy_that_helps_is_a_notice(uncertain: Advice, setting: Setting) -> None:
    commands = {each.properties["title"]: each.command for each in written(uncertain, setting)}
    assert commands["WS405 GET /n-plus-one"] == "notice"


def test_files_outside_of_the_repository_are_not_named(nasty: Advice, setting: Setting) -> None:
    files = [annotation.properties.get("file") for annotation in written(nasty, setting)]
    assert files == ["shop/sub dir/ev%il:é.py", None]


def test_no_more_than_github_shows_are_printed_and_the_last_says_so(setting: Setting) -> None:
    annotations = written(big(), setting)
    assert len(annotations) == SHOWN
    assert annotations[-1].message == "67 more findings of this level: the summary of the job has them"


def test_an_invalid_comparison_is_an_error_with_its_reason(
    make_comparison: Callable[..., Comparison], setting: Setting
) -> None:
    estimate = make_comparison().estimates[0].model_dump() | {"verdict": "invalid"}
    document = make_comparison(validity={"valid": False, "reasons": ["a: no"]}, estimates=[estimate])
    assert [(each.command, each.message) for each in written(document, setting)] == [("error", "a: no")]


def test_a_verdict_is_a_notice(make_comparison: Callable[..., Comparison], setting: Setting) -> None:
    (annotation,) = written(make_comparison(), setting)
    assert annotation.command == "notice"
    assert annotation.message.startswith("GET /response-model: equivalent within 2 %")


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_ends_its_command_or_begins_another(title: str, message: str) -> None:
    problem = Problem("WS101", "error", title, message, None, "")
    text = workflow_commands([problem])
    assert text.count("\n") == 1 and "\r" not in text
    if text.splitlines() == [text[:-1]]:  # some texts have separators that only Python breaks lines at
        assert read(text) == [Annotation("error", {"title": f"WS101 {title}"}, message)]


def test_hostile_text_stays_in_its_message(nasty: Advice, setting: Setting) -> None:
    first = written(nasty, setting)[0]
    assert first.message.count(EVIL) >= 2
    assert first.properties["title"].startswith("WS101 GET /x|y`z`")


def test_a_guards_errors_stand_at_the_endpoints_they_are_about(
    make_guard: Callable[..., Guard], setting: Setting
) -> None:
    told = [
        (each.command, each.properties["title"], each.properties.get("file"))
        for each in written(make_guard(), setting)
    ]
    assert told == [
        ("error", "guard/behaviour GET /other", "shop/main.py"),
        ("error", "guard/behaviour DELETE /gone", None),
        ("error", "guard/slower GET /slow", "shop/main.py"),
    ]


def test_an_inconclusive_guard_is_one_warning(make_guard: Callable[..., Guard], setting: Setting) -> None:
    endpoints = [each for each in make_guard().endpoints if each.request in ("GET /open", "GET /same")]
    document = make_guard(
        endpoints=[e.model_dump() for e in endpoints], behaviour=[], decision="inconclusive"
    )
    (annotation,) = written(document, setting)
    assert annotation.command == "warning"
    assert annotation.message.startswith("inconclusive: a slowdown of more than 5 % is neither proven nor")


def test_an_unfit_machine_is_a_warning_and_nobody_is_blamed_for_speed(
    make_guard: Callable[..., Guard], setting: Setting
) -> None:
    unfit = {"ratio": 1.2, "interval": [1.1, 1.3], "fit": False}
    told = written(make_guard(certificate=unfit, behaviour=[], decision="inconclusive"), setting)
    assert [each.command for each in told] == ["warning"]
    assert "it differs from itself" in told[0].message


def test_a_slowdown_of_all_together_is_an_error(make_guard: Callable[..., Guard], setting: Setting) -> None:
    overall = {"ratio": 1.2, "interval": [1.1, 1.3], "decision": "fail"}
    (same,) = (each.model_dump() for each in make_guard().endpoints if each.request == "GET /same")
    told = written(make_guard(overall=overall, endpoints=[same], behaviour=[]), setting)
    assert [(each.command, each.message) for each in told] == [
        ("error", "all together: 1.20× slower [1.10, 1.30]")
    ]
