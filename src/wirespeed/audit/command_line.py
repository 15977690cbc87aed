"""What a load tool was told, from the command line that people paste above its output.

Only what the tool itself would read counts: hey, like every tool built on Go's ``flag``, stops at the first
argument that is no option, so what stands after the URL is lost without a word.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.audit.numbers import amount, count, metric, seconds
from wirespeed.model.audit import Asked

_LONGEST_LINE = 4096
_LINES_SEARCHED = 20
_WORDS_OF_PROMPT = 5
_PROMPT_ENDS = ("$", "#", "%", ">")


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a tool reads its command line. Options map to their meaning; ``None`` is any other option."""

    programs: tuple[str, ...]
    values: Mapping[str, str]
    """Options that matter: ``requests``, ``connections``, ``rate``, ``rate a connection``, ``timeout``."""
    flags: frozenset[str] = frozenset()
    """Options without a value."""
    stops_at_url: bool = False
    attached: bool = False
    """Values may follow a short option at once, as getopt has it: ``-c20``."""


@dataclass(frozen=True, slots=True)
class Command:
    target: str | None
    asked: Asked


def find_command(text: str, syntax: Syntax) -> Command | None:
    """The first line near the top that calls one of the tool's programs, as the tool would read it."""
    for line in text[: _LINES_SEARCHED * _LONGEST_LINE].splitlines()[:_LINES_SEARCHED]:
        words = _words(line, syntax.programs)
        if words is not None:
            return _read(words, syntax)
    return None


def _words(line: str, programs: Sequence[str]) -> list[str] | None:
    """The arguments, where the line is a command: ``$ hey …``, ``me@host:~# /usr/bin/hey …``."""
    try:
        words = shlex.split(line[:_LONGEST_LINE])
    except ValueError:
        return None
    for position, word in enumerate(words[:_WORDS_OF_PROMPT]):
        if word.rpartition("/")[2] in programs:
            arguments = words[position + 1 :]
            is_prompted = position == 0 or words[position - 1][-1:] in _PROMPT_ENDS
            return arguments if is_prompted and any(map(_is_option_or_url, arguments)) else None
    return None


def _is_option_or_url(word: str) -> bool:
    return word.startswith(("-", "http://", "https://"))


def _read(words: Sequence[str], syntax: Syntax) -> Command:
    target: str | None = None
    told: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            target = target or word
            if syntax.stops_at_url:
                break
        else:
            told.update(_option(word, rest, syntax))
    unread = tuple(rest)
    return Command(target, _asked(told, unread if any(word.startswith("-") for word in unread) else ()))


def _option(word: str, rest: Iterator[str], syntax: Syntax) -> dict[str, str]:
    """The meaning and value of one option: ``-n 10``, ``-n10``, ``--rate=10``; empty for others."""
    name, equals, value = word.partition("=")
    if name in syntax.flags:
        return {}
    if syntax.attached and not word.startswith("--") and len(word) > 2:
        name, value, equals = word[:2], word[2:], "="
    if not equals:
        value = next(rest, "")
    meaning = syntax.values.get(name)
    return {meaning: value} if meaning else {}


def _asked(told: Mapping[str, str], ignored: tuple[str, ...]) -> Asked:
    connections = _whole(told.get("connections"))
    rate = metric(told["rate"]) if "rate" in told else None
    each = metric(told["rate a connection"]) if "rate a connection" in told else None
    if each and connections:
        rate = each * connections
    timeout = told.get("timeout", "")
    return Asked(
        requests=_whole(told.get("requests")),
        connections=connections,
        rate_per_s=rate or None,
        timeout_s=seconds(timeout) or amount(timeout),
        ignored=ignored,
    )


def _whole(text: str | None) -> int | None:
    number = metric(text) if text else None
    return count(number)
