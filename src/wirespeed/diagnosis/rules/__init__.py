"""The rules, one module each: a new rule is a new file here that defines ``RULE``, and its test."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ._rule import Rule

__all__ = ["Rule", "all_rules"]


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule by its code, in the order of the codes."""
    names = sorted(
        module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")
    )
    rules = [importlib.import_module(f"{__name__}.{name}").RULE for name in names]
    return MappingProxyType({rule.code: rule for rule in rules})
