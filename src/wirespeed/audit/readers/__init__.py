"""The readers, one module each: a new format is a new file here that defines ``READER``, and its test."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from wirespeed.plugins import modules_of

from ._reader import NotReadable, Reader

__all__ = ["NotReadable", "Reader", "all_readers"]


@cache
def all_readers() -> Mapping[str, Reader]:
    """Every reader by its name."""
    readers = [module.READER for module in modules_of(sys.modules[__name__])]
    return MappingProxyType({reader.name: reader for reader in readers})
