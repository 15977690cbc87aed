"""What a pasted command says that the tool was told, read as the tool reads it."""

from __future__ import annotations

import pytest

from wirespeed.audit.command_line import find_command
from wirespeed.audit.readers._wrk_layout import COMMAND as WRK
from wirespeed.audit.readers.ab import COMMAND as AB
from wirespeed.audit.readers.hey import COMMAND as HEY

URL = "http://127.0.0.1:8000/"


@pytest.mark.parametrize(
    "line",
    [
        f"hey -n 1000 -c 20 {URL}",
        f"$ hey -n 1000 -c 20 {URL}",
        f"me@host:~/x# /usr/bin/hey -n 1000 -c 20 {URL}",
        f"[me@host ~]$ hey -m GET -H 'Accept: text/html' -disable-keepalive -n 1000 -c 20 {URL}",
        f"> hey -n=1000 -c 20 {URL}",
    ],
)
def test_a_command_is_found_behind_any_prompt(line: str) -> None:
    command = find_command(f"{line}\n\nSummary:\n", HEY)

    assert command is not None
    assert (command.target, command.asked.requests, command.asked.connections) == (URL, 1000, 20)


@pytest.mark.parametrize(
    "line", ["What does hey do?", "hey there", "they hey -n 10 x", "$ wrk -c 10 http://x/"]
)
def test_prose_and_other_tools_are_no_command(line: str) -> None:
    assert find_command(line, HEY) is None


def test_hey_reads_nothing_after_the_url() -> None:
    command = find_command(f"$ hey {URL} -n 1000 -c 40", HEY)

    assert command is not None
    assert command.asked.requests is None
    assert command.asked.ignored == ("-n", "1000", "-c", "40")


def test_wrk_reads_options_anywhere() -> None:
    command = find_command(f"$ wrk {URL} -t4 -c100 -d 30s -R 2k --latency --timeout 5s", WRK)

    assert command is not None
    asked = command.asked
    assert (asked.connections, asked.rate_per_s, asked.timeout_s, asked.ignored) == (100, 2000.0, 5.0, ())


def test_heys_rate_is_one_for_each_connection() -> None:
    command = find_command(f"hey -q 10 -c 50 {URL}", HEY)

    assert command is not None
    assert command.asked.rate_per_s == 500.0


def test_abs_options_are_read() -> None:
    command = find_command(f"ab -kq -n100 -c 10 {URL}", AB)

    assert command is not None
    assert (command.asked.requests, command.asked.connections) == (100, 10)


@pytest.mark.parametrize(
    "line", ["hey -n '10 http://x/", "hey -n", "hey -c " + "9" * 5000, "hey -c nan http://x/"]
)
def test_broken_commands_say_nothing(line: str) -> None:
    command = find_command(line, HEY)

    assert command is None or command.asked.connections is None
