"""Every suite there is: whether it makes sense as data, whoever wrote it."""

from __future__ import annotations

import pytest

from wirespeed.errors import UsageError
from wirespeed.replicate import requirements
from wirespeed.replicate.catalog import all_suites, chosen
from wirespeed.replicate.run import budget_s
from wirespeed.replicate.suite import Fact, Inspection, Ratio, SameBytes, SingleRuns, Step, Suite

SUITES = all_suites()
QUICK_S = 45.0
every_suite = pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))


def arms_of(step: Step) -> set[str]:
    return {arm.name for arm in step.arms}


def test_suites_are_found_in_their_folder() -> None:
    assert {"typed-response", "sync-async", "serialization-routes"} <= set(SUITES)


def test_suites_are_chosen_by_name_each_once() -> None:
    assert [each.name for each in chosen(["sync-async", "typed-response", "sync-async"])] == [
        "sync-async",
        "typed-response",
    ]
    assert [each.name for each in chosen([])] == sorted(SUITES)


def test_a_misspelt_suite_is_guessed() -> None:
    with pytest.raises(UsageError) as error:
        chosen(["typed-responses"])
    assert error.value.advice == "Did you mean typed-response?"


@every_suite
def test_every_claim_refers_to_steps_and_arms_that_there_are(suite: Suite) -> None:
    steps = {step.name: step for step in suite.steps}
    assert len(steps) == len(suite.steps)
    for claim in suite.claims:
        assert claim.evidence, claim.statement
        for each in claim.evidence:
            match each:
                case Ratio():
                    assert {each.slow, each.fast} <= arms_of(steps[each.step])
                    assert each.bounds.low < each.bounds.high
                case SameBytes():
                    assert set(each.arms) <= arms_of(steps[each.step])
                case Fact():
                    assert isinstance(steps[each.step], Inspection)
                    assert each.arm in arms_of(steps[each.step])


@every_suite
def test_arms_of_a_step_have_names_of_their_own(suite: Suite) -> None:
    for step in suite.steps:
        assert len(arms_of(step)) == len(step.arms)


@every_suite
def test_claims_are_told_apart_by_what_they_say(suite: Suite) -> None:
    statements = [claim.statement for claim in suite.claims]
    assert len(set(statements)) == len(statements)
    assert all(claim.source for claim in suite.claims)


@every_suite
def test_published_figures_belong_to_arms_that_are_measured(suite: Suite) -> None:
    steps = {step.name: step for step in suite.steps}
    runs = {
        f"{step.name}, run {number + 1}": step
        for step in suite.steps
        if isinstance(step, SingleRuns)
        for number in range(step.repeats)
    }
    for name, table in suite.original_table.items():
        assert set(table) <= arms_of({**steps, **runs}[name])


@every_suite
def test_a_quick_run_of_a_suite_is_planned_for_less_than_a_minute(suite: Suite) -> None:
    assert sum(budget_s(step, quick=True) for step in suite.steps) <= QUICK_S


@every_suite
def test_every_suite_has_an_app_and_names_what_that_needs(suite: Suite) -> None:
    assert suite.app.is_file()
    assert {"fastapi", "uvicorn"} <= set(suite.needs)
    assert not (suite.app.parent / "__init__.py").exists(), "apps must not bring wirespeed along"


def test_missing_packages_are_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "find_spec", lambda name: None if name == "uvicorn" else object())
    with pytest.raises(UsageError) as error:
        requirements.require(SUITES.values())
    assert "uvicorn" in error.value.message
    assert "fastapi" not in error.value.message
    assert "wirespeed[replicate]" in str(error.value.advice)
