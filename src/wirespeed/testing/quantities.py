"""Limits as people write them: ``10ms``, ``100kB``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from wirespeed.errors import UsageError

_NS: Final = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}
_BYTES: Final = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
}
_WRITTEN: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zµ]+)\s*", re.IGNORECASE)


def duration_ns(text: str) -> int:
    """Raises UsageError for what is no duration with a unit."""
    return _read(text, _NS, "a duration, such as 10ms")


def size_bytes(limit: str | int) -> int:
    """Raises UsageError for what is neither a number of bytes nor a size with a unit."""
    if isinstance(limit, int) and limit >= 0:
        return limit
    return _read(str(limit), _BYTES, "a size, such as 100kB or 2MiB")


def _read(text: str, units: Mapping[str, int], what: str) -> int:
    match = _WRITTEN.fullmatch(text)
    if match is None or match[2].lower() not in units:
        raise UsageError(f"{text!r} is not {what}.")
    return round(float(match[1]) * units[match[2].lower()])
