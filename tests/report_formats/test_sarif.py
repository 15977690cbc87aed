"""SARIF: the structure that its schema demands, what GitHub demands beyond it, and what results say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from wirespeed.diagnosis.rules import all_rules
from wirespeed.model._base import Document
from wirespeed.model.advice import Advice
from wirespeed.model.guard import Guard
from wirespeed.report.formats import Checkout, Setting, all_formats

from .conftest import DOCUMENTS, EVIL

SARIF = all_formats()["sarif"]
ABLE = [name for name, make in DOCUMENTS.items() if type(make()) in SARIF.views]


class Shape(NamedTuple):
    """An object of the standard: what it must have, and what is in what it may have (section 3 of it)."""

    required: set[str]
    properties: Mapping[str, Any]


_MESSAGE = Shape({"text"}, {"text": str, "markdown": str})
_RULE_REFERENCE = Shape({"id"}, {"id": str, "index": int})
_LEVEL = re.compile("none|note|warning|error")
_LOCATION = Shape(
    {"physicalLocation"},
    {
        "physicalLocation": Shape(
            {"artifactLocation"},
            {
                "artifactLocation": Shape(set(), {"uri": str, "uriBaseId": str}),
                "region": Shape({"startLine"}, {"startLine": int}),
            },
        )
    },
)
_RULE = Shape(
    {"id"},
    {
        "id": str,
        "shortDescription": _MESSAGE,
        "fullDescription": _MESSAGE,
        "help": _MESSAGE,
        "defaultConfiguration": Shape(set(), {"level": _LEVEL}),
        "properties": dict,
    },
)
_RESULT = Shape(
    {"message"},
    {
        "ruleId": str,
        "ruleIndex": int,
        "level": _LEVEL,
        "message": _MESSAGE,
        "locations": [_LOCATION],
        "partialFingerprints": dict,
    },
)
_NOTIFICATION = Shape({"message"}, {"associatedRule": _RULE_REFERENCE, "level": _LEVEL, "message": _MESSAGE})
_RUN = Shape(
    {"tool"},
    {
        "tool": Shape(
            {"driver"}, {"driver": Shape({"name"}, {"name": str, "version": str, "rules": [_RULE]})}
        ),
        "automationDetails": Shape(set(), {"id": str}),
        "columnKind": re.compile("utf16CodeUnits|unicodeCodePoints"),
        "originalUriBaseIds": dict,
        "invocations": [
            Shape(
                {"executionSuccessful"},
                {
                    "executionSuccessful": bool,
                    "endTimeUtc": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
                    "toolExecutionNotifications": [_NOTIFICATION],
                },
            )
        ],
        "results": [_RESULT],
    },
)
LOG = Shape({"version", "runs"}, {"$schema": str, "version": re.compile(re.escape("2.1.0")), "runs": [_RUN]})


def check(value: Any, shape: Any, at: str = "$") -> None:
    match shape:
        case Shape():
            assert isinstance(value, dict), at
            assert shape.required <= set(value) <= set(shape.properties), at
            for name, inner in value.items():
                check(inner, shape.properties[name], f"{at}.{name}")
        case [inner]:
            assert isinstance(value, list), at
            for number, each in enumerate(value):
                check(each, inner, f"{at}[{number}]")
        case re.Pattern():
            assert isinstance(value, str) and shape.fullmatch(value), at
        case _:
            assert type(value) is shape, at


def written(document: Document, setting: Setting) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(SARIF.views[type(document)](document, setting))
    check(log, LOG)
    (run,) = log["runs"]
    return run  # type: ignore[no-any-return]


def levels(run: dict[str, Any]) -> dict[str, str]:
    """By rule and file."""
    return {result["ruleId"]: result["level"] for result in run["results"]}


@pytest.mark.parametrize("name", ABLE)
def test_every_log_has_the_structure_of_the_standard(name: str, setting: Setting) -> None:
    run = written(DOCUMENTS[name](), setting)
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    told = [(each["ruleId"], each["ruleIndex"]) for each in run["results"]]
    told += [
        (each["associatedRule"]["id"], each["associatedRule"]["index"])
        for each in run["invocations"][0].get("toolExecutionNotifications", [])
    ]
    assert all(rules[index]["id"] == rule for rule, index in told)


@pytest.mark.parametrize("name", ABLE)
def test_every_result_has_the_location_without_which_github_refuses_the_file(
    name: str, setting: Setting
) -> None:
    for result in written(DOCUMENTS[name](), setting)["results"]:
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert re.fullmatch(r"[A-Za-z0-9._~/%-]+", place["artifactLocation"]["uri"])
        assert not place["artifactLocation"]["uri"].startswith(("/", "../"))
        assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
        assert place["region"]["startLine"] >= 1


def test_a_remedy_is_a_warning_at_the_line_of_its_endpoint(design: Advice, setting: Setting) -> None:
    (result,) = written(design, setting)["results"]
    assert (result["ruleId"], result["level"]) == ("WS101", "warning")
    assert "18.6× faster [17.9, 19.3], identical bytes" in result["message"]["text"]
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "shop/users.py", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 31},
            }
        }
    ]


def test_one_that_fails_a_check_is_an_error_and_one_without_remedy_a_note(
    design: Advice, uncertain: Advice, setting: Setting
) -> None:
    assert levels(written(design, replace(setting, failing=("WS1",)))) == {"WS101": "error"}
    assert levels(written(uncertain, setting)) == {"WS101": "note", "WS405": "note"}


def test_rules_come_with_their_pages(design: Advice, setting: Setting) -> None:
    (rule,) = written(design, setting)["tool"]["driver"]["rules"]
    assert rule["help"]["markdown"] == all_rules()["WS101"].page


def test_a_rule_of_another_version_has_what_github_demands(uncertain: Advice, setting: Setting) -> None:
    rules = {rule["id"]: rule for rule in written(uncertain, setting)["tool"]["driver"]["rules"]}
    assert rules["WS405"]["shortDescription"]["text"] == "WS405"
    assert "another version" in rules["WS405"]["help"]["text"]


def test_what_lies_in_no_file_of_the_repository_is_told_without_a_location(
    nasty: Advice, setting: Setting
) -> None:
    run = written(nasty, setting)
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"].startswith("GET /other: ")
    assert "passwd" not in json.dumps(run)


def test_a_fingerprint_is_the_rule_and_the_request(design: Advice, setting: Setting) -> None:
    def prints(document: Advice) -> list[dict[str, str]]:
        return [result["partialFingerprints"] for result in written(document, setting)["results"]]

    moved = tuple(each.model_copy(update={"source": "users.py:99"}) for each in design.endpoints)
    renamed = tuple(each.model_copy(update={"request": f"{each.request}/x"}) for each in design.endpoints)

    assert prints(design.model_copy(update={"endpoints": moved})) == prints(design)
    assert prints(design.model_copy(update={"endpoints": renamed})) != prints(design)


def test_texts_hold_no_links_and_no_arguments_that_a_viewer_would_fill_in(
    nasty: Advice, setting: Setting
) -> None:
    message = written(nasty, setting)["results"][0]["message"]["text"]
    assert "\\[a](https" in message

    named = nasty.endpoints[0].model_copy(update={"request": "GET /x/{0}/{name}"})
    (result,) = written(nasty.model_copy(update={"endpoints": (named,)}), setting)["results"]
    assert "GET /x/{{0}}/{name}" in result["message"]["text"]


def test_a_run_that_was_stopped_is_no_success(design: Advice, setting: Setting) -> None:
    stopped = design.model_copy(update={"complete": False})
    assert written(stopped, setting)["invocations"][0]["executionSuccessful"] is False


def test_the_repository_is_what_files_are_relative_to(design: Advice) -> None:
    run = written(design, Setting(Checkout(root="/repo", folder="/repo")))
    location = run["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "users.py"


def test_hostile_text_is_just_text(nasty: Advice, setting: Setting) -> None:
    assert EVIL[:20] in written(nasty, setting)["results"][0]["message"]["text"]


def test_a_guards_results_are_what_it_proved(make_guard: Callable[..., Guard], setting: Setting) -> None:
    run = written(make_guard(), setting)
    assert run["automationDetails"]["id"] == "wirespeed/guard/"
    assert [(each["ruleId"], each["level"]) for each in run["results"]] == [
        ("guard/behaviour", "error"),
        ("guard/slower", "error"),
    ]
    (gone,) = run["invocations"][0]["toolExecutionNotifications"]
    assert gone["message"]["text"].startswith("DELETE /gone")


def test_what_a_guard_left_open_is_no_result(make_guard: Callable[..., Guard], setting: Setting) -> None:
    (still_open,) = (each for each in make_guard().endpoints if each.request == "GET /open")
    document = make_guard(endpoints=[still_open.model_dump()], behaviour=[], decision="inconclusive")
    run = written(document, setting)
    assert run["results"] == []
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["level"] == "warning"


def test_findings_that_are_known_are_notes_and_ignored_ones_are_not_told(
    design: Advice, setting: Setting
) -> None:
    def with_finding(**changed: Any) -> Advice:
        endpoints = tuple(
            each.model_copy(
                update={
                    "findings": tuple(finding.model_copy(update=changed) for finding in each.findings),
                    "arms": each.arms if "known" in changed else (),
                }
            )
            for each in design.endpoints
        )
        return design.model_copy(update={"endpoints": endpoints})

    failing = replace(setting, failing=("WS1",))
    assert levels(written(with_finding(known=True), failing)) == {"WS101": "note"}
    assert levels(written(with_finding(ignored="an old client"), failing)) == {}
