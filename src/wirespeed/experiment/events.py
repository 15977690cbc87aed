"""What the engine tells while it works. Progress bars, logs and tests attach; it knows none.

``index`` counts from 1 to ``total``. ``request`` is a request's name, ``GET /orders/42?page=2``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wirespeed.model.progress import Noted as Noted


@dataclass(frozen=True, slots=True)
class Booting:
    """An app is being imported and started."""

    app: str


@dataclass(frozen=True, slots=True)
class Listed:
    """The routes are known: so many endpoints will be called, so many are left alone."""

    endpoints: int
    skipped: int


@dataclass(frozen=True, slots=True)
class ProbeStarted:
    request: str
    index: int
    total: int


@dataclass(frozen=True, slots=True)
class ProbeFinished:
    """``note`` says what the reader should know of the answer, such as its status when it is an error."""

    request: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ScreenStarted:
    request: str
    index: int
    total: int


@dataclass(frozen=True, slots=True)
class ScreenFinished:
    """``arms`` of the request are kept for the confirming rounds."""

    request: str
    arms: int


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """``eta_s``: seconds until the last round ends, where that can be told."""

    index: int
    total: int
    eta_s: float | None = None


@dataclass(frozen=True, slots=True)
class RoundFinished:
    index: int
    total: int


Event = (
    Booting
    | Listed
    | ProbeStarted
    | ProbeFinished
    | ScreenStarted
    | ScreenFinished
    | RoundStarted
    | RoundFinished
    | Noted
)
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The listener of those who do not watch."""
