"""``[tool.wirespeed]``: where it is found, and what is said of what cannot be."""

from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.cli.configuration import Configuration, read_configuration
from wirespeed.errors import UsageError

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()

    def write(text: str) -> Path:
        (tmp_path / "pyproject.toml").write_text(text)
        return tmp_path

    return write


def refusal(folder: Path) -> UsageError:
    with pytest.raises(UsageError) as refused:
        read_configuration(folder)
    return refused.value


def values(configuration: Configuration, command: str = "advise") -> dict[str, object]:
    return {setting.key.name: setting.value for setting in configuration.settings_for(command)}


# Where it is found


def test_it_is_found_from_a_folder_upwards(write: Write) -> None:
    root = write('[tool.wirespeed]\nmargin = "3%"\n')
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "pyproject.toml").write_text("[tool.other]\n")

    assert values(read_configuration(root / "a" / "b")) == {"margin": "3%"}


def test_what_lies_above_the_repository_is_somebody_elses(write: Write) -> None:
    root = write('[tool.wirespeed]\nmargin = "3%"\n')
    (root / "inner" / ".git").mkdir(parents=True)

    assert read_configuration(root / "inner") == Configuration()


def test_a_broken_file_that_says_nothing_of_wirespeed_is_left_alone(write: Write) -> None:
    assert read_configuration(write("[tool.other\n")) == Configuration()


def test_a_named_file_is_read_wherever_it_lies(write: Write, tmp_path: Path) -> None:
    folder = write('[tool.wirespeed]\nmargin = "3%"\n')
    (folder / "ci.toml").write_text("[tool.wirespeed]\nlive = 5\n")

    assert values(read_configuration(folder, "ci.toml")) == {"live": 5}


@pytest.mark.parametrize("text", [None, "", "[tool.other]\nwirespeed = 1\n"])
def test_a_named_file_must_be_there_and_say_something(write: Write, text: str | None) -> None:
    folder = write("")
    if text is not None:
        (folder / "ci.toml").write_text(text)

    with pytest.raises(UsageError, match=r"--config ci\.toml"):
        read_configuration(folder, "ci.toml")


# What is said of what cannot be


@pytest.mark.parametrize(
    ("text", "message", "advice"),
    [
        ("margn = 1", "pyproject.toml:2:1: there is no key margn", "Did you mean margin?"),
        ("[tool.wirespeed.gaurd]", "pyproject.toml:2:1: there is no key gaurd", "Did you mean guard?"),
        (
            "rules = { selct = [] }",
            "pyproject.toml:2:11: there is no key rules.selct",
            "Did you mean select?",
        ),
        ('live = "3"', "pyproject.toml:2:1: live is a text", "It should be a whole number."),
        ("live = true", "pyproject.toml:2:1: live is true or false", "It should be a whole number."),
        ("app = 5", "pyproject.toml:2:1: app is a number", "It should be a text."),
        ('app = " "', "pyproject.toml:2:1: app is empty", "Leave the key out, or give it a value."),
        (
            'margin = "a lot"',
            "pyproject.toml:2:1: margin = 'a lot' is not a share between 0 and 100 %",
            "Write margin = 2% or margin = 0.02.",
        ),
        (
            "budget = 0",
            "pyproject.toml:2:1: budget = '0' is not a duration",
            "Write a number with its unit: budget = 60s, 500ms, 2m or 1h.",
        ),
        (
            'env = ["A=1"]',
            "pyproject.toml:2:1: env is an array",
            'It should be a table, such as { DB_URL = "sqlite://" }.',
        ),
        (
            'requests = [{ get = "/a", method = "GET" }]',
            "pyproject.toml:2:13: requests[0] is not one request",
            'Write either get = "/path", or method = "POST" and path = "/path".',
        ),
        (
            'requests = [{ gte = "/a" }]',
            "pyproject.toml:2:15: there is no key requests[0].gte",
            "Did you mean get?",
        ),
        (
            'headers = { X = { variable = "A" } }',
            "pyproject.toml:2:19: there is no key headers.X.variable",
            "There is env, prefix.",
        ),
        (
            '[tool.wirespeed.load]\nconnections = "9"',
            "pyproject.toml:3:1: load.connections is a text",
            "It should be a whole number.",
        ),
        (
            "[tool.wirespeed.advise]\nhttpp = true",
            "pyproject.toml:3:1: there is no key advise.httpp",
            "Did you mean http?",
        ),
        (
            "[tool.wirespeed.rule]\na = 1",
            "pyproject.toml:2:1: `wirespeed rule` takes no settings",
            "Leave the table out.",
        ),
    ],
)
def test_a_complaint_points_at_the_value_and_says_what_it_should_be(
    write: Write, text: str, message: str, advice: str
) -> None:
    refused = refusal(write(f"[tool.wirespeed]\n{text}\n"))

    assert (refused.message, refused.advice) == (message, advice)


def test_a_file_that_does_not_parse_gives_its_line(write: Write) -> None:
    assert "line 3" in refusal(write("[tool.wirespeed]\nlive = 3\nmargin =\n")).message


def test_a_file_of_another_encoding_is_no_toml(write: Write, tmp_path: Path) -> None:
    write("")
    (tmp_path / "pyproject.toml").write_bytes("[tool.wirespeed]\napp = 'é'\n".encode("latin-1"))

    assert "not UTF-8" in refusal(tmp_path).message


@pytest.mark.parametrize(
    "option", ["remote = true", "[tool.wirespeed.fix]\nwrite = true", "[tool.wirespeed.load]\nremote = true"]
)
def test_no_file_consents_to_changing_files_or_loading_other_machines(write: Write, option: str) -> None:
    assert "there is no key" in refusal(write(f"[tool.wirespeed]\n{option}\n")).message


# What it says


def test_a_commands_own_table_wins_for_that_command(write: Write) -> None:
    read = read_configuration(
        write('[tool.wirespeed]\nmargin = "3%"\nlive = 5\n[tool.wirespeed.fix]\nmargin = 0.01\n')
    )

    assert values(read, "fix") == {"live": 5, "margin": "0.01"}
    assert values(read, "advise") == {"margin": "3%", "live": 5}


def test_a_command_may_have_each_of_its_options_set(write: Write) -> None:
    text = '[tool.wirespeed.advise]\nhttp = true\nworkers = 2\nfail-on = ["WS1"]\ndeadline = "5s"\n'

    assert values(read_configuration(write(text))) == {
        "http": True,
        "workers": 2,
        "fail-on": ("WS1",),
        "deadline": "5s",
    }


def test_paths_are_seen_from_the_file(write: Write) -> None:
    folder = write('[tool.wirespeed]\nfolder = "app"\npython = ".venv/bin/python"\n')
    found = values(read_configuration(folder / "app"))

    assert found == {"folder": str(folder / "app"), "python": str(folder / ".venv" / "bin" / "python")}


def test_a_python_may_be_a_command(write: Write) -> None:
    assert values(read_configuration(write('[tool.wirespeed]\npython = "python3.13"\n'))) == {
        "python": "python3.13"
    }
