"""docs/configuration.md says what is so."""

import re
from pathlib import Path

import pytest

from wirespeed.cli.configuration import read_configuration
from wirespeed.cli.configuration_keys import KEYS
from wirespeed.source.ignore_comments import read_comments

PAGE = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text()


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", fenced("toml"))
def test_every_example_is_a_configuration(example: str, tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text("{}")
    (tmp_path / "pyproject.toml").write_text(example)

    assert read_configuration(tmp_path).file is not None


def test_every_key_is_explained() -> None:
    assert [key.name for key in KEYS if f"`{key.name}`" not in PAGE] == []


def test_the_example_of_a_comment_is_one() -> None:
    (example,) = fenced("python")
    line = next(number for number, text in enumerate(example.splitlines(), 1) if "def export" in text)
    (comment,) = read_comments(example.encode()).at(line)

    assert (comment.codes, comment.reason) == (("WS101",), "only our own scripts call it, once a night")
