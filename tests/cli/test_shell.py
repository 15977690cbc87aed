"""The ``wirespeed`` script as a shell sees it: what it prints where, what it loads, and what it ends with."""

from __future__ import annotations

import importlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from wirespeed import __version__
from wirespeed.cli import shell
from wirespeed.cli.commands import COMMANDS, Command
from wirespeed.errors import AgentFailed, MeasurementInvalid, SubjectDied, SubjectError, UsageError

SCRIPT = Path(sys.executable).with_name("wirespeed")
FULL = Path("/dev/full")
HEAVY = {"pydantic", "numpy", "scipy", "libcst"}


def wirespeed(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    return subprocess.run(
        [SCRIPT, *arguments], capture_output=True, text=True, env={**clean, **environment}, check=False
    )


def loaded_by(*arguments: str) -> set[str]:
    """Top-level modules that a run of ``wirespeed ARGUMENTS…`` has imported by its end."""
    program = (
        "import json, sys\n"
        "from wirespeed.cli.shell import run\n"
        f"run({list(arguments)!r})\n"
        "print(json.dumps([name.partition('.')[0] for name in sys.modules]), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What the script writes when stdout and stderr are a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [SCRIPT, *arguments],
        stdout=theirs,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm-256color", **environment},
    ):
        os.close(theirs)
        written = b""
        try:
            while chunk := os.read(ours, 4096):
                written += chunk
        except OSError:  # how Linux says that the other end is closed
            pass
    os.close(ours)
    return written.decode()


# Help


def test_the_help_page_loads_nothing_heavy() -> None:
    assert not loaded_by("--help") & {*HEAVY, "typer", "rich"}
    assert not loaded_by("--version") & {*HEAVY, "typer", "rich"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_help_of_a_command_loads_nothing_of_what_it_runs(command: Command) -> None:
    assert not loaded_by(command.name, "--help") & {*HEAVY, "rich"}


def test_help_lists_every_command() -> None:
    page = wirespeed("--help")

    assert page.returncode == 0
    assert page.stderr == ""
    for command in COMMANDS:
        assert f"{command.name} " in page.stdout
        assert command.summary in page.stdout


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_says_of_itself_what_the_list_says_of_it(command: Command) -> None:
    parser = typer.main.get_command(importlib.import_module(command.module).COMMAND)

    assert (parser.help or "").splitlines()[0] == command.summary


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_help_of_a_command_is_plain_text_with_examples_in_a_pipe(command: Command) -> None:
    page = wirespeed(command.name, "--help").stdout

    assert page.isascii()
    assert f"\n    wirespeed {command.name}" in page


def test_the_help_of_a_command_on_a_terminal_keeps_the_lines_of_its_examples() -> None:
    page = on_a_terminal("rule", "--help", NO_COLOR="1")

    assert "wirespeed rule WS101" in [line.strip() for line in page.splitlines()]


def test_without_a_command_the_help_page_is_an_error() -> None:
    bare = wirespeed()

    assert bare.returncode == 2
    assert bare.stdout == ""
    assert "Usage: wirespeed" in bare.stderr


def test_the_version_is_told() -> None:
    assert wirespeed("--version").stdout == f"wirespeed {__version__}\n"


# Usage errors


@pytest.mark.parametrize(
    ("arguments", "message", "advice"),
    [
        (["advice"], "there is no command advice", "Did you mean `wirespeed advise`?"),
        (["--jsno"], "there is no option --jsno", "`wirespeed --help` lists the commands."),
        (["advise"], "Missing argument 'APP'", "`wirespeed advise --help`"),
        (["advise", "a:b", "--bugdet", "1s"], "No such option: --bugdet", "`wirespeed advise --help`"),
        (["advise", "a:b", "--live", "x"], "Invalid value for '--live'", "`wirespeed advise --help`"),
        (["advise", "a:b", "--margin", "2"], "--margin '2' is not a share", "Write --margin 2%"),
        (["rule", "WS999"], "there is no rule WS999", "There are WS101"),
    ],
)
def test_wrong_usage_says_what_is_wrong_and_what_is_right(
    arguments: list[str], message: str, advice: str
) -> None:
    done = wirespeed(*arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"error: {message}")
    assert advice in done.stderr


def test_an_error_is_coloured_on_a_terminal_unless_no_color_is_set() -> None:
    assert "\x1b[1;31merror: " in on_a_terminal("advice", NO_COLOR="")
    assert "31m" not in on_a_terminal("advice", NO_COLOR="1")


# Rules


def test_a_rule_s_page_is_printed_as_it_is_written_in_a_pipe() -> None:
    page = wirespeed("rule", "ws101").stdout

    assert page.startswith("# WS101")
    assert "\n**What can go wrong**\n" in page


def test_without_a_code_the_rules_are_listed() -> None:
    lines = wirespeed("rule").stdout.splitlines()

    assert lines[0].startswith("WS101  ")


def test_a_reader_that_goes_away_gets_no_traceback() -> None:
    with subprocess.Popen(
        [SCRIPT, "rule", "WS101"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as done:
        assert done.stdout is not None and done.stderr is not None
        done.stdout.close()
        complaint = done.stderr.read()

    assert (complaint, done.returncode) == ("", 141)


def test_a_reader_of_a_report_that_goes_away_is_no_check_that_failed() -> None:
    output = Path(__file__).parents[1] / "audit/fixtures/real/clean-c50.wrk.txt"
    with subprocess.Popen(
        [SCRIPT, "audit", output], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as done:
        assert done.stdout is not None and done.stderr is not None
        done.stdout.close()
        complaint = done.stderr.read()

    assert (complaint, done.returncode) == ("", 141)


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("arguments", [["rule", "WS101"], ["rule", "--help"], ["--version"]])
def test_a_full_disk_is_told_as_one_and_is_no_bug(arguments: list[str]) -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            [SCRIPT, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert done.returncode == 4
    assert done.stderr.startswith("error: nothing more can be written: No space left on device\n")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
def test_an_error_that_nobody_can_be_told_still_has_its_exit_code() -> None:
    with FULL.open("w") as full:
        done = subprocess.run([SCRIPT, "advice"], stderr=full, check=False)

    assert done.returncode == 2


@pytest.mark.parametrize(
    ("closing", "code"),
    [("rule WS101 >&-", 0), ("advice 2>&-", 2), ("audit - <&-", 2), ("--help >&- 2>&-", 0)],
)
def test_streams_that_were_closed_from_the_start_are_no_bug(closing: str, code: int) -> None:
    done = subprocess.run(f"'{SCRIPT}' {closing}", shell=True, capture_output=True, text=True, check=False)

    assert done.returncode == code
    assert "bug" not in done.stderr


# How a run ends


def ending_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    def dispatch(arguments: list[str]) -> int:
        raise error

    monkeypatch.setattr(shell, "_dispatch", dispatch)
    return shell.run([])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 2),
        (SubjectError("x"), 3),
        (MeasurementInvalid("x"), 4),
        (AgentFailed("x"), 4),
        (KeyError("a bug"), 4),
        (KeyboardInterrupt(), 130),
    ],
)
def test_the_exit_code_says_whose_fault_it_was(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    assert ending_with(monkeypatch, error) == code


def test_a_failing_app_is_quoted_below_the_advice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = SubjectError(
        "main:app could not be imported",
        advice="Run it by itself first.",
        app_traceback='Traceback (most recent call last):\n  File "main.py", line 3\nNameError: \x1b[31mx',
        output="\n".join(f"line {number}" for number in range(30)),
    )

    ending_with(monkeypatch, error)

    assert capsys.readouterr().err.splitlines()[:6] == [
        "error: main:app could not be imported",
        "Run it by itself first.",
        "The app's own traceback:",
        "  Traceback (most recent call last):",
        '    File "main.py", line 3',
        "  NameError: x",
    ]


def test_of_long_output_the_end_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = "\n".join(f"line {number}" for number in range(30))

    ending_with(monkeypatch, SubjectDied("it died", during="GET /a", output=output))

    told = capsys.readouterr().err
    assert told.startswith("error: it died\nIt happened during: GET /a\nThe app printed, at the end:\n")
    assert told.endswith("  line 29\n")
    assert "line 5\n" not in told


def test_an_error_nobody_foresaw_shows_its_traceback_and_whose_fault_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ending_with(monkeypatch, KeyError("a bug"))

    told = capsys.readouterr().err
    assert told.startswith("Traceback (most recent call last):")
    assert "this is a bug in wirespeed, not in your app" in told
