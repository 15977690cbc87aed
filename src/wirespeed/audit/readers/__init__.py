"""The readers, one module each: a new format is a new file here that defines ``READER``, and its test."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ._reader import NotReadable, Reader

__all__ = ["NotReadable", "Reader", "all_readers"]


@cache
def all_readers() -> Mapping[str, Reader]:
    """Every reader by its name."""
    names = sorted(
        module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")
    )
    readers = [importlib.import_module(f"{__name__}.{name}").READER for name in names]
    return MappingProxyType({reader.name: reader for reader in readers})
