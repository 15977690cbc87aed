"""What every layer may tell while it works; ``experiment.events`` has the rest."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Noted:
    """Something the reader should see even when no report comes of it."""

    text: str
