"""What a bisection says on the terminal, and what readers of its document rely on."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from wirespeed.bisect.story import StepStarted
from wirespeed.cli.bisect_progress import line
from wirespeed.cli.bisect_run import exit_code
from wirespeed.model.bisection import Bisection, Outcome
from wirespeed.model.record import Record
from wirespeed.model.schemas import schema
from wirespeed.report.bisection import print_bisection

SAMPLE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "bisection.json").read_text())


def printed(width: int = 110, **changed: Any) -> str:
    file = io.StringIO()
    document = Bisection.model_validate({**SAMPLE, **changed})
    print_bisection(document, Console(file=file, width=width, color_system=None))
    return file.getvalue()


def headline(**changed: Any) -> str:
    """With lines joined, as a reader does."""
    return " ".join(printed(**changed).partition("\n\n")[2].split())


def test_the_published_sample_goes_through_unchanged() -> None:
    document = Bisection.model_validate(SAMPLE)
    written = json.loads(document.to_json())
    assert {key: written[key] for key in SAMPLE} == SAMPLE
    record = Record(kind="bisection", document=document)
    assert Record.model_validate_json(record.to_json()) == record


def test_the_sample_has_every_field_there_is_and_all_that_the_schema_asks_for() -> None:
    assert set(SAMPLE) == set(Bisection.model_fields)
    assert set(schema("bisection-1")["required"]) <= set(SAMPLE)


def test_the_published_sample_reads_like_this() -> None:
    assert printed(width=100) == (
        "users.py GET /typed  fastapi 0.129.0..0.131.0 · 5 releases · in the app's own process\n"
        "  4 comparisons · 44 rounds · 2 min 5 s · margin 2 % · seed 7\n"
        "\n"
        "0.130.0 or the skipped 0.129.2 changed it: 2.84× faster [2.75, 2.93] than 0.129.1, 93 to 100 % of\n"
        "  the whole change\n"
        "  0.129.0 → 0.131.0: 2.86× faster [2.70, 3.03]\n"
        "  installed differently as well, and so a possible cause: starlette 0.50.0 → 0.52.1\n"
        "\n"
        "          median  against 0.129.0\n"
        "0.129.0  1.01 ms  first\n"
        "0.129.1  1.01 ms  0.1 % faster [-1.8, 2.0]\n"
        "0.130.0   356 µs  2.85× faster [2.69, 3.03]\n"
        "0.131.0   351 µs  2.86× faster [2.70, 3.03]\n"
        "skipped 0.129.2: changed body: $[0].id is '0', and 0 at 0.129.0\n"
        "note: 2 of 46 rounds do not count: other guests of this host took more than 10 % of the CPU time\n"
        "note: changes from call to call, not compared: $[3].when\n"
        "[low, high]: intervals; those of 4 comparisons at most hold together in 95 % of searches\n"
    )


def test_no_change_is_said_with_its_interval() -> None:
    told = headline(
        outcome="none", change=None, steps=[], overall={"ratio": 1.003, "interval": [0.995, 1.011]}
    )
    assert told.startswith("no change between 0.129.0 and 0.131.0 beyond 2 %: 0.3 % slower [-0.5, 1.1]")


def test_several_steps_are_listed_with_the_share_that_each_has() -> None:
    told = headline(outcome="several")
    assert told.startswith("it changed in more than one step; the largest found is 0.130.0")
    assert "0.130.0 → 0.131.0: 0.2 % faster [-1.5, 1.9], 0 % to 2 % of it" in told.replace("0 to", "0 % to")


def test_a_gradual_change_names_no_release() -> None:
    told = headline(outcome="gradual")
    assert told.startswith("it changed gradually: no step found carries more than half of the whole change")


def test_what_is_not_proven_is_given_as_the_range_that_is() -> None:
    change = {**SAMPLE["change"], "untried": 3, "skipped": [], "packages": []}
    told = headline(outcome="inconclusive", change=change)
    assert told.startswith(
        "cannot tell which release it was; the change came after 0.129.1 and by 0.130.0, "
        "with 3 releases between them"
    )


def test_ends_of_which_nothing_is_proven_are_not_called_equal() -> None:
    overall = {"ratio": 1.01, "interval": [0.99, 1.03]}
    told = headline(outcome="inconclusive", change=None, steps=[], overall=overall)
    assert told.startswith(
        "cannot tell whether 0.129.0 and 0.131.0 differ by more than 2 %: the last is between 3.0 % slower "
        "and 1.0 % faster"
    )


def test_an_invalid_search_has_no_verdict_and_says_why() -> None:
    told = printed(
        outcome="invalid",
        change=None,
        steps=[],
        validity={"valid": False, "reasons": ["changed body at 0.130.0: …"]},
    )
    assert "invalid: changed body at 0.130.0" in told
    assert "no verdict" in told


def test_releases_that_answer_differently_are_named_where_they_were_compared() -> None:
    tried = [*SAMPLE["tried"]]
    tried[2] = {**tried[2], "differences": [{"at": "$[0].id", "baseline": 0, "arm": "0"}]}
    told = printed(tried=tried, plan={**SAMPLE["plan"], "allow_different": True})
    assert "0.130.0 answers differently: $[0].id is '0', not 0" in told


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({}, 0),
        ({"outcome": "none"}, 0),
        ({"outcome": "gradual"}, 0),
        ({"outcome": "inconclusive"}, 4),
        ({"outcome": "invalid"}, 4),
        ({"complete": False}, 130),
    ],
)
def test_scripts_are_told_whether_the_question_was_answered(changed: dict[str, Any], code: int) -> None:
    assert exit_code(Bisection.model_validate({**SAMPLE, **changed})) == code


@pytest.mark.parametrize("outcome", Outcome)
@pytest.mark.parametrize("width", [40, 110])
def test_every_outcome_has_words_in_every_width(outcome: Outcome, width: int) -> None:
    assert printed(width, outcome=outcome.value)
    assert printed(
        width, outcome=outcome.value, change=None, overall=None, steps=[], tried=[], comparisons=[]
    )


def test_the_progress_says_what_is_done_and_how_much_may_be_left() -> None:
    started = StepStarted("comparing 0.129.0 and 0.165.0", 2, 5)
    assert line(started, "measuring round 3") == (
        "comparing 0.129.0 and 0.165.0: measuring round 3; at most 5 comparisons left"
    )
