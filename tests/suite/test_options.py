"""What can be asked for, and what the guide says of it."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wirespeed.testing.suite.options import RULES, add_options, is_wanted, read_options

GUIDE = Path(__file__).parents[2] / "docs" / "suite.md"


class Recorder:
    """Stands where pytest's group of options would be."""

    def __init__(self) -> None:
        self.defaults: dict[str, Any] = {"--wirespeed": False}

    def addoption(self, name: str, *, default: Any = None, **described: Any) -> None:
        assert described["help"]
        self.defaults[name] = default


def config(folder: Path, **given: Any) -> Any:
    recorder = Recorder()
    add_options(recorder)  # type: ignore[arg-type]
    known = {name.removeprefix("--").replace("-", "_"): value for name, value in recorder.defaults.items()}
    values = {**known, **given}
    return SimpleNamespace(
        getoption=lambda name: values[name.removeprefix("--").replace("-", "_")],
        invocation_params=SimpleNamespace(dir=folder),
    )


def test_the_guide_names_every_option_and_no_other() -> None:
    recorder = Recorder()
    add_options(recorder)  # type: ignore[arg-type]

    assert set(re.findall(r"`(--wirespeed[\w-]*)", GUIDE.read_text())) == set(recorder.defaults)


def test_the_guide_names_every_rule_that_tests_can_show() -> None:
    assert re.findall(r"^\| (WS\d+) \|", GUIDE.read_text(), re.MULTILINE) == list(RULES)


def test_whoever_asks_for_a_result_asks_for_the_watching(tmp_path: Path) -> None:
    assert not is_wanted(config(tmp_path))
    assert is_wanted(config(tmp_path, wirespeed=True))
    assert is_wanted(config(tmp_path, wirespeed_json="a.json"))
    assert is_wanted(config(tmp_path, wirespeed_fail_on="WS101"))
    assert not is_wanted(config(tmp_path, wirespeed_budget="5"))


def test_files_are_relative_to_where_pytest_was_called(tmp_path: Path) -> None:
    seen = read_options(config(tmp_path, wirespeed_json="a.json", wirespeed_html=str(tmp_path / "b.html")))

    assert (seen.json, seen.html) == (tmp_path / "a.json", tmp_path / "b.html")


def test_codes_may_be_what_codes_begin_with(tmp_path: Path) -> None:
    assert read_options(config(tmp_path, wirespeed_fail_on="ws101, WS1")).fail_on == ("WS101", "WS1")


def test_a_budget_may_carry_its_unit(tmp_path: Path) -> None:
    assert read_options(config(tmp_path, wirespeed_budget="7.5s")).budget_s == 7.5


@pytest.mark.parametrize(
    "given",
    [
        {"wirespeed_fail_on": "WS203"},
        {"wirespeed_fail_on": ","},
        {"wirespeed_budget": "0"},
        {"wirespeed_budget": "nan"},
        {"wirespeed_budget": "inf"},
        {"wirespeed_json": "no/such/folder.json"},
        {"wirespeed_html": "."},
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_a_usage_error(tmp_path: Path, given: dict[str, str]) -> None:
    with pytest.raises(pytest.UsageError):
        read_options(config(tmp_path, **given))
