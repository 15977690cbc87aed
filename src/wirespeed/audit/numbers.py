"""Numbers as load tools write them. What is no finite number is None: unknown stays unknown."""

from __future__ import annotations

import math
import re

_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_NUMBER = r"(\d{1,15}(?:\.\d{1,15})?)"
MOST = 10**15
"""Counts beyond this are no counts."""


def count(value: object) -> int | None:
    """A count from text or from JSON; ``True`` and fractions are none."""
    if isinstance(value, str):
        value = int(value) if re.fullmatch(r"\d{1,15}", value.strip()) else None
    if isinstance(value, float) and value.is_integer():
        value = int(value) if abs(value) < MOST else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < MOST else None


def amount(value: object) -> float | None:
    """A finite number that is not negative, from text or from JSON."""
    if isinstance(value, str):
        match = re.fullmatch(_NUMBER, value.strip())
        value = float(match[1]) if match else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and abs(value) >= MOST:
        return None
    return float(value) if 0 <= value < math.inf else None


def seconds(text: str) -> float | None:
    """``1.99s``, ``381.62ms``, ``1.20m``."""
    match = re.fullmatch(rf"{_NUMBER}\s*(ns|us|µs|ms|s|m|h)", text.strip())
    return float(match[1]) * _SECONDS[match[2]] if match else None


def metric(text: str) -> float | None:
    """``377.54``, ``56.20k``, ``1.2M``."""
    match = re.fullmatch(rf"{_NUMBER}([kKmMgG]?)", text.strip())
    return float(match[1]) * _SCALES[match[2].lower()] if match else None


def scaled(value: object, unit_s: float) -> float | None:
    """A JSON number in units of ``unit_s`` seconds, as seconds."""
    number = amount(value)
    return None if number is None else number * unit_s
