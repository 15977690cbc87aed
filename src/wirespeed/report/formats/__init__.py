"""The formats, one module each: a new format is a new file here that defines ``FORMAT``, and its test."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from wirespeed.plugins import modules_of

from ._format import Format, Host, Setting, View
from ._place import Checkout

__all__ = ["Checkout", "Format", "Host", "Setting", "View", "all_formats"]


@cache
def all_formats() -> Mapping[str, Format]:
    """Every format by its name."""
    formats = [module.FORMAT for module in modules_of(sys.modules[__name__])]
    return MappingProxyType({format_.name: format_ for format_ in formats})
