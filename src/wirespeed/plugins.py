"""Finding what is one file each: rules, readers, checks, suites, formats. No list of them has to be kept."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def modules_of(package: ModuleType) -> list[ModuleType]:
    """The package's own modules in the order of their names, without those that begin with ``_``."""
    names = sorted(
        found.name for found in pkgutil.iter_modules(package.__path__) if not found.name.startswith("_")
    )
    return [importlib.import_module(f"{package.__name__}.{name}") for name in names]
