"""The rules, one module each: a new rule is a new file here that defines ``RULE``, and its test."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from wirespeed.plugins import modules_of

from ._rule import Rule

__all__ = ["Rule", "all_rules"]


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule by its code, in the order of the codes."""
    rules = [module.RULE for module in modules_of(sys.modules[__name__])]
    return MappingProxyType({rule.code: rule for rule in rules})
