"""Keeping compiled modules where the app's environment would not, so that later boots are faster."""

from __future__ import annotations

import sys


def cache_bytecode(folder: str) -> bool:
    """Cache bytecode below ``folder`` if the environment writes none; returns the environment's own setting.

    An environment that writes bytecode beside its sources is left alone.
    """
    writes_none = sys.dont_write_bytecode
    if writes_none:
        sys.dont_write_bytecode = False
        sys.pycache_prefix = folder
    return writes_none
