"""Text of unknown origin shows in Markdown as it is, and nothing of it acts.

A Markdown parser is the judge: whatever is written into a paragraph, a list or a table comes out as that very
text, in no other elements than ours.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from wirespeed.report.formats._markup import code, escaped, fenced, item, marker, prose, row, table_head
from wirespeed.report.text import clean

from .conftest import EVIL

NO_WIDTH = "\u200b"
TEXTS = st.text(
    st.one_of(st.sampled_from("|`\\<>&*_[]()#@!~$-+=.:/ \n\t0123abwGH"), st.characters()), max_size=40
).map(clean)
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(markdown: str) -> tuple[set[str], str]:
    """The elements and the text that a browser gets."""
    reader = _Reader()
    reader.feed(PARSER.render(markdown))
    reader.close()
    return reader.tags, reader.text.replace(NO_WIDTH, "").strip()


@given(TEXTS)
@example(EVIL)
@example("- x")
@example("12. x")
@example("a\\|b")
def test_escaped_text_reads_as_it_is_wherever_it_stands(text: str) -> None:
    tags, told = shown(f"before {escaped(text)} after")
    assert " ".join(told.split()) == " ".join(f"before {text} after".split())
    assert tags <= {"p", "span"}


@given(TEXTS)
@example(EVIL)
@example("- x")
@example("# x")
@example("1. x")
def test_escaped_text_starts_nothing_of_its_own_in_a_list(text: str) -> None:
    tags, told = shown(item(escaped(text)))
    assert told == text
    assert tags <= {"ul", "li", "span"}


@given(TEXTS, TEXTS)
@example("a|b", "`|`")
@example("a\\", "\\|b")
@example(EVIL, EVIL)
def test_cells_stay_cells(one: str, other: str) -> None:
    markdown = f"{table_head(('a', 'b'))}\n{row((escaped(one), code(other)))}"
    html = PARSER.render(markdown)
    assert html.count("<td>") == 2
    assert shown(markdown)[0] <= {"table", "thead", "tbody", "tr", "th", "td", "span", "code"}


@given(TEXTS)
@example("``")
@example("`")
@example("a`b|c\\")
def test_code_is_code_and_reads_as_it_is(text: str) -> None:
    tags, told = shown(f"x {code(text)} y")
    assert told.split() == f"x {text} y".split()
    assert ("code" in tags) is bool(text.strip())


def test_no_code_is_no_empty_pair_of_backticks() -> None:
    assert code("") == code(" ") == ""


@pytest.mark.parametrize("text", ["@octocat", "see #12", "GH-12", "https://evil.example", "www.evil.example"])
def test_what_github_would_turn_into_a_link_is_parted(text: str) -> None:
    assert text not in escaped(text)
    assert escaped(text).replace(NO_WIDTH, "") == text


@given(st.lists(TEXTS, max_size=4))
@example(["```", "````", "~~~"])
def test_nothing_ends_a_block_of_code_but_its_end(lines: list[str]) -> None:
    tokens = PARSER.parse(f"{fenced(lines, 'diff')}\nafter")
    assert [token.type for token in tokens[:2]] == ["fence", "paragraph_open"]
    assert tokens[0].content == "".join(f"{line}\n" for line in lines)


def test_blocks_stand_below_their_item() -> None:
    html = PARSER.render(item("one", item("two", fenced(["-a", "", "+b"], "diff"))) + "\n" + item("three"))
    assert html.count("<ul>") == 2
    assert '<pre><code class="language-diff">-a\n\n+b\n</code></pre>' in html


def test_commands_in_a_sentence_are_code() -> None:
    assert prose("`wirespeed fix a:b` shows * the diff") == "`wirespeed fix a:b` shows \\* the diff"


@given(st.text(max_size=60))
@example("main:app--> <img src=x> <!--")
def test_nobody_ends_the_marker_early(name: str) -> None:
    written = marker("advice", name)
    assert re.fullmatch(r"<!-- wirespeed:advice [\w.:/() _-]* -->", written, re.ASCII)
    assert written.count("-->") == 1
