"""A request as somebody has sent it."""

from __future__ import annotations

from typing import NamedTuple


class Sent(NamedTuple):
    """``url`` with scheme and host; headers as they stand in the file."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Read(NamedTuple):
    """``left_out`` says what was not taken, and why."""

    sent: tuple[Sent, ...]
    left_out: tuple[str, ...] = ()
