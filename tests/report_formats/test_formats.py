"""What holds for every format, those that somebody adds later included."""

from __future__ import annotations

import pytest

from wirespeed.report.formats import Format, Setting, all_formats

from .conftest import DOCUMENTS

PAIRS = [
    pytest.param(format_, name, id=f"{format_.name}-{name}")
    for format_ in all_formats().values()
    for name, make in DOCUMENTS.items()
    if type(make()) in format_.views
]


def test_formats_are_found_by_their_files() -> None:
    assert list(all_formats()) == ["github", "gitlab", "junit", "markdown", "sarif"]


@pytest.mark.parametrize("format_", all_formats().values(), ids=lambda format_: format_.name)
def test_a_format_says_what_it_is_in_a_sentence(format_: Format) -> None:
    assert format_.describes.strip(".\n ") == format_.describes
    assert 20 < len(format_.describes) < 120


@pytest.mark.parametrize(("format_", "name"), PAIRS)
def test_every_document_that_a_format_takes_can_be_written_and_reads_alike_every_time(
    format_: Format, name: str, setting: Setting
) -> None:
    document = DOCUMENTS[name]()
    text = format_.views[type(document)](document, setting)

    assert not {c for c in text if ord(c) < 32} - {"\n"}, "no control character is left"
    assert text.encode("utf-8").decode("utf-8") == text
    assert format_.views[type(document)](document, setting) == text
