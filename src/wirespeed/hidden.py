"""Secrets that must not be told: they are taken out of whatever is printed or saved.

Where text leaves wirespeed (``report.text.clean``, ``Document.to_json``) it passes through ``hide``. What is
hidden is remembered for the current context only, so that one run of a command knows nothing of another's.
This file must never know where a secret comes from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextvars import ContextVar
from itertools import takewhile

STANDS_FOR_IT = "***"
TELLING = 8
"""So many characters of a secret's beginning are hidden too: long values are shown cut off."""

_secrets: ContextVar[frozenset[str]] = ContextVar("secrets", default=frozenset())


def hide_from_now_on(secrets: Iterable[str]) -> None:
    """Hide these as well, as they are and as Python's ``repr`` and JSON spell them."""
    spelled = {form for secret in secrets if secret for form in _spellings(secret)}
    _secrets.set(_secrets.get() | spelled)


def hide(text: str) -> str:
    """``text`` with every secret in it replaced."""
    secrets = _secrets.get()
    if not secrets:
        return text
    beginnings = re.compile("|".join({re.escape(secret[:TELLING]) for secret in secrets}))
    kept, at = [], 0
    while found := beginnings.search(text, at):
        kept += [text[at : found.start()], STANDS_FOR_IT]
        at = max(_end_of(secret, text, found.start()) for secret in secrets)
    return "".join([*kept, text[at:]])


def hides_anything() -> bool:
    return bool(_secrets.get())


def _spellings(secret: str) -> set[str]:
    return {secret, repr(secret)[1:-1], json.dumps(secret)[1:-1]}


def _end_of(secret: str, text: str, start: int) -> int:
    """Where a secret ends that stands in the text from ``start`` on, whole or cut off; 0 where none does."""
    pairs = zip(secret, text[start : start + len(secret)], strict=False)
    length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return start + length if length >= min(TELLING, len(secret)) else 0
