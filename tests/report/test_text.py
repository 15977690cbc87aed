"""No text from an app can take over the terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.report.text import abbreviated, clean, clean_lines, counted


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("/orders/42", "/orders/42"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[1;1Hgone", "gone"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP1$r0m\x1b\\after", "after"),
        ("\x1b(0lqk", "lqk"),
        ("\x1b]0;never ended", "0;never ended"),
        ("a\rb\nc\td", "a b c d"),
        ("bell\x07 back\x08 null\x00", "bell back null"),
        ("\u202eexe.txt", "exe.txt"),
        ("caf\udce9", "caf"),
        ("line\u2028break", "line break"),
        ("日本 👩\u200d💻", "日本 👩\u200d💻"),
    ],
)
def test_escape_sequences_and_invisible_characters_are_gone(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(st.text())
def test_cleaned_text_is_one_line_of_visible_characters(text: str) -> None:
    categories = {unicodedata.category(c) for c in clean(text) if c not in "\u200c\u200d"}
    assert categories.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_code_keeps_its_indentation() -> None:
    assert clean_lines("def f():\r\n\treturn '\x1b[31m'  \n") == ["def f():", "    return ''"]


@pytest.mark.parametrize(("text", "limit"), [("abcdefghij", 5), ("abcdefghij", 6), ("short", 5)])
def test_long_text_keeps_both_ends(text: str, limit: int) -> None:
    shortened = abbreviated(text, limit)
    assert len(shortened) == min(len(text), limit)
    assert shortened[0] == text[0] and shortened[-1] == text[-1]


def test_nouns_follow_their_number() -> None:
    assert [counted(n, "remedy", "remedies") for n in (0, 1, 2)] == ["0 remedies", "1 remedy", "2 remedies"]
