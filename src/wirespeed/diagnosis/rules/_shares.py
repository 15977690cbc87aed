"""From which share of the request on a rule of the app's code is worth measuring."""

from __future__ import annotations

from typing import Final

from wirespeed.diagnosis.observation import Observation

WORTH: Final = 0.03
"""Below this share, 1 of 172 gains on real endpoints would be missed, and half of the arms are saved."""


def share(seen: Observation, spent_ns: int) -> float:
    """``spent_ns`` as a fraction of the whole request; 0 where the request was not timed."""
    return min(1.0, spent_ns / seen.whole_ns) if seen.whole_ns else 0.0


def is_worth(seen: Observation, spent_ns: int) -> bool:
    return share(seen, spent_ns) >= WORTH


def milliseconds(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e6:.3g} ms"
