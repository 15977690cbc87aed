"""The checks, one module each: a new check is a new file here that defines ``CHECK``, and its test."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

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
    found = {module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")}
    names = [*(name for name in _ORDER if name in found), *sorted(found - set(_ORDER))]
    checks = [importlib.import_module(f"{__name__}.{name}").CHECK for name in names]
    return MappingProxyType({check.name: check for check in checks})
