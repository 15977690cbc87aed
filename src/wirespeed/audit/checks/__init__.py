"""The checks, one module each: a new check is a new file here that defines ``CHECK``, and its test."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from wirespeed.plugins import modules_of

from ._check import Check, Examined, Missing, NotApplicable

__all__ = ["Check", "Examined", "Missing", "NotApplicable", "all_checks"]

_ORDER = (
    "hidden_errors",
    "ignored_options",
    "counts",
    "littles_law",
    "left_out",
    "censored_maximum",
    "backfilled",
    "few_samples",
    "per_thread",
    "rate_not_reached",
    "spread",
)
"""What weighs most comes first; checks that are not named here follow in the order of their names."""


@cache
def all_checks() -> Mapping[str, Check]:
    """Every check by its name."""
    found = {module.__name__.rpartition(".")[2]: module for module in modules_of(sys.modules[__name__])}
    # Sorting is stable, and what is found comes in the order of the names.
    names = sorted(found, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))
    checks = [found[name].CHECK for name in names]
    return MappingProxyType({check.name: check for check in checks})
