"""Secrets in whatever leaves wirespeed: they are taken out, and what surrounds them stays."""

import json
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path

import pytest

from wirespeed.cli.failures import confess, explain
from wirespeed.errors import SubjectError
from wirespeed.hidden import hide, hide_from_now_on
from wirespeed.model.advice import Advice, Difference
from wirespeed.model.record import Record
from wirespeed.report.text import clean, clean_lines

SECRET = "tok-" + "0123456789abcdef" * 8
ADVICE = Advice.model_validate_json((Path(__file__).parents[1] / "data" / "advice.json").read_bytes())


def hiding(secret: str, action: Callable[[], object]) -> object:
    def whole() -> object:
        hide_from_now_on([secret])
        return action()

    return copy_context().run(whole)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"a {SECRET} b {SECRET}", "a *** b ***"),
        (f"cut off: {SECRET[:60]}…", "cut off: ***…"),
        ("tok-0123 is its beginning", "*** is its beginning"),
        ("nothing of it", "nothing of it"),
        ("", ""),
    ],
)
def test_a_secret_is_hidden_whole_or_cut_off(text: str, told: str) -> None:
    assert hiding(SECRET, lambda: hide(text)) == told


@pytest.mark.parametrize("spell", [repr, json.dumps])
def test_a_secret_is_hidden_as_messages_spell_it(spell: Callable[[str], str]) -> None:
    secret = "qu\"o'te\\d é secret"

    assert "secret" not in str(hiding(secret, lambda: hide(f"header {spell(secret)}")))


def test_a_secret_is_hidden_although_white_space_collapses_and_lines_break() -> None:
    secret = "two  blanks\tand a tab"

    assert hiding(secret, lambda: clean(f"it said {secret}!")) == "it said ***!"
    assert hiding(secret, lambda: clean_lines(f"it said {secret}!\nnext")) == ["it said ***!", "next"]


def with_echo(secret: str) -> Advice:
    endpoint = ADVICE.endpoints[0]
    told = Difference(at="$.token", baseline=secret, arm=[{"deep": f"Bearer {secret}"}])
    arm = endpoint.arms[0].model_copy(update={"differences": (told,)})
    return ADVICE.model_copy(update={"endpoints": (endpoint.model_copy(update={"arms": (arm,)}),)})


def test_a_document_and_its_record_tell_no_secret_that_an_answer_repeats() -> None:
    record = Record(document=with_echo(SECRET), evidence={"answers": [[SECRET]]})
    saved = hiding(SECRET, record.to_json)

    assert isinstance(saved, bytes)
    assert SECRET[:8].encode() not in saved
    assert Record.model_validate_json(saved).evidence == {"answers": [["***"]]}


@pytest.mark.parametrize("secret", ["faster", "identical", "advice", "fast", "a"])
def test_a_document_stays_one_whatever_the_secret_is(secret: str) -> None:
    saved = hiding(secret, with_echo(secret).to_json)

    assert isinstance(saved, bytes)
    assert Advice.model_validate_json(saved).endpoints[0].conclusion == ADVICE.endpoints[0].conclusion


def test_errors_and_tracebacks_tell_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    told = SubjectError(
        f"no {SECRET}", advice=f"not {SECRET}", app_traceback=f"E: {SECRET}", output=f"{SECRET}\n"
    )
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        bug = error
    hiding(SECRET, lambda: explain(told))
    hiding(SECRET, lambda: confess(bug))

    assert SECRET[:8] not in capsys.readouterr().err


def test_what_one_run_hides_is_no_secret_to_the_next() -> None:
    hiding(SECRET, lambda: None)

    assert hide(SECRET) == SECRET
