"""The ``wirespeed/selfcheck/1`` document: how small an effect a machine can show."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import AwareDatetime

from ._base import Document
from .advice import Environment

FORMAT: Final = "wirespeed/selfcheck/1"


class Kind(Document):
    """One kind of request, compared with itself round after round."""

    request: str
    call_ns: int
    """Median nanoseconds of one call."""
    rounds: int
    round_sd: float
    """Standard deviation of a round's log ratio."""
    autocorrelation: float | None
    """Lag 1, between neighbouring rounds; None for fewer than 200 rounds, which do not show it."""
    pairings: int | None
    """How often neighbouring rounds must be averaged in pairs before they can be taken as independent."""
    smallest_effect_8: float
    """Smallest saving (fraction of the baseline's time) that 8 rounds show in 80 % of cases."""
    smallest_effect_40: float


class Selfcheck(Document):
    format: Literal["wirespeed/selfcheck/1"] = FORMAT
    created: AwareDatetime
    wirespeed: str
    python: str
    packages: dict[str, str]
    environment: Environment
    seed: int
    complete: bool
    elapsed_s: float
    kinds: tuple[Kind, ...]
