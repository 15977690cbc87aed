"""Texts of the command line to numbers and pairs. Every refusal says how to write it instead."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Iterable, Sequence

from wirespeed.errors import UsageError

MAX_SEED = 2**32
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def duration_s(text: str, option: str) -> float:
    """``500ms``, ``60s``, ``2m``, ``1h`` or plain seconds, as seconds; above zero."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|m|h)?", text.strip())
    seconds = float(match[1]) * _SECONDS[match[2] or "s"] if match else 0.0
    if not 0 < seconds < math.inf:
        raise UsageError(
            f"{option} {text!r} is not a duration",
            advice=f"Write a number with its unit: {option} 60s, 500ms, 2m or 1h.",
        )
    return seconds


def fraction(text: str, option: str) -> float:
    """``2%`` or ``0.02`` as a fraction between 0 and 1, both excluded.

    A bare ``2`` is refused, for it could mean either.
    """
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(%)?", text.strip())
    value = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < value < 1:
        raise UsageError(
            f"{option} {text!r} is not a share between 0 and 100 %",
            advice=f"Write {option} 2% or {option} 0.02.",
        )
    return value


def is_url(target: str) -> bool:
    """URLs, and what was meant as one: ``127.0.0.1:8000``, ``localhost:8000/a``. ``main:app`` is an app."""
    return "://" in target or re.match(r"[\w.\-\[\]:]+:\d+(/|$)", target) is not None


def assignments(texts: Iterable[str], option: str) -> dict[str, str]:
    """``NAME=VALUE`` pairs; the value may be empty and may hold further equals signs."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or "\0" in text:
            raise UsageError(
                f"{option} {text!r} does not set anything",
                advice=f"Write {option} NAME=VALUE, once for each.",
            )
        pairs[name.strip()] = value
    return pairs


def at_least(number: int, smallest: int, option: str, why: str) -> int:
    """``number``, unless it is too small."""
    if number < smallest:
        raise UsageError(f"{option} {number} is too small", advice=f"Use {smallest} or more: {why}.")
    return number


def enough_rounds(rounds: int) -> int:
    return at_least(rounds, 2, "--rounds", "one round does not tell how much rounds differ")


def chosen_seed(seed: int | None) -> int:
    """The seed asked for, else a fresh one: it stands in the report, so that the run can be repeated."""
    if seed is None:
        return secrets.randbelow(MAX_SEED)
    return at_least(seed, 0, "--seed", "seeds are whole numbers from 0 on")


def rule_codes(texts: Iterable[str], option: str, known: Sequence[str]) -> tuple[str, ...]:
    """Codes of rules, or beginnings of codes (``WS1`` for a family), separated by commas."""
    asked = [code.strip().upper() for text in texts for code in text.split(",")]
    for code in asked:
        if not code or not any(rule.startswith(code) for rule in known):
            raise unknown_rule(code, known, f"{option} names no rule: {code!r}")
    return tuple(dict.fromkeys(asked))


def unknown_rule(code: str, known: Sequence[str], message: str) -> UsageError:
    """The error for a code that no rule has, with the rules of its family, or all where it has none."""
    family = [rule for rule in known if rule.startswith(code.upper()[:3])]
    return UsageError(message, advice=f"There are {', '.join(family or known)}.")
