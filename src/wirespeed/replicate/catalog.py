"""Which suites there are: every module of ``suites/``, by the name in its ``SUITE``."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from wirespeed.errors import UsageError
from wirespeed.plugins import modules_of

from . import suites
from .suite import Suite


def all_suites() -> dict[str, Suite]:
    """By name, in alphabetical order."""
    found: list[Suite] = [module.SUITE for module in modules_of(suites)]
    return {suite.name: suite for suite in sorted(found, key=lambda one: one.name)}


def chosen(names: Sequence[str]) -> tuple[Suite, ...]:
    """The suites with these names, each once, in that order; all without names. Raises ``UsageError``."""
    known = all_suites()
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            advice = f"Did you mean {close[0]}?" if close else f"Suites are {', '.join(known)}."
            raise UsageError(f"there is no suite {name!r}", advice=advice)
    return tuple(known[name] for name in dict.fromkeys(names or known))
