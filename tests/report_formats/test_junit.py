"""JUnit XML as CI systems read it: what fails, what is skipped, and that every text can be held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.model._base import Document
from wirespeed.model.advice import Advice
from wirespeed.model.comparison import Comparison
from wirespeed.model.guard import Guard
from wirespeed.report.formats import Checkout, Setting, all_formats

from .conftest import EVIL, comparison

JUNIT = all_formats()["junit"]


def suite_of(document: Document, setting: Setting) -> ElementTree.Element:
    root = ElementTree.fromstring(JUNIT.views[type(document)](document, setting).encode())
    assert root.tag == "testsuites"
    (suite,) = root
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")
    }
    return suite


def outcomes(suite: ElementTree.Element) -> dict[str, str]:
    """By the names of test cases."""
    found = {}
    for case in suite.iter("testcase"):
        tags = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        assert len(tags) <= 1
        found[case.get("name", "")] = tags[0] if tags else "passed"
    return found


def test_an_endpoint_is_a_test_case_at_its_place(design: Advice, setting: Setting) -> None:
    suite = suite_of(design, setting)
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert list(cases) == ["GET /typed", "GET /prices", "GET /untyped"]
    assert (cases["GET /untyped"].get("file"), cases["GET /untyped"].get("line")) == ("shop/users.py", "31")
    assert suite.get("name") == "wirespeed advise users:app"
    assert suite.get("time") == "12.2"


def test_findings_pass_and_are_told_unless_they_fail_a_check(design: Advice, setting: Setting) -> None:
    suite = suite_of(design, setting)
    assert set(outcomes(suite).values()) == {"passed"}
    told = {case.get("name"): case.findtext("system-out") for case in suite.iter("testcase")}
    assert "WS101 GET /untyped: no response type" in (told["GET /untyped"] or "")
    assert "18.6× faster [17.9, 19.3]" in (told["GET /untyped"] or "")


@pytest.mark.parametrize(("codes", "failures"), [(("WS101",), 1), (("WS1",), 1), (("WS203",), 0)])
def test_recommended_remedies_of_the_rules_that_fail_a_check_are_failures(
    codes: tuple[str, ...], failures: int, design: Advice, setting: Setting
) -> None:
    suite = suite_of(design, replace(setting, failing=codes))
    assert list(outcomes(suite).values()).count("failure") == failures == int(suite.get("failures", ""))


def test_an_endpoint_that_was_not_measured_is_skipped_with_the_reason(
    uncertain: Advice, setting: Setting
) -> None:
    suite = suite_of(uncertain, setting)
    assert outcomes(suite)["GET /broken"] == "skipped"
    messages = [each.get("message") for each in suite.iter("skipped")]
    assert "answered 500: KeyError: 'owner' (app.py:7)" in messages


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [("faster", "passed"), ("equivalent", "passed"), ("inconclusive", "skipped"), ("invalid", "error")],
)
def test_a_verdict_is_an_outcome(
    verdict: str, outcome: str, make_comparison: Callable[..., Comparison], setting: Setting
) -> None:
    estimate = make_comparison().estimates[0].model_dump() | {"verdict": verdict}
    suite = suite_of(make_comparison(estimates=[estimate]), setting)
    assert outcomes(suite) == {"GET /response-model": outcome}


def test_a_verdict_that_was_not_to_be_is_a_failure(
    make_comparison: Callable[..., Comparison], setting: Setting
) -> None:
    suite = suite_of(make_comparison(), replace(setting, failing=("equivalent",)))
    assert outcomes(suite) == {"GET /response-model": "failure"}


def test_hostile_text_comes_out_as_it_went_in(nasty: Advice, setting: Setting) -> None:
    names = outcomes(suite_of(nasty, setting))
    assert f"GET /{EVIL}"[:30] in next(iter(names))


@given(st.text(max_size=60))
def test_xml_holds_whatever_an_arm_is_called(name: str) -> None:
    arms = [each.model_dump() for each in comparison().arms]
    arms[1]["name"] = arms[1]["request"] = name
    estimate = comparison().estimates[0].model_dump() | {"arm": name}
    document = comparison(arms=arms, estimates=[estimate], notes=[name])
    suite_of(document, Setting(Checkout("/repo", "/repo")))


def test_a_guards_failures_are_what_it_proved_and_what_clients_see(
    make_guard: Callable[..., Guard], setting: Setting
) -> None:
    suite = suite_of(make_guard(), setting)
    assert outcomes(suite) == {
        "GET /slow": "failure",
        "GET /other": "failure",
        "GET /open": "skipped",
        "GET /same": "passed",
        "DELETE /gone": "failure",
        "all together": "skipped",
    }
    assert [each.get("type") for each in suite.iter("failure")] == ["slower", "behaviour", "behaviour"]


def test_a_fast_error_never_passes(make_guard: Callable[..., Guard], setting: Setting) -> None:
    (endpoint,) = (each for each in make_guard().endpoints if each.request == "GET /other")
    fast = endpoint.model_dump() | {"ratio": 0.1, "interval": [0.09, 0.11], "decision": "pass"}
    assert outcomes(suite_of(make_guard(endpoints=[fast]), setting))["GET /other"] == "failure"


def test_on_a_machine_that_is_unfit_no_endpoint_is_blamed_for_its_speed(
    make_guard: Callable[..., Guard], setting: Setting
) -> None:
    unfit = {"ratio": 1.2, "interval": [1.1, 1.3], "fit": False}
    found = outcomes(suite_of(make_guard(certificate=unfit, behaviour=[]), setting))
    assert found["GET /slow"] == "skipped"
