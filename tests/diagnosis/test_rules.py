"""When the rules fire, on what evidence, and which changes they would have tried."""

from __future__ import annotations

from typing import Any

import pytest

from wirespeed.diagnosis.observation import Annotation, Observation, RouteFacts
from wirespeed.diagnosis.rules import all_rules
from wirespeed.diagnosis.rules.ws101_no_response_type import RULE as NO_TYPE
from wirespeed.diagnosis.rules.ws102_response_class import RULE as CLASS

ROWS = Annotation(expression="list[Row]", definitions=["class Row: ..."], kind="exact", by_type=False)
ANYTHING = Annotation(expression="Any", kind="any", by_type=False)


def route(**facts: Any) -> RouteFacts:
    unset = {
        "has_response_type": False,
        "explicit_class": False,
        "response_class": "JSONResponse",
        "media_type": "application/json",
        "dormant_options": [],
    }
    return RouteFacts.model_validate({**unset, **facts})


def seen(**fields: Any) -> Observation:
    json_answer = {
        "failed": None,
        "actions": [],
        "content_type": "application/json",
        "whole_ns": 1000,
        "response_path_ns": 250,
        "route": route(),
        "annotations": [ROWS, ANYTHING],
    }
    return Observation.model_validate({**json_answer, **fields})


def names(rule: Any, observed: Observation) -> list[str]:
    return [change.name for change in rule.remedies(observed)]


def test_every_rule_is_found_under_its_code_in_order() -> None:
    rules = all_rules()

    assert list(rules) == sorted(rules)
    assert {rules["WS101"], rules["WS102"]} == {NO_TYPE, CLASS}
    assert all(rule.page.startswith(f"# {code}: ") for code, rule in rules.items())


# -- WS101 ---------------------------------------------------------------------------------------------------


def test_ws101_fires_on_json_without_a_response_type_and_says_how_much_it_is_about() -> None:
    assert NO_TYPE.evidence(seen()) == "25% of the request is the response path"


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "application/geo+json"])
def test_ws101_knows_json_by_any_of_its_names(content_type: str) -> None:
    assert NO_TYPE.evidence(seen(content_type=content_type)) is not None


@pytest.mark.parametrize(
    "fields",
    [
        {"route": route(has_response_type=True)},
        {"route": None},
        {"content_type": "text/html; charset=utf-8"},
        {"content_type": ""},
        {"obstacle": "the endpoint answers with a JSONResponse of its own"},
    ],
)
def test_ws101_does_not_fire_where_a_type_would_change_nothing(fields: dict[str, Any]) -> None:
    assert NO_TYPE.evidence(seen(**fields)) is None


def test_ws101_tries_each_inferred_type() -> None:
    assert names(NO_TYPE, seen()) == ["-> list[Row]", "-> Any"]


def test_ws101_tries_each_with_the_default_class_too_where_another_is_set() -> None:
    assert names(NO_TYPE, seen(route=route(explicit_class=True))) == [
        "-> list[Row] + drop response_class",
        "-> list[Row]",
        "-> Any + drop response_class",
        "-> Any",
    ]


def test_ws101_tries_each_without_the_options_that_a_type_would_wake_up() -> None:
    dormant = route(dormant_options=["response_model_exclude_none", "response_model_by_alias"])
    changes = NO_TYPE.remedies(seen(route=dormant, annotations=[ANYTHING]))

    assert [(change.name, change.options) for change in changes] == [
        ("-> Any", "keep"),
        ("-> Any + without response_model_exclude_none + without response_model_by_alias", "reset"),
    ]


def test_all_combinations_have_names_of_their_own() -> None:
    everything = route(explicit_class=True, dormant_options=["response_model_exclude_none"])
    tried = names(NO_TYPE, seen(route=everything))

    assert len(tried) == len(set(tried)) == 8


# -- WS102 ---------------------------------------------------------------------------------------------------

CLASSED = {"has_response_type": True, "explicit_class": True, "response_class": "ORJSONResponse"}


def test_ws102_fires_on_a_typed_route_with_a_class_and_names_it() -> None:
    assert CLASS.evidence(seen(route=route(**CLASSED))) == (
        "ORJSONResponse is set explicitly; 25% is the response path"
    )


@pytest.mark.parametrize(
    "facts", [{**CLASSED, "has_response_type": False}, {**CLASSED, "explicit_class": False}]
)
def test_ws102_leaves_untyped_routes_to_ws101_and_default_classes_alone(facts: dict[str, Any]) -> None:
    assert CLASS.evidence(seen(route=route(**facts))) is None


def test_ws102_drops_a_class_that_adds_nothing_to_the_content_type() -> None:
    assert names(CLASS, seen(route=route(**CLASSED))) == ["drop response_class"]


def test_ws102_also_tries_to_keep_a_content_type_that_the_class_has_of_its_own() -> None:
    own = route(**CLASSED, media_type="application/vnd.api+json")
    changes = CLASS.remedies(seen(route=own))

    assert [(change.name, change.response_class) for change in changes] == [
        ("drop response_class", "drop"),
        ("drop response_class + keep content type", "bytes"),
    ]


def test_no_route_is_told_the_same_by_both_rules() -> None:
    for facts in ({}, CLASSED, {**CLASSED, "has_response_type": False}):
        fired = [rule.code for rule in all_rules().values() if rule.evidence(seen(route=route(**facts)))]
        assert len(fired) == 1
