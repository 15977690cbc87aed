"""Estimates and the verdicts read from them."""

from __future__ import annotations

from enum import StrEnum

from ._base import Document, Value


class Verdict(StrEnum):
    FASTER = "faster"
    SLOWER = "slower"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"


class Estimate(Document):
    """arm/baseline time ratio with its interval; below 1 is faster."""

    ratio: float
    interval: tuple[float, float]


class Decision(Value):
    """A verdict, what supports it, and what is still missing.

    ``rounds_needed`` is the total number of rounds that would probably decide an inconclusive one.
    """

    verdict: Verdict
    estimate: Estimate | None
    note: str | None = None
    rounds_needed: int | None = None
