"""The Markdown of a comment: what it shows first, that it fits, and that a bot finds it again.

``WIRESPEED_UPDATE_GOLDEN=1 pytest tests/report_formats`` writes the golden texts anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from wirespeed.model._base import Document
from wirespeed.model.advice import Advice
from wirespeed.model.comparison import Comparison
from wirespeed.model.guard import Guard
from wirespeed.report.formats import Setting, all_formats
from wirespeed.report.formats._fitting import COMMENT_LIMIT, Section, fitted

from ..report.conftest import big  # noqa: TID252
from .conftest import DOCUMENTS, EVIL

GOLDEN = Path(__file__).parent / "golden"
MARKDOWN = all_formats()["markdown"]
PARSER = MarkdownIt("commonmark").enable("table")


def written(document: Document, setting: Setting) -> str:
    return MARKDOWN.views[type(document)](document, setting)


@pytest.mark.parametrize(
    "name", ["design", "catches", "uncertain", "comparison", "nasty", "guard", "nasty guard"]
)
def test_a_comment_reads_as_its_golden_text(name: str, setting: Setting) -> None:
    text = written(DOCUMENTS[name](), setting)
    path = GOLDEN / f"{name}.md"
    if os.environ.get("WIRESPEED_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_the_first_line_is_a_marker_that_names_the_kind_and_the_app(design: Advice, setting: Setting) -> None:
    assert written(design, setting).splitlines()[0] == "<!-- wirespeed:advice users:app -->"


def test_every_recommended_remedy_has_a_line_in_the_table(setting: Setting) -> None:
    document = big()
    shown, _, _ = written(document, setting).partition("<details>")
    recommended = [e.request for e in document.endpoints if any(a.recommended for a in e.arms)]
    assert len([request for request in recommended if f"| `{request}`" in shown]) == 46
    assert "| `30 endpoints` |" in shown, "a change that many share is told once"


def test_what_does_not_matter_is_folded(design: Advice, setting: Setting) -> None:
    shown, _, hidden = written(design, setting).partition("<details>")
    assert "`GET /untyped`" in shown
    assert "`GET /prices`" not in shown
    assert "`GET /prices`" in hidden


def test_all_details_are_closed(any_document: Document, setting: Setting) -> None:
    if type(any_document) in MARKDOWN.views:
        text = written(any_document, setting)
        assert text.count("<details>") == text.count("</details>")


def test_hostile_text_makes_no_element_of_its_own(nasty: Advice, setting: Setting) -> None:
    html = PARSER.render(written(nasty, setting))
    assert "<script" not in html
    assert "evil.example" not in "".join(part.partition('"')[0] for part in html.split('href="')[1:])


def test_hostile_text_outside_of_code_mentions_nobody(nasty: Advice, setting: Setting) -> None:
    tokens = PARSER.parse(written(nasty, setting))
    texts = [
        child.content
        for token in tokens
        for child in token.children or []
        if child.type in ("text", "html_inline")
    ]
    assert any("octocat" in text for text in texts)
    assert not any("@octocat" in text or "#12" in text or "://evil" in text for text in texts)


def test_an_app_of_two_thousand_endpoints_fits_a_comment_and_says_what_it_left_out(setting: Setting) -> None:
    document = big()
    many = tuple(
        endpoint.model_copy(
            update={
                "request": f"{endpoint.request}/{copy}",
                "arms": tuple(arm.model_copy(update={"edit": f"edit {copy}"}) for arm in endpoint.arms),
            }
        )
        for copy in range(10)
        for endpoint in document.endpoints
    )
    text = written(document.model_copy(update={"endpoints": many}), setting)

    assert 40_000 < len(text) <= COMMENT_LIMIT
    assert "Left out, as there is no room: " in text
    assert "`wirespeed report` shows all of a record." in text


@pytest.mark.parametrize("filler", ["x", "é", "\U0001f600", "<", "`"])
def test_no_single_text_is_too_long(filler: str, nasty: Advice, setting: Setting) -> None:
    long = filler * 80_000
    endpoints = tuple(
        each.model_copy(update={"note": long, "unstable": (long,), "request": f"GET /{long}"})
        for each in nasty.endpoints
    )
    subject = nasty.subject.model_copy(update={"app": long, "packages": {"fastapi": long}, "python": long})
    document = nasty.model_copy(
        update={"endpoints": endpoints, "subject": subject, "notes": (long, EVIL), "skipped": ()}
    )
    text = written(document, setting)
    assert len(text.encode("utf-16-le")) // 2 <= COMMENT_LIMIT


def test_a_long_piece_does_not_keep_shorter_ones_out() -> None:
    section = Section("note", ("a" * 900, "short", "b" * 900), opening="notes", closing="end")
    text = fitted("head", [section], "foot", "See there.", limit=800)
    assert text == (
        "head\n\nnotes\nshort\n\nend\n\nLeft out, as there is no room: 2 of 3 notes. See there.\n\nfoot\n"
    )


def test_a_section_of_which_nothing_fits_is_not_opened() -> None:
    section = Section("note", ("a" * 900,), opening="notes", closing="end")
    assert "notes\n" not in fitted("head", [section], "", "See there.", limit=800)


def test_a_comparison_without_verdict_says_why_first(
    make_comparison: Callable[..., Comparison], setting: Setting
) -> None:
    invalid = {"valid": False, "reasons": ["GET /b: 12 of 4800 requests failed"]}
    lines = written(make_comparison(validity=invalid), setting).splitlines()
    assert lines[3] == "- **invalid**: GET /b: 12 of 4800 requests failed"


def test_a_comparison_of_nothing_can_be_written(
    make_comparison: Callable[..., Comparison], setting: Setting
) -> None:
    assert "nothing was compared" in written(make_comparison(arms=[], estimates=[]), setting)


def test_what_a_guard_objects_to_stands_before_what_passes(
    make_guard: Callable[..., Guard], setting: Setting
) -> None:
    text = written(make_guard(), setting)
    shown, _, hidden = text.partition("<details>")
    assert shown.startswith("<!-- wirespeed:guard main:app -->\n### wirespeed guard: `main:app`\n\n**fail: ")
    assert "- GET /other  status" in shown.replace("GET /other status", "GET /other  status")
    assert "| `GET /slow` | 1.00 → 1.24 ms | 1.24× slower \\[1.21, 1.27\\] | fail | main.py:31 |" in shown
    assert "`GET /same`" not in shown
    assert "| `GET /same` |" in hidden
